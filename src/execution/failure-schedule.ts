// Failures and repairs while a run goes on: links change at their times, and routing learns of it a convergence time
// later.
// Invariants: routing knows each change exactly `convergencePs` after it happened, in order, so a flap shorter than
// that is still seen, late; what happens at time 0 is known from the start; routes are made anew only if a link came or
// went.
// Not modelled: convergence that differs from switch to switch (micro-loops), routing messages.

import { LinkChangeKind, type LinkChanges, LinkStates } from '../fabric/link-states.js';
import { PathTracer } from '../routing/path.js';
import { cutOffText } from './cut-off.js';
import type { Network } from './network.js';

/** The failures of a plan. */
export interface Failures {
  readonly changes: LinkChanges;
  /** time from a change of a link until all switches and NICs forward by it, in picoseconds */
  readonly convergencePs: number;
}

/** Room for the paths of a fabric with failures: detours are longer, and routes beyond it are not taken. */
export function mostLinksWithFailures(longestPath: number): number {
  return Math.min(254, 2 * longestPath + 4);
}

export class FailureSchedule {
  /** changes of links that have happened, and how often routes were made anew */
  happened = 0;
  reroutes = 0;
  /** the routes of the fabric as built: what ideal completion times stand for */
  readonly intact: PathTracer;
  private learned = 0;
  private readonly known: LinkStates;

  /**
   * @param states shared with the network, which is told of every change
   * @param tracer is given the new routes
   */
  constructor(
    private readonly failures: Failures,
    private readonly states: LinkStates,
    private readonly tracer: PathTracer,
    private readonly network: Pick<Network, 'linkChanged' | 'routesChanged'>,
  ) {
    this.intact = new PathTracer(tracer.routes, tracer.maxLength);
    this.known = new LinkStates(states.fabric);
    const { changes } = failures;
    let atStart = 0;
    while (atStart < changes.count && changes.timePs[atStart] === 0) atStart++;
    this.happenUntil(atStart, 0);
    this.learnUntil(atStart);
  }

  /** When something happens or becomes known next, in picoseconds; Infinity: nothing any more. */
  get nextPs(): number {
    const { changes, convergencePs } = this.failures;
    const happens = this.happened < changes.count ? changes.timePs[this.happened]! : Infinity;
    const known = this.learned < changes.count ? changes.timePs[this.learned]! + convergencePs : Infinity;
    return Math.min(happens, known);
  }

  /** True if a link may yet come back or change. */
  get isPending(): boolean {
    return this.nextPs !== Infinity;
  }

  /** What flows that cannot end miss (cut-off.ts). @param pairs their sources and destinations */
  cutOff(pairs: readonly (readonly [number, number])[]): string {
    return cutOffText(this.states.fabric, this.states.isUp, pairs);
  }

  /** Lets everything happen that is due. */
  due(nowPs: number): void {
    const { changes, convergencePs } = this.failures;
    let happened = this.happened;
    while (happened < changes.count && changes.timePs[happened]! <= nowPs) happened++;
    this.happenUntil(happened, nowPs);
    let learned = this.learned;
    while (learned < changes.count && changes.timePs[learned]! + convergencePs <= nowPs) learned++;
    this.learnUntil(learned);
  }

  private happenUntil(end: number, nowPs: number): void {
    const { changes } = this.failures;
    for (; this.happened < end; this.happened++) {
      const isRelevant =
        this.states.apply(changes, this.happened, nowPs) || changes.kind[this.happened]! >= LinkChangeKind.rate;
      if (isRelevant) this.network.linkChanged(changes.link[this.happened]!);
    }
  }

  private learnUntil(end: number): void {
    const { changes } = this.failures;
    let isOther = false;
    for (; this.learned < end; this.learned++) {
      if (this.known.apply(changes, this.learned, changes.timePs[this.learned]!)) isOther = true;
    }
    if (!isOther) return;
    const { tracer } = this;
    this.reroutes++;
    tracer.use(tracer.routes.knowing({ isUp: this.known.isUp, mostLinks: tracer.maxLength }));
    this.network.routesChanged();
  }
}
