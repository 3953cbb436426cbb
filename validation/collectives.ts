// Collectives for checks: a schedule over all hosts of a fabric, as work that starts at time 0.

import { CollectiveWork } from '#weft/collectives/collective-work.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { HalvingDoubling } from '#weft/collectives/halving-doubling.js';
import { Ring } from '#weft/collectives/ring.js';
import { ringOrders } from '#weft/collectives/ring-order.js';
import type { Schedule } from '#weft/collectives/schedule.js';
import type { Fabric } from '#weft/fabric/fabric.js';

/** A schedule for all ranks of a communicator. */
export type ScheduleOf = (communicator: Communicator) => Schedule;

/** All hosts of a fabric, in order of their ids. */
function allRanks(fabric: Fabric): Communicator {
  return new Communicator(
    fabric,
    Int32Array.from(fabric.hosts, (_, rank) => rank),
  );
}

/** A collective of all hosts as work. */
export function collective(fabric: Fabric, scheduleOf: ScheduleOf): CollectiveWork {
  const communicator = allRanks(fabric);
  return new CollectiveWork([{ communicator, schedule: scheduleOf(communicator), startPs: 0 }]);
}

/** A ring allreduce in rank order. @param slots of its connections: with one, moves go in turn */
export function ringAllreduce(sizeBytes: number, channels = 1, slots = 1): ScheduleOf {
  return (communicator) =>
    new Ring({
      kind: 'allreduce',
      rings: ringOrders('rank-order', communicator, channels),
      sizeBytes,
      slots,
    });
}

/** An allreduce by halving and doubling. */
export function halvingDoubling(sizeBytes: number): ScheduleOf {
  return ({ rankCount }) => new HalvingDoubling('allreduce', rankCount, sizeBytes);
}
