// The graph of flows of every algorithm and profile is its schedule.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { algorithmsFor, scheduleProblem } from '../../src/collectives/build-schedule.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { emptyMove, type CollectiveKind } from '../../src/collectives/schedule.js';
import { selectionProfiles } from '../../src/collectives/selection.js';
import type { Wish } from '../../src/collectives/choice.js';
import { type FlowRecord } from '../../src/formats/single-flows.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';
import { type Made, made } from '../support/made-flow-graph.js';

const kinds: readonly CollectiveKind[] = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast', 'reduce'];

/** What is wrong with a graph beside its schedule, in words. */
function problemsOf({ flows, schedule }: Made, communicator: Communicator): string[] {
  const problems: string[] = [];
  const { nodes } = communicator;
  const move = emptyMove();
  const edges = (of: (flow: FlowRecord) => readonly number[], isForward: boolean): string[] =>
    flows
      .flatMap((flow) => of(flow).map((other) => (isForward ? `${flow.flow_id}>${other}` : `${other}>${flow.flow_id}`)))
      .sort();
  if (edges(({ child_flow_id }) => child_flow_id, true).join() !== edges(({ prev }) => prev, false).join())
    problems.push('children and prev differ');
  const released = flows.map(({ prev, parallel_deps }) => prev.length + parallel_deps.length);
  flows.forEach((flow, number) => {
    schedule.describe(number, move);
    if (flow.flow_id !== number) problems.push(`flow ${flow.flow_id} stands at ${number}`);
    if (released[number] !== schedule.prerequisites(number))
      problems.push(`flow ${number} waits for ${released[number]}, its move for ${schedule.prerequisites(number)}`);
    if (flow.src !== nodes[move.source] || flow.dest !== nodes[move.destination] || flow.flow_size !== move.sizeBytes)
      problems.push(`flow ${number} is another than its move`);
    if (flow.chunk_id < 0 || flow.chunk_id >= flow.chunk_count) problems.push(`flow ${number} has no such chunk`);
    for (const earlier of flow.prev)
      if (flows[earlier]!.dest !== flow.src) problems.push(`${earlier} brings nothing to ${number}`);
    for (const earlier of flow.parallel_deps)
      if (flows[earlier]!.src !== flow.src && flows[earlier]!.dest !== flow.dest)
        problems.push(`${number} has no turn after ${earlier}`);
  });
  // an order: what nothing waits for first
  const waiting = [...released];
  const behind = flows.map((): number[] => []);
  for (const { flow_id, prev, parallel_deps } of flows)
    for (const earlier of [...prev, ...parallel_deps]) behind[earlier]!.push(flow_id);
  const order = waiting.flatMap((count, flow) => (count === 0 ? [flow] : []));
  for (const flow of order) for (const later of behind[flow]!) if (--waiting[later]! === 0) order.push(later);
  if (order.length !== flows.length) problems.push('a cycle');
  return problems;
}

describe('a graph of flows', () => {
  it(`is its schedule, for every algorithm and profile (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'flow graphs');
    let graphs = 0;
    for (const profile of selectionProfiles) {
      for (const kind of kinds) {
        for (const algorithm of algorithmsFor(kind)) {
          for (const gpus of [1, 2, 4]) {
            const ranks = 2 + random.nextBelow(9);
            const communicator = placementOf(ranks, gpus, random.nextBelow(2) === 0 && gpus > 1 ? { nics: [0] } : {});
            if (scheduleProblem(algorithm, kind, communicator) !== null) continue;
            const sizeBytes = [0, 1, 3, ranks * 4096, 100_003, 2 ** 20 + 1][random.nextBelow(6)]!;
            const options = { wish: { algorithm, protocol: 'auto' } as Wish, channels: random.nextBelow(4), pxn: true };
            const graph = made(communicator, profile, { kind, sizeBytes }, options);
            expect(problemsOf(graph, communicator), `${profile} ${kind} ${algorithm} ${ranks} by ${gpus}`).toEqual([]);
            graphs++;
          }
        }
      }
    }
    expect(graphs).toBeGreaterThan(150);
  });
});
