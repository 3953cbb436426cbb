// Files of service levels and SL2VL tables in a scenario: what they change of a run, and what is wrong with them, with its
// place. Texts are in OpenSM's form.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { guidText } from '../../src/fabric/identity.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { laneFiles } from '../support/lane-files.js';
import { scenarioRun } from '../support/scenario-run.js';

const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 3 });
const { identity, records, tables } = laneFiles(fabric);

const scenario = `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3 }
backend: credit
credit: { lanes: 2, buffer: 32kB }
routing: { serviceLevels: levels.txt, sl2vl: lanes.txt }
traffic: { transfers: [
  { source: 0, destination: 3, size: 1MB }, { source: 1, destination: 3, size: 1MB }, { source: 4, destination: 3, size: 1MB },
  { source: 2, destination: 5, size: 300kB } ] }
`;

/** When each transfer finished, in microseconds. */
async function times(levels: string, lanes: string, set: readonly string[] = []): Promise<number[]> {
  const { sink, summary } = await scenarioRun(scenario, set, { 'levels.txt': levels, 'lanes.txt': lanes });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const finish = sink.column(flowTable, FlowColumn.finish);
  const id = sink.column(flowTable, FlowColumn.flow);
  return [0, 1, 2, 3].map((flow) => finish[id.indexOf(flow)]! / 1e6);
}

const identityLanes = tables((level) => level % 2);

/** The lonely flow's own level. */
const apart = (source: number): number => (source === 2 ? 1 : 0);

describe('lanes from files', () => {
  it('a flow in a lane of its own no longer waits behind an incast', async () => {
    // three into host 3: the spine's one link to its leaf is full of their packets
    const [, , , behind] = await times(
      records(() => 0),
      identityLanes,
    );
    const [, , , beside] = await times(records(apart), identityLanes);
    // behind them it has a third of what they get through; beside them every second turn
    expect(beside).toBeLessThan(0.6 * behind!);
    // the levels alone are nothing: their lanes are
    expect(
      await times(
        records(apart),
        tables(() => 1),
      ),
    ).toEqual(
      await times(
        records(() => 0),
        identityLanes,
      ),
    );
  });

  it('lanes may change from link to link: one lane past the leaf is as bad as one lane', async () => {
    const [, , , kept] = await times(records(apart), identityLanes);
    const [, , , lost] = await times(
      records(apart),
      tables((level, node) => (fabric.nodeKind[node] === NodeKind.host ? level % 2 : 0)),
    );
    expect(lost).toBeGreaterThan(1.5 * kept!);
  });

  it('lanes that only count leave a run as it is on one lane', async () => {
    expect(await times(records(apart), identityLanes, ['credit.laneQueues=shared'])).toEqual(
      await times(
        records(() => 0),
        identityLanes,
      ),
    );
  });
});

interface Said {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
}

const text = (list: readonly Said[]): string[] =>
  list.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);

async function mistakes(levels: string, lanes: string, set: readonly string[] = []): Promise<string[]> {
  const host = memoryHost({ 's.yaml': scenario, 'levels.txt': levels, 'lanes.txt': lanes });
  try {
    return text((await makePlan('s.yaml', { host, overrides: set })).warnings);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return text(error.diagnostics);
  }
}

const lineOf = (file: string, node: number, row: number): number =>
  file.split('\n').findIndex((line) => line.includes(guidText(identity.portGuid[node]!))) + 1 + row;

describe('what is wrong is said with its place', () => {
  const levelOne = records((source) => (source === 2 ? 1 : 0));
  const leaf = Array.from(fabric.nodeKind).indexOf(NodeKind.switch);

  it('a level that is in use and dropped, at its line', async () => {
    const dropping = tables((level, node, a, b) =>
      level === 1 && node === leaf && a === 1 && b === 2 ? 15 : level % 2,
    );
    expect(await mistakes(levelOne, dropping)).toEqual([
      `lanes.txt:${lineOf(dropping, leaf, 2)}:1 dropped-level service level 1 is in use and dropped`,
    ]);
    // of a level that nobody has nothing is said
    expect(
      await mistakes(
        records(() => 0),
        dropping,
      ),
    ).toEqual([]);
  });

  it('a lane beyond those of the backend, at its line', async () => {
    const beyond = tables((level, node, a, b) => (level === 1 && node === leaf && a === 2 && b === 1 ? 2 : level % 2));
    const row = fabric.portOffset[leaf + 1]! - fabric.portOffset[leaf]! + 1;
    expect(await mistakes(levelOne, beyond)).toEqual([
      `lanes.txt:${lineOf(beyond, leaf, row)}:1 lane-beyond service level 1 has a lane that there is not`,
    ]);
    expect(await mistakes(levelOne, beyond, ['credit.lanes=3'])).toEqual([]);
  });

  it('two ports without a table, by name; hosts without one are only told of', async () => {
    const without = tables((level, node, a, b) => (node === leaf && a === 1 && b === 2 ? null : level % 2));
    expect(await mistakes(levelOne, without)).toEqual([
      'lanes.txt:0:0 missing-lanes a switch has no SL2VL table for two of its ports',
    ]);
    const switches = tables((level, node) => (fabric.nodeKind[node] === NodeKind.host ? null : level % 2));
    expect(await mistakes(levelOne, switches)).toEqual([
      'lanes.txt:0:0 missing-lanes 6 ports of hosts have no SL2VL table: service level s has lane s there, or its rest by 2',
    ]);
  });

  it('a level of the file without a lane, where no file says the lanes', async () => {
    const host = memoryHost({
      's.yaml': scenario.replace(', sl2vl: lanes.txt', ''),
      'levels.txt': records((source) => source),
    });
    await expect(makePlan('s.yaml', { host, overrides: [] })).rejects.toThrow(
      /s\.yaml:4:27.*service level 5 of the file has no lane: credit\.sl2vl is identity/s,
    );
  });

  it('levels that are drawn and have no lane', async () => {
    const host = memoryHost({
      's.yaml': scenario.replace(/routing.*\n/, '').replace('lanes: 2', 'lanes: 2, levels: 5'),
    });
    await expect(makePlan('s.yaml', { host, overrides: [] })).rejects.toThrow(
      /s\.yaml:3:29.*service level 2 has no lane: credit\.sl2vl is identity/s,
    );
  });

  it('files where no packet takes lanes, and files that cannot be read', async () => {
    expect(await mistakes(levelOne, identityLanes, ['backend=fluid', 'credit.lanes=1', 'credit.buffer=auto'])).toEqual([
      's.yaml:4:12 no-effect routing.serviceLevels has no effect: the fluid backend has no virtual lanes',
      's.yaml:4:39 no-effect routing.sl2vl has no effect: the fluid backend has no virtual lanes',
    ]);
    expect(await mistakes('hello\n', identityLanes)).toEqual([
      'levels.txt:0:0 no-levels there is no path record in the file',
    ]);
    const host = memoryHost({ 's.yaml': scenario, 'levels.txt': levelOne });
    await expect(makePlan('s.yaml', { host, overrides: [] })).rejects.toThrow(/s\.yaml:4:46.*SL2VL/s);
  });
});
