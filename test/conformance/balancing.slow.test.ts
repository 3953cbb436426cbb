// What every balancer must do: every packet arrives, over equal-cost ways only, in both directions, also when routes
// change under way; what it says of its paths is true; the same every time.

import { describe, expect, it } from 'vitest';
import { type Mechanisms, mechanisms } from '../../src/backends/packet/mechanisms.js';
import { HopColumn, hopTable } from '../../src/records/flow-records.js';
import { portsTaken, runWith, type SeamRun } from '../seams/run.js';
import { selectiveRepeat } from '../seams/selective-repeat.js';
import { spray as turns } from '../seams/spray.js';

const balancers: Mechanisms['balancers'] = { ...mechanisms.balancers, turns };

function run(balancing: string, more = '', transfers = ''): Promise<SeamRun> {
  return runWith(
    { balancers, transports: { 'selective-repeat': selectiveRepeat } },
    `
fabric: { generate: fat-tree, k: 4 }
routing: { balancing: ${balancing} }
transport: { algorithm: selective-repeat }
traffic:
  transfers:
${[0, 1, 2, 3, 5, 6].map((host, i) => `    - { source: ${host}, destination: ${15 - i}, size: 400kB }\n`).join('')}${transfers}
${more}`,
  );
}

describe.each(Object.keys(balancers))('%s', (balancing) => {
  it('brings every packet to its destination, and answers back', async () => {
    const { summary, broken } = await run(balancing);
    expect(broken).toEqual([]);
    expect(summary.counters.payloadBytesDelivered).toBe(6 * 400_000);
    expect([summary.counters['packetsLost'], summary.counters['packetsDropped']]).toEqual([0, 0]);
  });

  it('takes shortest ways alone: an edge switch up, an aggregation switch, a core, and down again', async () => {
    const { sink } = await run(balancing);
    const flow = sink.column(hopTable, HopColumn.flow);
    const node = sink.column(hopTable, HopColumn.node);
    // 16 hosts, then switches; a way through another pod than the two ends' would meet switches of a third
    const nodes = new Map<number, Set<number>>();
    flow.forEach((number, i) => nodes.set(number, (nodes.get(number) ?? new Set()).add(node[i]!)));
    for (const visited of nodes.values()) {
      const edges = [...visited].filter((id) => id >= 16 && id < 16 + 8);
      expect(edges).toHaveLength(2);
    }
  });

  it('says of its paths what they are', async () => {
    const { sink } = await run(balancing);
    const firstEdge = 16;
    const taken = portsTaken(sink, 0, firstEdge);
    // of the two ways up; flowlets of one burst stay on theirs
    if (['spray', 'adaptive', 'drill', 'entropy', 'reps', 'turns'].includes(balancing)) expect(taken).toBe(2);
    else if (['ecmp', 'letflow', 'conga'].includes(balancing)) expect(taken).toBe(1);
    else expect([1, 2]).toContain(taken);
  });

  it('lets everything arrive when a core fails and comes back under way', async () => {
    const { summary, broken } = await run(
      balancing,
      'failures: { convergenceTime: 5us, events: [ { at: 20us, until: 60us, switch: "core[0]" } ] }\nqueuePair: { retransmissionTimeout: 100us }',
    );
    expect(broken).toEqual([]);
    expect(summary.counters.payloadBytesDelivered).toBe(6 * 400_000);
  });

  it.each([
    ['the sender', 0],
    ['the receiver', 15],
  ])('waits for a link of %s that fails, also with a flow that starts meanwhile', async (_, host) => {
    const { summary, broken } = await run(
      balancing,
      `failures: { convergenceTime: 5us, events: [ { at: 20us, until: 80us, link: "${host}:1" } ] }\nqueuePair: { retransmissionTimeout: 100us }`,
      '    - { source: 0, destination: 15, size: 100kB, start: 40us }\n',
    );
    expect(broken).toEqual([]);
    expect(summary.counters.payloadBytesDelivered).toBe(6 * 400_000 + 100_000);
  });

  it('does the same every time', async () => {
    const [first, second] = await Promise.all([run(balancing), run(balancing)]);
    expect(second.summary.digest).toBe(first.summary.digest);
  });
});
