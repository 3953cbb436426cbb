// Files of service levels and SL2VL tables in a scenario: what they change of a run, and what is wrong with them, with its
// place. Texts are in OpenSM's form.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { guidText } from '../../src/fabric/identity.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { LanePollColumn, lanePollTable } from '../../src/records/poll-records.js';
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

const without = scenario.replace(/routing: .*\n/, '').replace('lanes: 2', 'lanes: 2, levels: 1');
const asked = (level: number): string => without.replace('size: 300kB', `size: 300kB, serviceLevel: ${level}`);

describe('service levels that a scenario asks for', () => {
  it('are those of transfers, whatever their pairs have: as a file that lists the same', async () => {
    const { sink } = await scenarioRun(asked(1), []);
    const [finish, id] = [sink.column(flowTable, FlowColumn.finish), sink.column(flowTable, FlowColumn.flow)];
    const listed = await times(records(apart), identityLanes);
    expect([0, 1, 2, 3].map((flow) => finish[id.indexOf(flow)]! / 1e6)).toEqual(listed);
    // and no longer behind the incast, where it is without them
    const { sink: plain } = await scenarioRun(without, []);
    const [last, ids] = [plain.column(flowTable, FlowColumn.finish), plain.column(flowTable, FlowColumn.flow)];
    expect(listed[3]).toBeLessThan((0.6 * last[ids.indexOf(3)]!) / 1e6);
  });

  it('keep two jobs on lanes of their own', async () => {
    // hosts 0 and 3 exchange two messages of 100 kB, hosts 1 and 4 four: all over the one spine
    const jobs = `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3 }
backend: credit
credit: { lanes: 2, levels: 1 }
polling: { interval: 50us, lanes: true }
jobs:
  - { program: bisection, messageSize: 100kB, messages: 2, eagerLimit: 1MB, nodes: '0,3', serviceLevel: 0 }
  - { program: bisection, messageSize: 100kB, messages: 4, eagerLimit: 1MB, nodes: '1,4', serviceLevel: 1 }
`;
    const { sink } = await scenarioRun(jobs, []);
    const column = (name: keyof typeof LanePollColumn) => sink.column(lanePollTable, LanePollColumn[name]);
    const [node, lane, sent] = [column('node'), column('lane'), column('transmitPackets')];
    /** Packets that a node's ports sent on a lane, up to the last reading. */
    const packets = (of: number, on: number): number => {
      let last = 0;
      node.forEach((own, row) => {
        if (own === of && lane[row] === on) last = Math.max(last, sent[row]!);
      });
      return last;
    };
    // 100 kB are 25 packets of 4 KiB: what host 0 sends has lane 0 alone, what host 1 sends lane 1 alone
    expect([packets(0, 0), packets(0, 1)]).toEqual([50, 0]);
    expect([packets(1, 0), packets(1, 1)]).toEqual([0, 100]);
    // the spine, either way, carries both, each on its lane
    expect([packets(8, 0), packets(8, 1)]).toEqual([50, 100]);
  });

  it('need lanes, and a backend that has them', async () => {
    const made = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': asked(2) }), overrides: [] }).catch(
      (error: unknown) => error,
    );
    expect(made).toBeInstanceOf(InputError);
    expect((made as InputError).diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual([
      'level-without-lane 6',
    ]);
    const fluid = await scenarioRun(asked(1), ['backend=fluid']);
    expect(fluid.warnings).toContain(
      'traffic.transfers[3].serviceLevel has no effect: the fluid backend has no virtual lanes',
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
