// Groups of ranks and communicators: the partition that parallelism promises, explicit lists, and what a fabric says of
// a group.

import { describe, expect, it } from 'vitest';
import { Communicator, ranksPerServer } from '../../src/collectives/communicator.js';
import { explicitGroupProblems, parallelGroups, parallelProblems } from '../../src/collectives/parallel-groups.js';
import { networkWay, nicProxy } from '../../src/collectives/proxies.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { communicatorOf, serverFabric } from '../support/placements.js';

function lists(groups: readonly Int32Array[]): number[][] {
  return groups.map((group) => Array.from(group));
}

/** What is wrong with EP groups of four ranks. */
function messages(groups: readonly (readonly number[])[]): string[] {
  return explicitGroupProblems('ep', groups, 4).map(({ message }) => message);
}

describe('groups of parallelism', () => {
  it('are those of the notes on SimAI, section 11, by default', () => {
    // 16 ranks: TP 2, EP 2, DP 8: TP consecutive; DP the same in-TP index; EP over blocks of two TP groups; DP_EP TP
    // groups with stride 2
    const sizes = { tensor: 2, data: 8, pipeline: 1, expert: 2 };
    expect(lists(parallelGroups('tp', sizes))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
      [8, 9],
      [10, 11],
      [12, 13],
      [14, 15],
    ]);
    expect(lists(parallelGroups('dp', sizes))).toEqual([
      [0, 2, 4, 6, 8, 10, 12, 14],
      [1, 3, 5, 7, 9, 11, 13, 15],
    ]);
    expect(lists(parallelGroups('ep', sizes))).toEqual([
      [0, 2],
      [1, 3],
      [4, 6],
      [5, 7],
      [8, 10],
      [9, 11],
      [12, 14],
      [13, 15],
    ]);
    expect(lists(parallelGroups('dp_ep', sizes))).toEqual([
      [0, 4, 8, 12],
      [1, 5, 9, 13],
      [2, 6, 10, 14],
      [3, 7, 11, 15],
    ]);
    expect(lists(parallelGroups('pp', sizes))).toEqual(Array.from({ length: 16 }, (_, rank) => [rank]));
  });

  it('put pipeline stages last by default, so that a stage is a block of ranks, or anywhere else', () => {
    const sizes = { tensor: 2, data: 2, pipeline: 2, expert: 1 };
    expect(lists(parallelGroups('pp', sizes))).toEqual([
      [0, 4],
      [1, 5],
      [2, 6],
      [3, 7],
    ]);
    expect(lists(parallelGroups('pp', sizes, ['tp', 'pp', 'ep', 'dp_ep']))).toEqual([
      [0, 2],
      [1, 3],
      [4, 6],
      [5, 7],
    ]);
    expect(lists(parallelGroups('dp', sizes, ['tp', 'pp', 'ep', 'dp_ep']))).toEqual([
      [0, 4],
      [1, 5],
      [2, 6],
      [3, 7],
    ]);
  });

  it.each([
    [{ tensor: 8, data: 3, pipeline: 1, expert: 1 }, 'TP 8 x DP 3 x PP 1 makes 24 ranks, but there are 16 GPUs'],
    [{ tensor: 2, data: 8, pipeline: 1, expert: 3 }, 'EP 3 does not divide DP 8'],
    [{ tensor: 0, data: 8, pipeline: 1, expert: 1 }, 'TP is 0'],
    [{ tensor: 1.5, data: 8, pipeline: 1, expert: 1 }, 'TP is 1.5'],
  ])('that do not fit are named: %o', (sizes, message) => {
    expect(parallelProblems(sizes, 16).map((problem) => problem.message)).toEqual([message]);
  });

  it('may be given as lists of any sizes, each rank once', () => {
    expect(explicitGroupProblems('ep', [[0, 3, 4], [1], [2, 5]], 6)).toEqual([]);
    expect(
      messages([
        [0, 1],
        [1, 2, 3],
      ]),
    ).toEqual(['rank 1 is in EP group 0 and in group 1']);
    expect(messages([[0, 0, 1, 2, 3]])).toEqual(['rank 0 is in EP group 0 twice']);
    expect(messages([[0, 1], [2]])).toEqual(['1 ranks are in no EP group, the first is 3']);
    expect(messages([[0, 1, 2, 3], []])).toEqual(['EP group 1 has no rank']);
    expect(messages([[0, 1, 2, 3, 4]])).toEqual(['EP group 0 has rank 4']);
  });
});

describe('a communicator', () => {
  it('knows servers, rails, NICs and NVSwitches of its ranks', () => {
    const communicator = communicatorOf({ gpus: 4, servers: 3, nvswitches: 2, nics: [0, 2] }, [8, 1, 2, 11, 3]);
    expect(lists(communicator.servers as Int32Array[])).toEqual([
      [0, 3],
      [1, 2, 4],
    ]);
    expect(Array.from(communicator.serverOf)).toEqual([0, 1, 1, 0, 1]);
    expect(Array.from(communicator.localOf)).toEqual([0, 0, 1, 1, 2]);
    expect(Array.from(communicator.railOf)).toEqual([0, 1, 2, 3, 3]);
    expect(lists(communicator.nicOwners as Int32Array[])).toEqual([[0], [2]]);
    expect(ranksPerServer(communicator)).toEqual({ most: 3, fewest: 2 });
    const { fabric } = communicator;
    expect(Array.from(communicator.nodes.subarray(0, 5))).toEqual([8, 1, 2, 11, 3].map((rank) => fabric.hosts[rank]));
    // two NVSwitches of server 2, then two of server 0; hosts 0 to 11, NVSwitches 12 to 17
    expect(Array.from(communicator.nodes.subarray(5))).toEqual([16, 17, 12, 13]);
    expect([communicator.switchCount, ...lists(communicator.switches as Int32Array[])]).toEqual([4, [5, 6], [7, 8]]);
    for (const node of communicator.nodes.subarray(5)) expect(fabric.nodeKind[node]).toBe(NodeKind.nvswitch);
  });

  it('refuses a rank twice, or one that the fabric has not', () => {
    const fabric = serverFabric({ gpus: 2, servers: 2 });
    expect(() => new Communicator(fabric, Int32Array.of(0, 1, 0))).toThrow('a rank twice');
    expect(() => new Communicator(fabric, Int32Array.of(0, 4))).toThrow('rank 4 of 4 hosts');
  });

  it("knows ways through proxies: by the NIC of the receiver's rail, SimAI's two hops", () => {
    const full = communicatorOf({ gpus: 4, servers: 2 });
    expect(networkWay(full, 1, 5)).toEqual([1, 5]);
    expect(networkWay(full, 0, 5)).toEqual([0, 1, 5]);
    expect(networkWay(full, 0, 3)).toEqual([0, 3]);
    // GPUs 0 and 2 have NICs: 0 and 1 use the first, 2 and 3 the second
    const half = communicatorOf({ gpus: 4, servers: 2, nics: [0, 2] });
    expect([0, 1, 2, 3].map((place) => nicProxy(half, place))).toEqual([0, 0, 2, 2]);
    expect(networkWay(half, 1, 7)).toEqual([1, 2, 6, 7]);
    expect(networkWay(half, 2, 6)).toEqual([2, 6]);
  });
});
