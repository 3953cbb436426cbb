// Where the time of each rank goes: computation, waiting by kind of communication, bubble. Sums in columns, by actor (a
// rank that is carried out); of the actors that reports are about also when communication was under way, and what each
// pass of each layer took.
// Invariant: computation, exposed communication and bubble of an actor add up to the time that it has carried out.

import { communicationKinds, type CommunicationKind } from './job-report.js';

const kindCount = communicationKinds.length;

/** Number of a kind in columns and tables. */
export function kindIndex(kind: CommunicationKind): number {
  return communicationKinds.indexOf(kind);
}

/** What the passes of layers took on one actor; by 3 x layer + pass. */
export interface LayerSums {
  readonly computePs: Float64Array;
  readonly exposedPs: Float64Array;
  readonly communicationPs: Float64Array;
  readonly times: Float64Array;
  /** by layer */
  readonly finishedPs: Float64Array;
}

export class RankAccounts {
  readonly computePs: Float64Array;
  readonly bubblePs: Float64Array;
  readonly skewPs: Float64Array;
  private readonly exposed: Float64Array;
  /** by actor and kind: how many are under way, since when, and the time before */
  private readonly active: Int32Array;
  private readonly sincePs: Float64Array;
  private readonly underWayPs: Float64Array;

  constructor(actors: number) {
    this.computePs = new Float64Array(actors);
    this.bubblePs = new Float64Array(actors);
    this.skewPs = new Float64Array(actors);
    this.exposed = new Float64Array(actors * kindCount);
    this.active = new Int32Array(actors * kindCount);
    this.sincePs = new Float64Array(actors * kindCount);
    this.underWayPs = new Float64Array(actors * kindCount);
  }

  /** An actor computed; less than nothing: it did not get to. */
  addCompute(actor: number, timePs: number): void {
    this.computePs[actor]! += timePs;
  }

  /** An actor had nothing to do until another stage sent. */
  addBubble(actor: number, timePs: number): void {
    this.bubblePs[actor]! += timePs;
  }

  /** So much of what an actor waited was for ranks that came late. */
  addSkew(actor: number, timePs: number): void {
    this.skewPs[actor]! += timePs;
  }

  /** An actor waited. */
  addExposed(actor: number, kind: number, waitPs: number): void {
    this.exposed[actor * kindCount + kind]! += waitPs;
  }

  /** A collective, send or receive of an actor has begun. */
  began(actor: number, kind: number, nowPs: number): void {
    const at = actor * kindCount + kind;
    if (this.active[at]!++ === 0) this.sincePs[at] = nowPs;
  }

  ended(actor: number, kind: number, nowPs: number): void {
    const at = actor * kindCount + kind;
    if (--this.active[at]! === 0) this.underWayPs[at]! += nowPs - this.sincePs[at]!;
  }

  /** Books what is under way up to a time, where a run ends before the job does. */
  cutAt(nowPs: number): void {
    this.active.forEach((active, at) => {
      if (active === 0) return;
      this.underWayPs[at]! += nowPs - this.sincePs[at]!;
      this.sincePs[at] = nowPs;
    });
  }

  exposedPs(actor: number): Record<CommunicationKind, number> {
    return byKind((kind) => this.exposed[actor * kindCount + kind]!);
  }

  communicationPs(actor: number): Record<CommunicationKind, number> {
    return byKind((kind) => this.underWayPs[actor * kindCount + kind]!);
  }
}

/** Empty sums for a number of layers. */
export function layerSums(layers: number): LayerSums {
  const column = (): Float64Array => new Float64Array(3 * layers);
  return {
    computePs: column(),
    exposedPs: column(),
    communicationPs: column(),
    times: column(),
    finishedPs: new Float64Array(layers),
  };
}

function byKind(value: (kind: number) => number): Record<CommunicationKind, number> {
  return Object.fromEntries(communicationKinds.map((kind, i) => [kind, value(i)])) as Record<CommunicationKind, number>;
}
