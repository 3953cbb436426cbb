// What a job remembers is kept once: whether an actor is done follows from its state, and the numbers of transfers are
// given back by whoever gave them out.

import { describe, expect, it } from 'vitest';
import { Actors, State } from '../../src/jobs/actors.js';
import type { Job } from '../../src/jobs/job.js';
import type { TransferOwner } from '../../src/jobs/job-parts.js';
import { Message, Messages } from '../../src/jobs/messages.js';
import { TransferOwners } from '../../src/jobs/transfer-owners.js';
import type { TransferSink } from '../../src/flows/work-source.js';

describe('actors', () => {
  // four ranks, two stages of the pipeline; rank 2 computes at half the speed
  const job = { ranks: Int32Array.of(8, 9, 10, 11), startPs: 100, computeSpeed: Float64Array.of(1, 1, 0.5, 1) };
  const stages = { ofStage: [Int32Array.of(0, 1), Int32Array.of(2, 3)], stageOf: Int32Array.of(0, 0, 1, 1) };
  const actorsOf = (firstsAlone: boolean): Actors => new Actors(job as Partial<Job> as Job, stages, firstsAlone);

  it('are all ranks, or the first of every stage at the speed of its slowest', () => {
    const all = actorsOf(false);
    const firsts = actorsOf(true);
    expect([[...all.ranks], [...all.stageOf], [...all.firstOfStage]]).toEqual([
      [0, 1, 2, 3],
      [0, 0, 1, 1],
      [0, 2],
    ]);
    expect([[...firsts.ranks], [...firsts.firstOfStage]]).toEqual([
      [0, 2],
      [0, 1],
    ]);
    expect([0, 1, 2, 3].map((rank) => firsts.ofRank(rank))).toEqual([0, -1, 1, -1]);
    expect([all.among(Int32Array.of(1, 2, 3)), firsts.among(Int32Array.of(1, 2, 3))]).toEqual([3, 1]);
    expect([all.takesPs(2, 7), all.takesPs(3, 7), firsts.takesPs(0, 7), firsts.takesPs(1, 7)]).toEqual([14, 7, 7, 14]);
  });

  it('are done when their state says so, at the time that their clock then shows', () => {
    const actors = actorsOf(true);
    expect([actors.compute(0, 30), actors.clockPs(0), actors.clockPs(1)]).toEqual([100, 130, 100]);
    actors.wait(0, State.message);
    expect([actors.state(0), actors.waitSincePs(0), actors.endPs(0)]).toEqual([State.message, 130, -1]);
    expect([actors.endWait(0, 170), actors.state(0), actors.clockPs(0)]).toEqual([130, State.busy, 170]);
    actors.end(0);
    expect([actors.endPs(0), actors.endPs(1), actors.areDone]).toEqual([170, -1, false]);
    actors.end(1);
    expect([actors.endPs(1), actors.areDone]).toEqual([100, true]);
  });

  it('are cut where their run ends: computation goes no further, a wait is counted from there, an end stays', () => {
    const actors = actorsOf(false);
    actors.compute(0, 50);
    actors.wait(1, State.layer);
    actors.compute(2, 5);
    actors.end(2);
    for (let actor = 0; actor < 4; actor++) actors.cutAt(actor, 120);
    expect([0, 1, 2, 3].map((actor) => actors.clockPs(actor))).toEqual([120, 120, 105, 100]);
    expect([actors.waitSincePs(1), actors.state(1), actors.endPs(2)]).toEqual([120, State.layer, 105]);
  });
});

it('messages give back the number of a transfer when it has arrived, before they tell of it', () => {
  const owners = new TransferOwners<TransferOwner>(40);
  const told: [Message, number][] = [];
  const messages = new Messages(0, 3, owners, (message, nowPs) => {
    expect(() => owners.of(40)).toThrow(/belongs to nothing/);
    messages.arrived(message);
    told.push([message, nowPs]);
  });
  const message = new Message(0, 1, 2, 10);
  messages.add(message);
  expect([messages.transferOf(message, 0), messages.count, messages.take(1, 2)]).toEqual([40, 1, null]);
  expect(messages.first(1, 2)).toBe(message);
  const sink: TransferSink = { transfer: () => expect.unreachable() };
  owners.of(40).finished(40, 25, sink);
  expect(told).toEqual([[message, 25]]);
  expect(messages.take(1, 2)).toBe(message);
  expect(messages.count).toBe(0);
});
