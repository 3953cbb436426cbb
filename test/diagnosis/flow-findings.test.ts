// Findings for flows by hand: a congestion tree of others, a slow host that nobody told of, two causes at once.

import { expect, it } from 'vitest';
import { flowFindings } from '../../src/diagnosis/flow-findings.js';
import { flowProgress } from '../../src/diagnosis/flow-progress.js';
import { lossesOfJobs } from '../../src/diagnosis/lost-by-world.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { rateOf } from '../../src/measurement/usual-rates.js';
import { observedFlows, type HandFlow } from '../support/diagnosis-flows.js';

/** hosts 0 to 3 below leaf 8, 4 to 7 below leaf 9; spines 10 and 11; a byte takes 1 ns */
const fabric = generateFabric('leaf-spine', {
  leaves: 2,
  spines: 2,
  hostsPerLeaf: 4,
  hostRate: '8Gbps',
  spineRate: '8Gbps',
});

function flow(way: readonly number[], startPs: number, tookPs: number, job = 0): HandFlow {
  return { way, startPs, finishPs: startPs + tookPs, sizeBytes: 1000, idealPs: 1e6, job };
}

function findings(list: readonly HandFlow[], only = 0, isLossy?: Uint8Array, isOrdered?: () => boolean) {
  return findingsOn(fabric, list, only, isLossy, isOrdered);
}

function findingsOn(
  fabric: Fabric,
  list: readonly HandFlow[],
  only = 0,
  isLossy?: Uint8Array,
  isOrdered?: () => boolean,
) {
  const flows = observedFlows(fabric, list);
  const jobs = list.reduce((most, { job = 0 }) => Math.max(most, job + 1), 1);
  const rateBps = Float64Array.from({ length: fabric.portCount }, (_, port) => rateOf(fabric, port));
  const found = flowProgress(fabric, flows, jobs, rateBps);
  const losses = lossesOfJobs(fabric, flows, found, () => false).filter(({ job }) => job === only);
  return flowFindings(fabric, flows, found, losses, new Map(), null, isLossy, isOrdered).map(
    ({ cause, links, others, lostPs }) => ({
      cause,
      link: links.map(({ port }) => [fabric.portNode[port], fabric.portNeighbour[port]])[0],
      others,
      lostUs: Math.round(lostPs / 1e6),
    }),
  );
}

it('sees that a flow stands behind an incast of others which it never meets at its end', () => {
  // one of job 0 to host 4 takes 12 us in place of 1. Its links from leaf 8 on are those of three of job 1 to host 7, for
  // a third of that: sharing explains some of its 11 us, and the rest it stood behind them
  const incast = [0, 1, 2].map((host) => flow([host, 8, 10, 9, 7], 0, 4e6, 1));
  const victim = flow([3, 8, 10, 9, 4], 0, 12e6);
  expect(findings([...incast, victim])).toEqual([{ cause: 'other-traffic', link: [10, 9], others: [1], lostUs: 11 }]);
});

it('finds a host that takes a quarter of its rate though nobody says so', () => {
  // in turns, so that nothing is shared: all to host 5 are slow, none of the others
  const slow = [0, 1, 2, 3].map((host, i) => flow([host, 8, 10, 9, 5], 4e6 * i, 4e6));
  const quick = [0, 1, 2].map((host, i) => flow([host + 1, 8, 11, 9, 6], 4e6 * i, 1e6));
  expect(findings([...slow, ...quick])).toEqual([{ cause: 'slow-part', link: [9, 5], others: [], lostUs: 12 }]);
});

it('tells two causes at once, that with the most first', () => {
  // two of the job meet on an uplink beside a free one, and so does one of another job with them
  const list = [flow([0, 8, 10, 9, 4], 0, 3e6), flow([1, 8, 10, 9, 5], 0, 3e6), flow([2, 8, 10, 9, 6], 0, 3e6, 1)];
  // without the other job two thirds of 3 us are left; with other routes one third
  expect(findings(list)).toEqual([
    { cause: 'other-traffic', link: [8, 10], others: [1], lostUs: 1 },
    { cause: 'routes', link: [8, 10], others: [], lostUs: 1 },
  ]);
});

it('counts no NVSwitch among the hosts that have a share', () => {
  // two servers of 8; GPUs 0 to 7 are joined to 8 to 15 by a leaf each, 18 to 25, and to NVSwitch 16. Every GPU sends and
  // receives 2 us, twice 50 kB at 400 Gb/s: nobody has more than his share, though a sum in the NVSwitch has ends there
  const servers = generateFabric('spectrum-x', { gpus: 16 });
  const pair = { startPs: 0, finishPs: 2e6, sizeBytes: 50_000, idealPs: 1e6, job: 0 };
  const pairs = Array.from({ length: 8 }, (_, gpu) => [
    { ...pair, way: [gpu, 18 + gpu, gpu + 8] },
    { ...pair, way: [gpu + 8, 18 + gpu, gpu] },
  ]).flat();
  const sum = { way: [0, 16], startPs: 0, finishPs: 1e3, sizeBytes: 360, idealPs: 1e3, job: 0 };
  expect(findingsOn(servers, [...pairs, ...pairs, sum, { ...sum, way: [8, 17] }])).toEqual([]);
});

it('says nothing where flows are as quick as alone', () => {
  expect(findings([flow([0, 8, 10, 9, 4], 0, 1e6), flow([1, 8, 11, 9, 5], 0, 1e6)])).toEqual([]);
});

/** Three slow ones to a host, and one that has its rate. */
function lossy(to: number): HandFlow[] {
  return [...[0, 2, 3].map((host, i) => flow([host, 8, 10, 9, to], 8e6 * i, 8e6)), flow([1, 8, 10, 9, to], 24e6, 1e6)];
}

it('blames a link that loses packets where flows over it lose, though one of them had its rate', () => {
  // it made its rate at a time: nothing says that it is slow
  expect(findings(lossy(5))).toEqual([]);
  const isLossy = new Uint8Array(fabric.portCount);
  isLossy[fabric.portOffset[9]! + 1] = 1;
  const to = fabric.portNeighbour[fabric.portOffset[9]! + 1]!;
  expect(findings(lossy(to), 0, isLossy)).toEqual([{ cause: 'slow-part', link: [9, to], others: [], lostUs: 21 }]);
});

it('gives what flows lose long after they met to their meeting, however short that was', () => {
  // four pairs; into each receiver comes another message, and for 2 us of 20 two share its link
  const pairs = [
    [0, 8, 1],
    [2, 8, 3],
    [4, 9, 5],
    [6, 9, 7],
  ] as const;
  const list = pairs.map((way) => flow(way, 0, 20e6));
  const met = pairs.map(([, leaf, to], i) => flow([pairs[i ^ 1]![0], leaf, to], 0, 2e6));
  const [first] = findings([...list, ...met]);
  expect(['endpoint', 'pattern']).toContain(first!.cause);
});

it('gives them to the hosts where they met, though their bytes leave nothing to be gained there', () => {
  // each of four sends to each: 20 us, of which three messages need 3 at every host
  const hosts = [0, 1, 2, 3];
  const met = hosts.flatMap((from) => hosts.filter((to) => to !== from).map((to) => flow([from, 8, to], 0, 20e6)));
  expect(findings(met).map(({ cause, lostUs }) => [cause, lostUs])).toEqual([['pattern', 17]]);
});

it('takes messages of collectives in the order that they have', () => {
  const turns = [0, 1, 2, 3].flatMap((to) =>
    [0, 1, 2, 3].filter((from) => from !== to).map((from) => flow([from, 8, to], 3e6 * to, 3e6)),
  );
  expect(findings(turns).map(({ cause }) => cause)).toEqual(['pattern']);
  expect(findings(turns, 0, undefined, () => true)).toEqual([]);
});
