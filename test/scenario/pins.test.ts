// Transfers pinned to planes and NICs: where they go in a run, and that a pin that cannot hold is shown where it
// stands.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../../src/records/flow-records.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';

// four servers of two GPUs 0-7, NVSwitches 8-11; leaves of the first set 12-15 (two segments of two rails), of the
// second 16-19; spines 20, 21 and 22, 23
const hpn = (dualPlane: boolean): string =>
  `fabric: { generate: alibaba-hpn, dualPlane: ${dualPlane}, gpus: 8, gpusPerServer: 2, nicsPerAsw: 2, pswSwitches: 4, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps }\n`;
const planeOf = (node: number): number => ((node >= 12 && node <= 15) || node === 20 || node === 21 ? 1 : 2);

const list = (pins: readonly string[], dualPlane = true): string =>
  `${hpn(dualPlane)}traffic:\n  transfers:\n${pins.map((pin) => `    - { source: 0, destination: 4, size: 100kB${pin === '' ? '' : `, ${pin}`} }\n`).join('')}`;

/** Switches on the way of each flow, in order. */
function waysOf({ sink }: ScenarioRun): number[][] {
  const flows = sink.column(hopTable, HopColumn.flow);
  const nodes = sink.column(hopTable, HopColumn.node);
  const ways: number[][] = [];
  flows.forEach((flow, i) => (ways[flow] ??= []).push(nodes[i]!));
  return ways;
}

describe('a pinned transfer goes where it is told', () => {
  it.each([
    [1, 'false'],
    [2, 'false'],
    [1, 'true'],
    [2, 'true'],
  ])('plane %i, controller %s', async (plane, controller) => {
    const run = await scenarioRun(list(Array<string>(12).fill(`plane: ${plane}`)), [
      `controller.enabled=${controller}`,
    ]);
    const ways = waysOf(run);
    expect(ways).toHaveLength(12);
    expect(ways.flat().filter((node) => planeOf(node) !== plane)).toEqual([]);
    expect(ways.every((way) => way.length === 3)).toBe(true);
    expect(run.summary.pins).toEqual({ pinned: 12, unpinned: 0 });
    // every flow has a port of its own
    if (controller === 'false') expect(new Set(run.sink.column(flowTable, FlowColumn.sourcePort)).size).toBe(12);
  });

  it('from one NIC to another, over spines that join the two sets of leaves', async () => {
    const run = await scenarioRun(
      list(['nic: 1, destinationNic: 2', 'nic: 2, destinationNic: 1', 'nic: 2, destinationNic: 2'], false),
      [],
    );
    expect(waysOf(run).map((way) => [way[0], way[2]])).toEqual([
      [12, 18],
      [16, 14],
      [16, 18],
    ]);
  });

  it('and what is not pinned goes by its hash, as without', async () => {
    const [mixed, free] = [
      await scenarioRun(list(['', 'plane: 2', '']), []),
      await scenarioRun(list(['', '', '']), []),
    ];
    expect(waysOf(mixed)[0]).toEqual(waysOf(free)[0]);
    expect(free.summary.pins).toBeNull();
  });

  it('all queue pairs of a flow, and all transfers of a trace', async () => {
    const run = await scenarioRun(`${hpn(true)}traffic: { trace: t.csv, plane: 2 }\nqueuePair: { perFlow: 4 }\n`, [], {
      't.csv': '0,0,4,100000\n10,1,5,100000\n20,6,3,100000\n',
    });
    expect(
      waysOf(run)
        .flat()
        .filter((node) => planeOf(node) !== 2),
    ).toEqual([]);
    expect(run.summary.pins).toEqual({ pinned: 12, unpinned: 0 });
  });

  it('unless its plane has failed: then it goes by its hash, and is counted', async () => {
    const run = await scenarioRun(list(['plane: 1', 'plane: 2']), ['failures={ events: [ { at: 0us, plane: 1 } ] }']);
    expect(run.summary.pins).toEqual({ pinned: 1, unpinned: 1 });
    expect(run.summary.finished).toBe(2);
    expect(
      waysOf(run)
        .flat()
        .filter((node) => planeOf(node) !== 2),
    ).toEqual([]);
  });
});

describe('a pin that cannot hold is an error', () => {
  it.each([
    [list(['plane: 3']), 'pin-plane 4:56'],
    [list(['nic: 3']), 'transfer-pin 4:54'],
    [list(['plane: 1, nic: 2']), 'transfer-pin 4:56'],
    [list(['nic: 1, destinationNic: 2']), 'transfer-pin 4:54'],
    [list(['plane: 0']), 'scenario-range 4:56'],
    [list(['plane: 1']).replace('destination: 4', 'destination: 1'), 'transfer-pin 4:56'],
    [`${hpn(true)}traffic: { trace: t.csv, plane: 3 }\n`, 'pin-plane 2:33'],
    [`${hpn(true)}traffic: { trace: t.csv, nic: 4 }\n`, 'trace-pin 1:1,trace-pin 2:1'],
    [`${hpn(true)}traffic: { trace: t.csv, plane: 1 }\n`, 'trace-pin 2:1'],
  ])('%s', async (text, wanted) => {
    const error = await scenarioRun(text, [], { 't.csv': '0,0,4,100000\n10,0,1,100000\n' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(
      (error as InputError).diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ code, line, column }) => `${code} ${line}:${column}`)
        .join(),
    ).toBe(wanted);
  });
});
