// What a counter of an interface counted over its readings: sums of differences, with counters that began anew.
// Invariant: a sum is what was counted, or at least that after a reset; what cannot be known is left out and told.

import type { FileProblems, Position } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';

const end32 = 2 ** 32;
const end64 = 2 ** 64;
/** A frame on the wire at least: 64 bytes, preamble and gap. */
const leastFrameBytes = 84;
/** What readings may be off: times of exporters are those of their scrape. */
const tolerated = 1.25;
const toleratedBytes = 1e6;

/** Readings of one counter of one port, in order of time. */
export interface ReadSeries {
  readonly port: number;
  /** of NamedCounter: 0 and 1 count bytes, 2 and 3 packets */
  readonly counter: number;
  readonly bits: 32 | 64;
  readonly readings: readonly number[];
}

/** Readings as columns. */
interface ReadingColumns {
  readonly timePs: { readonly values: Float64Array };
  readonly value: { readonly values: Float64Array };
  readonly line: { readonly values: Int32Array };
  readonly text: { readonly values: Int32Array };
  readonly isTimed: boolean | null;
}

/** How often something was odd, and where first. */
interface Oddity {
  count: number;
  text: number;
  at: Position;
}

const oddities = {
  wrapped: {
    code: 'wrapped-counter',
    message: 'counters of 32 bits went on from 0 between two readings: taken as once',
    hint: 'read those of 64 bits: ifHCOutOctets, ifHCInOctets',
  },
  unclear: {
    code: 'unclear-counter',
    message: 'counters of 32 bits may have begun anew several times between two readings: left out',
    hint: 'read those of 64 bits (ifHCOutOctets, ifHCInOctets), or read more often',
  },
  reset: {
    code: 'counters-reset',
    message: 'counters counted less than before: taken as reset in between, so they counted at least this',
    hint: 'a restart? leave out what was read before it',
  },
  beyond: {
    code: 'beyond-rate',
    message: 'counters counted more than their link can carry in that time',
    hint: 'are they of this fabric, and in bytes?',
  },
  twice: {
    code: 'contradicting-counter',
    message: 'counters stand twice at one time, with other values: the last ones count',
    hint: 'give one row for each interface and time',
  },
  alone: {
    code: 'one-reading',
    message: 'counters have one reading: taken as counted since 0',
    hint: 'give an earlier reading: rows with other times, or --before FILE',
  },
} as const;

export class InterfaceDeltas {
  private readonly found = new Map<keyof typeof oddities, Oddity>();

  /** @param problems of each text @param isBetween whether the first text is of before: later times are mistakes there */
  constructor(
    private readonly fabric: Fabric,
    private readonly rows: ReadingColumns,
    private readonly problems: readonly FileProblems[],
    private readonly isBetween: boolean,
  ) {}

  /** What was counted; NaN: nobody knows. */
  counted({ port, counter, bits, readings }: ReadSeries): number {
    const { rows, fabric } = this;
    const { timePs, value } = rows;
    const rateBps = fabric.linkRateBps[fabric.portLink[port]!]!;
    if (this.isBetween && this.isLateBefore(readings)) return NaN;
    let sum = 0;
    let before = -1;
    let isClear = true;
    for (const own of readings) {
      const now = value.values[own]!;
      if (before === -1) {
        before = own;
        continue;
      }
      const was = value.values[before]!;
      const passedPs = timePs.values[own]! - timePs.values[before]!;
      if (passedPs === 0) {
        if (now !== was) this.tellOf('twice', own);
        // the sum so far ends at the earlier value
        sum += now - was;
        before = own;
        continue;
      }
      const seconds = rows.isTimed === true ? passedPs / 1e12 : NaN;
      const most = (seconds * rateBps) / 8 / (counter < 2 ? 1 : leastFrameBytes);
      if (bits === 32 && most > end32) {
        isClear = false;
        this.tellOf('unclear', own);
      }
      let difference = now - was;
      if (difference < 0 && bits === 32) {
        difference += end32;
        if (isClear) this.tellOf('wrapped', own);
      } else if (difference < 0 && was > end64 / 2) difference += end64;
      else if (difference < 0) {
        difference = now;
        this.tellOf('reset', own);
      }
      if (difference > tolerated * most + toleratedBytes) this.tellOf('beyond', own);
      sum += difference;
      before = own;
    }
    if (readings.length === 1) {
      this.tellOf('alone', readings[0]!);
      return value.values[readings[0]!]!;
    }
    return isClear ? Math.max(0, sum) : NaN;
  }

  /** Writes what was odd as warnings, one for each kind. */
  tell(): void {
    for (const [kind, { count, text, at }] of this.found) {
      const { code, message, hint } = oddities[kind];
      this.problems[text]!.warning(code, at, `${count} ${message}`, { hint });
    }
  }

  /** Whether a reading of before is later than one of afterwards: a mistake. */
  private isLateBefore(readings: readonly number[]): boolean {
    const { timePs, text, line } = this.rows;
    const late = readings.findIndex((own, i) => i > 0 && text.values[own]! < text.values[readings[i - 1]!]!);
    if (late === -1) return false;
    const own = readings[late]!;
    if (!this.problems[text.values[own]!]!.failed)
      this.problems[text.values[own]!]!.error(
        'bad-before',
        { line: line.values[own]!, column: 1 },
        'the earlier reading is later than one of --counters',
        {
          got: `${(timePs.values[own]! - timePs.values[readings[late - 1]!]!) / 1e12} s later`,
          wanted: '--before with the earlier times',
          hint: "are --before and --counters in each other's place?",
        },
      );
    return true;
  }

  private tellOf(kind: keyof typeof oddities, own: number): void {
    const known = this.found.get(kind);
    const { line, text } = this.rows;
    if (known === undefined)
      this.found.set(kind, {
        count: 1,
        text: text.values[own]!,
        at: { line: line.values[own]!, column: 1 },
      });
    else known.count++;
  }
}
