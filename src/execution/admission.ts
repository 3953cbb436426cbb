// How a flow gets its source port before it enters the network.

import type { Fabric } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { Frontier } from './frontier.js';

/** What `admit` returns for a queue pair that has to wait. */
export const heldBack = -1;

/**
 * Gives each queue pair its source port, which decides its path: at once, or later through the door; may move it to
 * another one while it is under way, and hold something for it until it is released.
 */
export interface Admission {
  /** True if it ever calls the door's `move`: paths may change, and the network must be able to. Left out: false. */
  readonly movesFlows?: boolean;
  /**
   * A queue pair wants to start.
   * @param slot of the frontier; all of its columns but the source port are set. Slots with the same
   * `frontier.queuePair`, if it is not -1, are transfers over one queue pair, which has one source port on real hosts:
   * Weft's own policies keep it (kept-ports.ts), others are asked for each transfer
   * @param nowPs when its transfer starts; may lie ahead of the door's nowPs
   * @returns its source port, or heldBack: then the policy lets it in later, once, with the door's `enter`. A queue
   * pair that is never let in leaves the run blocked, also when the policy goes on having itself called (idle-wakes.ts)
   */
  admit(slot: number, nowPs: number): number;
  /**
   * A queue pair that is kept open sends again after all transfers over it had ended. Left out: by the same port. Of
   * Weft's own policies alone.
   * @param port the source port that it has had
   * @returns the one that it has from now on
   */
  readmit?(slot: number, nowPs: number, port: number): number;
  /** The queue pair has finished. Others may be let in or moved. */
  release(slot: number, nowPs: number): void;
  /** Links or routes have just changed, and what is under way has taken the new routes. Left out: of no interest. */
  linksChanged?(nowPs: number): void;
  /** A time asked for with the door's `wakeAt` has come. Needed by who asks. */
  due?(token: number, nowPs: number): void;
}

/**
 * What a policy may do beside answering, from within any of its methods; of the one it is asked for it only answers.
 */
export interface AdmissionDoor {
  readonly nowPs: number;
  /**
   * Lets a queue pair in that was held back: it starts now, or at its transfer's start if that lies ahead; those of one
   * instant start in the order of the calls.
   */
  enter(slot: number, sourcePort: number): void;
  /** Gives another source port to a queue pair that was let in and has not finished. Needs movesFlows. */
  move(slot: number, sourcePort: number): void;
  /** Calls `due` with the token at a time not before now, in picoseconds. */
  wakeAt(timePs: number, token: number): void;
}

/** What a policy is made from. */
export interface AdmissionParts {
  readonly frontier: Frontier;
  /** the routes in force */
  readonly tracer: PathTracer;
  readonly fabric: Fabric;
  readonly door: AdmissionDoor;
}

export type MakeAdmission = (parts: AdmissionParts) => Admission;

export const firstSourcePort = 10_000;
export const destinationPort = 100;

/**
 * A counter per ordered pair of hosts from 10,000 on, in 16 bits: SimAI's rule. The pairs stand in a hash table with
 * linear probing in two columns: millions of transfers ask it.
 */
export class CountedPorts implements Admission {
  private pairs = new Float64Array(256).fill(noPair);
  private used = new Uint16Array(256);
  private count = 0;

  constructor(
    private readonly frontier: Frontier,
    private readonly nodeCount: number,
  ) {}

  admit(slot: number): number {
    const source = this.frontier.source[slot]!;
    const destination = this.frontier.destination[slot]!;
    const at = this.placeOf(source * this.nodeCount + destination, source, destination);
    const used = this.used[at]!;
    this.used[at] = used + 1;
    return (firstSourcePort + used) & 0xffff;
  }

  release(): void {}

  private placeOf(pair: number, source: number, destination: number): number {
    const { pairs } = this;
    const mask = pairs.length - 1;
    let at = home(source, destination) & mask;
    for (; pairs[at] !== pair; at = (at + 1) & mask) {
      if (pairs[at] !== noPair) continue;
      if (2 * ++this.count > mask) {
        this.grow();
        return this.placeOf(pair, source, destination);
      }
      pairs[at] = pair;
      break;
    }
    return at;
  }

  private grow(): void {
    const { pairs, used } = this;
    const mask = 2 * pairs.length - 1;
    this.pairs = new Float64Array(mask + 1).fill(noPair);
    this.used = new Uint16Array(mask + 1);
    pairs.forEach((pair, i) => {
      if (pair === noPair) return;
      const source = Math.floor(pair / this.nodeCount);
      let at = home(source, pair - source * this.nodeCount) & mask;
      while (this.pairs[at] !== noPair) at = (at + 1) & mask;
      this.pairs[at] = pair;
      this.used[at] = used[i]!;
    });
    this.count--;
  }
}

const noPair = -1;

function home(source: number, destination: number): number {
  const mixed = Math.imul(Math.imul(source, 0x9e3779b1) ^ destination, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
