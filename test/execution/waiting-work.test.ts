// Work whose transfers wait for others: the executor tells the source of every one that has finished, starts what it
// hands out at its time, and says so if some never come.

import { describe, expect, it } from 'vitest';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import type { TransferSink, WorkSource } from '../../src/flows/work-source.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { placementOf, serverFabric } from '../support/placements.js';

const us = 1e6;

describe('work that waits', () => {
  const communicator = placementOf(4, 1);
  const ring = (): Ring =>
    new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', communicator, 1), sizeBytes: 400_000 });

  it('starts when what it waits for has finished, its delay and the send latency later', () => {
    const work = new CollectiveWork([
      { communicator, schedule: ring(), startPs: 3 * us, options: { networkDelayPs: 2 * us } },
    ]);
    const run = engineRun(communicator.fabric, work, { sendLatencyPs: 5 * us });
    expect(broken(run)).toEqual([]);
    expect(run.flows.length).toBe(24);
    const finish = new Map(run.flows.map(({ flow, finishPs }) => [flow, finishPs]));
    for (const { flow, startPs } of run.flows) {
      // move 4 k + p follows move 4 (k - 1) + p - 1
      const [step, position] = [Math.floor(flow / 4), flow % 4];
      expect(startPs).toBe((step === 0 ? 3 * us : finish.get(4 * (step - 1) + ((position + 3) % 4))!) + 7 * us);
    }
  });

  it('may start in the very instant in which another finishes', () => {
    const run = engineRun(communicator.fabric, new CollectiveWork([{ communicator, schedule: ring(), startPs: 0 }]));
    expect(broken(run)).toEqual([]);
    const finishes = new Set(run.flows.map(({ finishPs }) => finishPs));
    for (const { flow, startPs } of run.flows) expect(flow < 4 ? startPs === 0 : finishes.has(startPs)).toBe(true);
  });

  it('and work that starts by the clock go on side by side', () => {
    const work = new CollectiveWork([
      { communicator, schedule: ring(), startPs: 0 },
      { communicator, schedule: ring(), startPs: 40 * us },
      { communicator, schedule: ring(), startPs: 20 * us },
    ]);
    const run = engineRun(communicator.fabric, work);
    expect(broken(run)).toEqual([]);
    for (const [number, startPs] of [
      [0, 0],
      [1, 40 * us],
      [2, 20 * us],
    ] as const) {
      const own = run.flows.filter(({ flow }) => Math.floor(flow / 24) === number);
      expect([own.length, Math.min(...own.map((row) => row.startPs))]).toEqual([24, startPs]);
    }
  });

  it('may move the next start that the source knows to an earlier time', () => {
    // transfer 0 at 0; when it has finished, transfer 2 follows 1 us later, before transfer 1, which was the next
    class Moved implements WorkSource {
      readonly total = 3;
      private readonly starts = [
        { id: 0, startPs: 0 },
        { id: 1, startPs: 500 * us },
      ];

      nextStartPs(): number {
        return this.starts[0]?.startPs ?? Infinity;
      }

      expand(nowPs: number, sink: TransferSink): void {
        while (this.nextStartPs() <= nowPs) {
          const { id, startPs } = this.starts.shift()!;
          sink.transfer(id, communicator.nodes[id]!, communicator.nodes[3]!, 10_000, startPs);
        }
      }

      transferFinished(id: number, nowPs: number): void {
        if (id === 0) this.starts.unshift({ id: 2, startPs: nowPs + us });
      }

      refill(): Promise<void> {
        return Promise.resolve();
      }

      close(): Promise<void> {
        return Promise.resolve();
      }
    }
    const run = engineRun(communicator.fabric, new Moved());
    expect(broken(run)).toEqual([]);
    const [first, second, third] = [0, 2, 1].map((id) => run.flows.find(({ flow }) => flow === id)!);
    expect([second!.startPs, third!.startPs]).toEqual([first!.finishPs + us, 500 * us]);
    expect(second!.finishPs).toBeLessThan(500 * us);
  });

  it('that never starts is named, because what it waits for never finished', () => {
    // every packet to and from rank 2 is lost, and its senders give up
    const fabric = serverFabric({ gpus: 1, servers: 4, nvswitches: 0 });
    const lossy = { ...fabric, linkErrorRate: fabric.linkErrorRate.map((_, link) => (link === 2 ? 1 : 0)) };
    const run = engineRun(lossy, new CollectiveWork([{ communicator, schedule: ring(), startPs: 0 }]), {
      settings: settingsWith({ queuePair: { retries: 1 } }),
    });
    expect(run.state).toBe('blocked');
    const finished = run.flows.length;
    const complaint = broken(run).find((line) => line.startsWith('all flows finished'));
    expect(complaint).toContain(
      `${finished} of ${run.executor.started} flows finished, ${24 - run.executor.started} more waited for others`,
    );
    expect(run.executor.started).toBeLessThan(24);
  });
});
