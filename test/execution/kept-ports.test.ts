// Transfers over one connection: they share its queue pairs, and with them source port and path, whoever gives the ports
// and whatever happens to links; other transfers have a port each.

import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/app/run-progress.js';
import { simulate } from '../../src/app/simulate.js';
import { RandomStream } from '../../src/base/random.js';
import { OpenConnections } from '../../src/execution/open-connections.js';
import { QueuePairNumbers } from '../../src/execution/queue-pair-shares.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { type FlowRow, flowRows, type HopRow, hopRows } from '../support/engine-run.js';
import { seed } from '../support/seed.js';

interface Run {
  readonly summary: RunSummary;
  readonly flows: readonly FlowRow[];
  readonly hops: readonly HopRow[];
}

const leafSpine = '{ generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }';

/** An allreduce over four hosts of two leaves, twice, by a ring of one channel: every hop crosses the spines. */
async function ringRun(overrides: readonly string[], fabric = leafSpine): Promise<Run> {
  const host = memoryHost({
    's.yaml': `fabric: ${fabric}
collectives: { profile: nccl, algorithm: ring, channels: 1 }
jobs:
  - name: ring
    ranks: '0,4,1,5'
    iterations: 2
    layers: [ { name: sum, forward: { compute: 1us, collective: allreduce, group: dp, size: 2MiB } } ]
`,
  });
  const sink = new MemorySink();
  const plan = await makePlan('s.yaml', { host, overrides });
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return { summary, flows: flowRows(sink), hops: hopRows(sink) };
}

/** The hops with the ends of their flows. */
function queuePairsOf({ flows, hops }: Run): (FlowRow & HopRow)[] {
  return hops.map((hop) => ({ ...flows.find(({ flow }) => flow === hop.flow)!, ...hop }));
}

/** Which source ports the queue pairs between two hosts had. */
function portsByPair(rows: readonly FlowRow[]): Map<string, Set<number>> {
  const ports = new Map<string, Set<number>>();
  for (const { source, destination, sourcePort } of rows) {
    const pair = `${source} to ${destination}`;
    const known = ports.get(pair);
    if (known === undefined) ports.set(pair, new Set([sourcePort]));
    else known.add(sourcePort);
  }
  return ports;
}

/** How many source ports there were between the hosts of each pair. */
function portCounts(rows: readonly FlowRow[]): number[] {
  return Array.from(portsByPair(rows).values(), ({ size }) => size);
}

describe.each(['packet', 'fluid'])('on %s', (name) => {
  const backend = `backend=${name}`;

  it('a connection of NCCL keeps its source port, over all moves and iterations', async () => {
    const { flows } = await ringRun([backend]);
    // 4 hops, 2 (4 - 1) steps, 2 iterations
    expect(flows.length).toBe(48);
    expect(portCounts(flows)).toEqual([1, 1, 1, 1]);
  });

  it('other profiles have a source port for each move', async () => {
    for (const profile of ['document', 'simai']) {
      const { flows } = await ringRun([backend, `collectives.profile=${profile}`]);
      expect(portCounts(flows)).toEqual([12, 12, 12, 12]);
    }
  });

  it('its moves arrive in order, and are no collision with each other', async () => {
    // one spine, and one flow each way: who shares a link is of the same connection
    const { flows, summary } = await ringRun(
      [backend, 'jobs.0.ranks="0,4"'],
      '{ generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }',
    );
    for (const pair of portsByPair(flows).keys()) {
      const ids = flows
        .filter(({ source, destination }) => `${source} to ${destination}` === pair)
        .map(({ flow }) => flow);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
    expect(summary.collisions).toEqual({ links: 0, flowPairs: 0, exact: true });
  });

  it('several queue pairs per flow are the same ones for all of its moves', async () => {
    const run = await ringRun([backend, 'queuePair.perFlow=3']);
    expect(portCounts(queuePairsOf(run))).toEqual([3, 3, 3, 3]);
  });

  it('the controller places connections, not moves', async () => {
    const { flows, summary } = await ringRun([backend, 'controller.enabled=true']);
    expect(portCounts(flows)).toEqual([1, 1, 1, 1]);
    expect(summary.controller).toMatchObject({ policy: 'first-fit', assigned: 4, unassigned: 0 });
    expect(summary.collisions.flowPairs).toBe(0);
  });

  it('it keeps its port when its path fails, and all of its moves take the new one', async () => {
    const alone = await ringRun([backend]);
    const spine = alone.hops.find(({ hop }) => hop === 1)!.node;
    const run = await ringRun([
      backend,
      `failures={ events: [ { switch: ${spine}, at: 100us } ], convergenceTime: 10us }`,
      'queuePair.retransmissionTimeout=100us',
    ]);
    expect(portsByPair(run.flows)).toEqual(portsByPair(alone.flows));
    const spines = run.hops.filter(({ hop }) => hop === 1).map(({ node }) => node);
    expect(spines).toContain(spine);
    expect(spines.slice(-8)).not.toContain(spine);
  });
});

it('both ports of a NIC carry a connection, by one queue pair each', async () => {
  const run = await ringRun(
    ['jobs.0.ranks="0,1,2,3"'],
    '{ generate: alibaba-hpn, dualPlane: true, gpus: 8, gpusPerServer: 1, nvswitchesPerServer: 0, pswSwitches: 2, nicsPerAsw: 8 }',
  );
  expect(portCounts(run.flows)).toEqual([1, 1, 1, 1]);
  const pairs = queuePairsOf(run);
  expect(portCounts(pairs)).toEqual([2, 2, 2, 2]);
  // the two leaves of its planes
  for (const host of [0, 1, 2, 3]) {
    const leaves = pairs.filter(({ source, hop }) => source === host && hop === 0).map(({ node }) => node);
    expect(new Set(leaves).size).toBe(2);
  }
});

describe(`numbers of queue pairs (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'open connections');

  it('are the same for the same connection, and different for others', () => {
    const nodes = 5000;
    const most = 4;
    const open = new OpenConnections(nodes, most);
    const known = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const name = random.nextBelow(3) * 2 ** (14 + 20 * random.nextBelow(2)) + random.nextBelow(8);
      const source = random.nextBelow(40) * 120;
      const destination = random.nextBelow(40) * 113;
      const connection = open.between(name, source, destination);
      const key = `${name} ${source} ${destination}`;
      if (!known.has(key)) {
        expect(connection).toBe(known.size);
        known.set(key, connection);
      } else if (known.get(key) !== connection) expect(connection).toBe(known.get(key));
    }
    expect(known.size).toBeGreaterThan(10_000);
  });

  it('go on from transfer to transfer', () => {
    const open = new OpenConnections(10, 4);
    expect([open.between(7, 1, 2), open.between(7, 2, 1)]).toEqual([0, 1]);
    const take = (parts: number): number[] => {
      const taken = Array.from({ length: parts }, (_, part) => open.queuePair(1, part, 3));
      open.took(1, parts, 3);
      return taken;
    };
    expect([take(1), take(1), take(3), take(2), take(2)]).toEqual([[4], [5], [6, 4, 5], [6, 4], [5, 6]]);
  });

  it('per connection: split over all, or by messages in turn', () => {
    const ends = { mostQueuePairs: 2, queuePairs: (source: number) => (source === 0 ? 2 : 1) };
    const split = new QueuePairNumbers(ends, 1000, { perPort: 4, splits: true, messageBytes: 10_000 });
    const inTurn = new QueuePairNumbers(ends, 1000, { perPort: 4, splits: false, messageBytes: 10_000 });
    for (const numbers of [split, inTurn]) {
      expect(numbers.mostOfConnection).toBe(8);
      expect([numbers.ofConnection(0, 1, false), numbers.ofConnection(1, 0, false)]).toEqual([8, 4]);
      expect([numbers.ofConnection(0, 1, true), numbers.ofFlow(0, 1, false)]).toEqual([4, 2]);
      // what has no connection is as ever
      expect(numbers.taken(100_000, 2, false)).toBe(2);
    }
    expect([split.taken(100_000, 8, true), split.taken(3000, 8, true)]).toEqual([8, 3]);
    // 1, 2, 3 and 10 messages over two ports; and less than a message of one packet
    expect([9000, 20_000, 30_000, 100_000, 10].map((bytes) => inTurn.taken(bytes, 8, true))).toEqual([2, 4, 6, 8, 1]);
    expect([9000, 20_000, 30_000, 100_000].map((bytes) => inTurn.taken(bytes, 4, true))).toEqual([1, 2, 3, 4]);
  });
});
