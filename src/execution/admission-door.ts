// The door through which an admission policy lets queue pairs in that it held back, and moves those under way. It is
// made before the policy, and the executor, which is made after both, opens it.
// Invariants: a queue pair enters at most once, and only if it was held back; only what has its source port and has not
// finished is moved, the ones of a flow that were asked for before the one that is asked for now among them.

import { fail } from '../base/fail.js';
import type { AdmissionDoor } from './admission.js';
import { type Frontier, Stage } from './frontier.js';

/** What stands behind the door: the executor. */
export interface DoorKeeper {
  readonly nowPs: number;
  /** The queue pair in a slot has its source port and may start. */
  entered(slot: number): void;
  /** The queue pair in a slot, which has entered, has another source port. */
  moved(slot: number): void;
  /** A policy wants to be called. */
  wakePolicyAt(timePs: number, token: number): void;
}

export class FrontDoor implements AdmissionDoor {
  private keeper: DoorKeeper | null = null;

  constructor(private readonly frontier: Frontier) {}

  /** The executor is there. @param keeper who is called from now on */
  open(keeper: DoorKeeper): void {
    this.keeper = keeper;
  }

  get nowPs(): number {
    return this.behind.nowPs;
  }

  enter(slot: number, sourcePort: number): void {
    const { frontier } = this;
    if (frontier.isLive[slot] !== 1 || frontier.stage[slot] !== Stage.held)
      fail(`admission lets slot ${slot} in, which it does not hold back`);
    frontier.sourcePort[slot] = checkedPort(sourcePort);
    this.behind.entered(slot);
  }

  move(slot: number, sourcePort: number): void {
    const { frontier } = this;
    const stage = frontier.stage[slot];
    const mayMove = stage === Stage.answered || stage === Stage.admitted || stage === Stage.underWay;
    if (frontier.isLive[slot] !== 1 || !mayMove) fail(`admission moves slot ${slot}, which is not under way`);
    frontier.sourcePort[slot] = checkedPort(sourcePort);
    this.behind.moved(slot);
  }

  wakeAt(timePs: number, token: number): void {
    if (!Number.isInteger(timePs)) fail(`admission wants to be called at ${timePs} ps, which is no whole number`);
    this.behind.wakePolicyAt(timePs, token);
  }

  private get behind(): DoorKeeper {
    return this.keeper ?? fail('an admission policy uses its door before the run has begun');
  }
}

/** A source port that a policy gave. @throws InvariantError if it is none */
export function checkedPort(sourcePort: number): number {
  return Number.isInteger(sourcePort) && sourcePort >= 0 && sourcePort <= 0xffff
    ? sourcePort
    : fail(`admission gives source port ${sourcePort}, which is not a whole number from 0 to 65535`);
}
