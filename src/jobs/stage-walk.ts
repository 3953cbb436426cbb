// One rank of a pipeline stage on its way through the parts of its program, by closed forms: what it computes, waits
// for, and when it is where. What job-run.ts does with events, this does part by part, so that parts that repeat are
// walked once.
// Invariants: the clock never goes back; computation, exposed communication and bubble add up to it. A part that finds
// nothing under way and leaves nothing under way takes the same whenever it comes.
// Not modelled: stragglers, groups that several walks share (a stage has one walk).

import { communicationKindOf } from './job-groups.js';
import { communicationKinds } from './job-report.js';
import { slowedShare } from './overlap-slowdown.js';
import { kindIndex } from './rank-accounts.js';
import { Operation, type Program, type ProgramPart } from './program.js';
import { groupNames } from '../workload/policies.js';

/** A part with what its collectives take. */
export interface TimedPart {
  readonly program: Program;
  readonly gap: number;
  /** by operation */
  readonly takesPs: Float64Array;
  readonly first: { readonly program: Program; readonly takesPs: Float64Array } | null;
}

/** Adds to a part what each of its collectives takes. @param costPs of an operation that starts one */
export function timedPart(
  { program, first, gap }: ProgramPart,
  costPs: (program: Program, at: number) => number,
): TimedPart {
  const takesPs = (of: Program): Float64Array => {
    const takes = new Float64Array(of.length);
    for (let at = 0; at < of.length; at++)
      if (of.kind[at] === Operation.collective || of.kind[at] === Operation.start) takes[at] = costPs(of, at);
    return takes;
  };
  const timed = (of: Program): { readonly program: Program; readonly takesPs: Float64Array } => ({
    program: of,
    takesPs: takesPs(of),
  });
  return { ...timed(program), gap, first: first === null ? null : timed(first) };
}

/** by number of a group name: the kind that it counts as */
const kindOfGroup = Uint8Array.from(groupNames, (name) => kindIndex(communicationKindOf[name]));
const pipelineKind = kindIndex('PP');

/** What a part took that found nothing under way and left nothing. */
interface PlainPass {
  readonly timePs: number;
  readonly computePs: number;
  readonly exposedPs: Float64Array;
}

export class StageWalk {
  clockPs = 0;
  computePs = 0;
  bubblePs = 0;
  /** by number of a kind of communication */
  readonly exposedPs = new Float64Array(communicationKinds.length);
  private readonly share: number;
  /** by number of a group name: until when its collectives take it */
  private readonly busyUntilPs = new Float64Array(groupNames.length);
  /** collectives under way that nobody waits for yet, in the order of their ends from `head` on */
  private readonly endPs: number[] = [];
  private readonly layer: number[] = [];
  private readonly kind: number[] = [];
  private head = 0;
  private sincePs = 0;
  private computedPs = 0;
  private owedPs = 0;

  /**
   * @param slowdown how much longer computation takes beside collectives
   * @param known what parts took before, on this walk or another one of the same stage
   */
  constructor(
    slowdown: number,
    private readonly known: Map<TimedPart, PlainPass>,
  ) {
    this.share = slowedShare(slowdown);
  }

  /** Waits for a message. @param sentPs when it was sent @param arrivedPs when it is there */
  receive(sentPs: number, arrivedPs: number): void {
    const { clockPs } = this;
    if (arrivedPs <= clockPs) return;
    const idlePs = Math.max(0, sentPs - clockPs);
    this.bubblePs += idlePs;
    this.exposedPs[pipelineKind]! += arrivedPs - clockPs - idlePs;
    this.settle(arrivedPs);
    this.clockPs = arrivedPs;
  }

  /** Carries out a part. @param next the first prefetched collective of later parts, which may start in this one */
  take(part: TimedPart, next: TimedPart['first']): void {
    const isPlain = (part.gap < 0 || next === null) && this.isIdle;
    const known = isPlain ? this.known.get(part) : undefined;
    if (known !== undefined) {
      this.clockPs += known.timePs;
      this.computePs += known.computePs;
      known.exposedPs.forEach((exposedPs, kind) => (this.exposedPs[kind]! += exposedPs));
      return;
    }
    const [clockPs, computePs, exposed] = [this.clockPs, this.computePs, this.exposedPs.slice()];
    const { program } = part;
    for (let at = 0; at < program.length; at++)
      if (at !== part.gap) this.carryOut(program, at, part.takesPs[at]!);
      else if (next !== null) this.carryOut(next.program, 0, next.takesPs[0]!);
    if (!isPlain || !this.isIdle) return;
    const exposedPs = this.exposedPs.map((all, kind) => all - exposed[kind]!);
    this.known.set(part, { timePs: this.clockPs - clockPs, computePs: this.computePs - computePs, exposedPs });
  }

  /** Nothing is under way or owed. */
  private get isIdle(): boolean {
    return (
      this.head === this.endPs.length &&
      this.owedPs === 0 &&
      this.busyUntilPs.every((untilPs) => untilPs <= this.clockPs)
    );
  }

  private carryOut(program: Program, at: number, takesPs: number): void {
    // what ends while several computations follow each other is made up for behind them
    if (program.kind[at] !== Operation.compute) this.settle(this.clockPs);
    switch (program.kind[at]) {
      case Operation.compute:
        this.compute(program.durationPs[at]!);
        break;
      case Operation.collective: {
        const group = program.group[at]!;
        this.wait(this.begin(group, takesPs), kindOfGroup[group]!);
        break;
      }
      case Operation.start: {
        const group = program.group[at]!;
        this.open(this.begin(group, takesPs), program.layer[at]!, kindOfGroup[group]!);
        break;
      }
      case Operation.finish:
        if (program.skipsFirst[at] === 1) break;
        this.finish(program.layer[at]!);
        this.compute(program.durationPs[at]!);
        break;
      default:
        // messages are the pipeline's
        break;
    }
  }

  private compute(durationPs: number): void {
    if (durationPs === 0) return;
    const takesPs = Math.round(durationPs) + this.owedPs;
    this.owedPs = 0;
    this.clockPs += takesPs;
    this.computePs += takesPs;
  }

  /** When a collective that begins now ends: those of a group come one after the other. */
  private begin(group: number, takesPs: number): number {
    const endPs = Math.max(this.clockPs, this.busyUntilPs[group]!) + takesPs;
    this.busyUntilPs[group] = endPs;
    return endPs;
  }

  private open(endPs: number, layer: number, kind: number): void {
    if (this.head === this.endPs.length) {
      this.endPs.length = this.layer.length = this.kind.length = this.head = 0;
      this.sincePs = this.clockPs;
      this.computedPs = this.computePs;
    }
    let at = this.endPs.length;
    for (; at > this.head && this.endPs[at - 1]! > endPs; at--) {
      this.endPs[at] = this.endPs[at - 1]!;
      this.layer[at] = this.layer[at - 1]!;
      this.kind[at] = this.kind[at - 1]!;
    }
    this.endPs[at] = endPs;
    this.layer[at] = layer;
    this.kind[at] = kind;
  }

  /** Waits for all that a layer has started. */
  private finish(layer: number): void {
    const last = this.layer.lastIndexOf(layer);
    if (last >= this.head) this.wait(this.endPs[last]!, this.kind[last]!);
  }

  private wait(untilPs: number, kind: number): void {
    this.settle(untilPs);
    this.exposedPs[kind]! += untilPs - this.clockPs;
    this.clockPs = untilPs;
  }

  /** Ends what ends until a time. What computation lost beside it is owed to the next one. */
  private settle(nowPs: number): void {
    const { endPs } = this;
    while (this.head < endPs.length && endPs[this.head]! <= nowPs) {
      const atPs = endPs[this.head++]!;
      if (this.head < endPs.length) continue;
      this.owedPs += Math.round(this.share * Math.min(atPs - this.sincePs, this.computePs - this.computedPs));
    }
  }
}
