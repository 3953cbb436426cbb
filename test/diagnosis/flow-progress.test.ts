// Progress in each world, and what jobs lost by it, for flows whose shares follow by hand. Links have 8 bit/s x 10^9, so
// that a byte takes a nanosecond.

import { expect, it } from 'vitest';
import { flowProgress, lifeIn, worlds } from '../../src/diagnosis/flow-progress.js';
import { lossesOfJobs } from '../../src/diagnosis/lost-by-world.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { rateOf } from '../../src/measurement/usual-rates.js';
import { observedFlows, type HandFlow } from '../support/diagnosis-flows.js';

/** hosts 0 to 3 below leaf 8, 4 to 7 below leaf 9; spines 10 and 11 */
const fabric = generateFabric('leaf-spine', {
  leaves: 2,
  spines: 2,
  hostsPerLeaf: 4,
  hostRate: '8Gbps',
  spineRate: '8Gbps',
});
const sizeBytes = 1000;
const alonePs = 1_000_000;

function flow(way: readonly number[], startPs: number, tookPs: number, job = 0): HandFlow {
  return { way, startPs, finishPs: startPs + tookPs, sizeBytes, idealPs: alonePs, job };
}

function found(
  list: readonly HandFlow[],
  own: Fabric = fabric,
  rates: readonly (readonly [number, number])[] = [],
  waits = false,
) {
  const flows = observedFlows(own, list);
  const jobs = list.reduce((most, { job = 0 }) => Math.max(most, job + 1), 1);
  const rateBps = Float64Array.from({ length: own.portCount }, (_, port) => rateOf(own, port));
  for (const [port, bps] of rates) rateBps[port] = bps;
  const progress = flowProgress(own, flows, jobs, rateBps);
  return { flows, progress, losses: lossesOfJobs(own, flows, progress, () => waits) };
}

const rounded = (list: readonly HandFlow[], of = 0): Record<string, number> => {
  const { progress } = found(list);
  return Object.fromEntries(worlds.map((world) => [world, Number(progress.progress[world][of]!.toFixed(3))]));
};

it('has the fabric that it counts on', () => {
  expect([fabric.hosts.length, fabric.nodeCount]).toEqual([8, 12]);
});

it.each([
  ['alone', [flow([0, 8, 10, 9, 4], 0, alonePs)], { made: 1, shared: 1, whole: 1, own: 1, spread: 1, hosts: 1 }],
  [
    'two on one uplink with the other free: routes',
    [flow([0, 8, 10, 9, 4], 0, 2e6), flow([1, 8, 10, 9, 5], 0, 2e6)],
    { made: 0.5, shared: 0.5, whole: 0.5, own: 0.5, spread: 1, hosts: 1 },
  ],
  [
    'the same of two jobs: the other one',
    [flow([0, 8, 10, 9, 4], 0, 2e6), flow([1, 8, 10, 9, 5], 0, 2e6, 1)],
    { made: 0.5, shared: 0.5, whole: 0.5, own: 1, spread: 1, hosts: 1 },
  ],
  [
    'four on two uplinks: the interior',
    [0, 1, 2, 3].map((host) => flow([host, 8, 10 + (host % 2), 9, 4 + host], 0, 2e6)),
    { made: 0.5, shared: 0.5, whole: 0.5, own: 0.5, spread: 0.5, hosts: 1 },
  ],
  [
    'two to one host: the host',
    [flow([0, 8, 2], 0, 2e6), flow([1, 8, 2], 0, 2e6)],
    { made: 0.5, shared: 0.5, whole: 0.5, own: 0.5, spread: 0.5, hosts: 0.5 },
  ],
  [
    'slow for no reason that is known',
    [flow([0, 8, 10, 9, 4], 0, 4e6)],
    { made: 0.25, shared: 1, whole: 1, own: 1, spread: 1, hosts: 1 },
  ],
] as const)('%s', (_, list, wanted) => {
  expect(rounded(list)).toEqual(wanted);
});

it('takes a message to be as long on its way whoever it meets', () => {
  // 1 us of bytes and 10 us of way: two on one uplink need 2 us for the bytes of both, and the way once
  const [one, other] = [flow([0, 8, 10, 9, 4], 0, 12e6), flow([1, 8, 10, 9, 5], 0, 12e6)];
  const { flows, progress, losses } = found([
    { ...one, idealPs: 11e6 },
    { ...other, idealPs: 11e6 },
  ]);
  const lives = [...worlds, null].map((world) => Math.round(lifeIn(flows, progress, 0, world) / 1e5) / 10);
  expect(lives.slice(0, 4)).toEqual([12, 12, 12, 12]);
  expect(lives.slice(4)).toEqual([11, 11, 11]);
  expect(losses[0]!.lostPs.routes).toBeCloseTo(1e6, -3);
});

it('knows a slow link by the rate that it really has', () => {
  const port = fabric.portOffset[9]!;
  const to = fabric.portNeighbour[port]!;
  const { progress } = found([flow([0, 8, 10, 9, to], 0, 4e6)], fabric, [[port, 2e9]]);
  expect(progress.progress.shared[0]).toBeCloseTo(0.25);
  expect(progress.progress.whole[0]).toBe(1);
  expect(progress.narrowest.shared[0]).toBe(port);
});

it('parts what hosts cost: three at once to one host are an endpoint, in turns they are its order', () => {
  // all to host 3, at once: 3 of 3 us are its bytes; the mean of 4 hosts gets 0.75, below what a flow takes alone
  const incast = [0, 1, 2].map((host) => flow([host, 8, 3], 0, 3e6));
  const [endpoint] = found(incast).losses;
  expect(endpoint!.lostPs.endpoint).toBeCloseTo(2e6, -3);
  expect(endpoint!.lostPs.pattern).toBeCloseTo(0, -3);
  // everybody to host 0, then to 1, to 2, to 3: each gets the same in all, and 9 us become 3
  const turns = [0, 1, 2, 3].flatMap((to) =>
    [0, 1, 2, 3].filter((from) => from !== to).map((from) => flow([from, 8, to], 3e6 * to, 3e6)),
  );
  const [pattern] = found(turns).losses;
  expect(pattern!.busyPs).toBe(12e6);
  expect(pattern!.lostPs.endpoint).toBeCloseTo(0, -3);
  expect(pattern!.lostPs.pattern).toBeGreaterThan(7e6);
  // everybody to everybody at once takes as long as the bytes of a host
  const shuffle = [0, 1, 2, 3].flatMap((to) =>
    [0, 1, 2, 3].filter((from) => from !== to).map((from) => flow([from, 8, to], 0, 3e6)),
  );
  const [none] = found(shuffle).losses;
  expect([none!.lostPs.endpoint, none!.lostPs.pattern]).toEqual([0, 0]);
  expect(none!.leastPs).toBeCloseTo(3e6, -3);
  // two exchange with each other, and later the other two: nobody gets more than his share
  const pairs = [0, 2].flatMap((from) =>
    [0, 1].flatMap((way) => [0, 1].map(() => flow([from + way, 8, from + 1 - way], 8e6 * from, 2e6))),
  );
  const [apart] = found(pairs).losses;
  expect([apart!.lostPs.endpoint, apart!.lostPs.pattern]).toEqual([0, 0]);
});

it('shares what routes and the interior cost together, whichever is taken away first', () => {
  // four on one of two uplinks: 4 us; spread over both 2 us, with enough of them 1 us. Both factors are 2:
  // each saves 2 us first and 1 us last
  const [loss] = found([4, 5, 6, 7].map((to) => flow([to - 4, 8, 10, 9, to], 0, 4e6))).losses;
  expect(loss!.lostPs.routes).toBeCloseTo(1.5e6, -3);
  expect(loss!.lostPs.interior).toBeCloseTo(1.5e6, -3);
});

it('takes hosts that are asked for more in turn for an order, though each turn is a burst of its own', () => {
  const turns = [0, 1, 2, 3].flatMap((to) =>
    [0, 1, 2, 3].filter((from) => from !== to).map((from) => flow([from, 8, to], 10e6 * to, 3e6)),
  );
  const [loss] = found(turns).losses;
  expect(loss!.lostPs.endpoint).toBeCloseTo(0, -3);
  // each turn could take no less than a message alone: 2 of 3 us
  expect(loss!.lostPs.pattern).toBeCloseTo(8e6, -3);
});

/** A message of a size, which needs 0.9 us beside its bytes. */
function sized(own: HandFlow, bytes: number): HandFlow {
  return { ...own, sizeBytes: bytes, idealPs: 9e5 + 1000 * bytes };
}

it('finds no loss by order where a host sends at its rate whenever it has flows, and has none mostly', () => {
  // eight share the link out of host 0, which their bytes fill for 8 us; ten small ones come one by one between two others
  const meeting = Array.from({ length: 8 }, () => sized(flow([0, 8, 10, 9, 6], 0, 8.9e6), 1000));
  const row = Array.from({ length: 10 }, (_, i) => sized(flow([4, 9, 5], 1.85e6 * i, 1e6), 100));
  const [loss] = found([...meeting, ...row]).losses;
  expect(loss!.busyPs).toBe(17.65e6);
  expect(loss!.lostPs.pattern).toBeCloseTo(0, -3);
});

it.each([
  // host 0 loses 3 us, host 1 as much, and none of the two loses more
  ['messages that begin at times of their own lose what the host loses that loses most', false, 3e6],
  ['ranks that wait for each other hand on what they lose', true, 6e6],
])('%s', (_, waits, lostPs) => {
  // 4 us in place of 1 from host 0 to 4, which computes for 0.2 us and sends to 1 in 1 us; that to 5 in 4 us in place of 1
  const chain = [
    flow([0, 8, 10, 9, 4], 0, 4e6),
    flow([4, 9, 10, 8, 1], 4.2e6, 1e6),
    flow([1, 8, 10, 9, 5], 5.2e6, 4e6),
  ];
  const [loss] = found(chain, fabric, [], waits).losses;
  expect(loss!.busyPs).toBe(9.2e6);
  expect(loss!.lostPs.unexplained).toBeCloseTo(lostPs, -3);
});
