// How far a long run is, on stderr: a bar on a terminal once the run has lasted two seconds, a plain line every ten
// seconds elsewhere.
// Invariant: nothing is ever written to stdout, nothing at all for a run that is over before its time has come, and
// nothing after `stop`.

import type { SingleBar } from 'cli-progress';
import { createRequire } from 'node:module';
import type { Progress } from '../app/run-progress.js';
import { printable } from '../base/printable.js';
import { formatTimePs } from '../base/units.js';
import { grouped } from '../report/text-style.js';
import { TimeLeft } from './time-left.js';

/** Wall-clock milliseconds before the bar appears. */
const barAfterMs = 2000;
/** Wall-clock milliseconds between two lines without a terminal. */
const lineEveryMs = 10_000;
/** Wall-clock milliseconds between two updates of the bar. */
const barEveryMs = 200;
/** a longer time is no estimate */
const mostLeftSeconds = 30 * 86_400;
/** Characters of a label. */
const longestLabel = 60;

/** Where progress goes: process.stderr, or a stand-in in tests. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** what to draw on, if `write` lets no escape sequences through */
  readonly terminal?: ProgressStream;
  write(text: string): boolean;
}

/** Shows the progress of a run, or of several together; `update` between slices, `stop` at the end. */
export class ProgressDisplay {
  /** of several runs: which are under way, in front of the line; "" says nothing */
  label = '';
  private bar: SingleBar | null = null;
  private stopped = false;
  private nextMs: number;
  private readonly timeLeft = new TimeLeft();
  private previous: { readonly packetHops: number; readonly wallMs: number };

  constructor(
    private readonly stream: ProgressStream,
    private readonly wallMs: () => number,
  ) {
    this.previous = { packetHops: 0, wallMs: wallMs() };
    this.nextMs = this.previous.wallMs + (stream.isTTY === true ? barAfterMs : lineEveryMs);
  }

  /** Shows where the run stands, if it is time to. */
  update(progress: Progress): void {
    const nowMs = this.wallMs();
    const leftSeconds = this.timeLeft.at(nowMs, progress.share);
    if (this.stopped || nowMs < this.nextMs) return;
    const elapsedMs = nowMs - this.previous.wallMs;
    const packetHops = progress.packetHops ?? 0;
    const hopsPerSecond = elapsedMs > 0 ? ((packetHops - this.previous.packetHops) / elapsedMs) * 1000 : 0;
    this.previous = { packetHops, wallMs: nowMs };
    const label = this.label === '' ? '' : `${printable(this.label, longestLabel)}  `;
    const text = `${label}${progressText(progress, hopsPerSecond, leftSeconds)}`;
    if (this.stream.isTTY === true) {
      this.nextMs = nowMs + barEveryMs;
      this.showBar(progress, text);
    } else {
      this.nextMs = nowMs + lineEveryMs;
      this.stream.write(`${text}\n`);
    }
  }

  /**
   * Takes the bar off the screen until the next update: something else is written.
   * @returns true if there was one
   */
  hide(): boolean {
    const { bar } = this;
    this.bar = null;
    bar?.stop();
    return bar !== null;
  }

  /**
   * Takes the bar off the screen, for good.
   * @returns true if there was one: the cursor is at the start of its line now
   */
  stop(): boolean {
    this.stopped = true;
    return this.hide();
  }

  private showBar(progress: Progress, text: string): void {
    const value = Math.floor((progress.share ?? 0) * 1000) / 10;
    if (this.bar === null) {
      // a terminal that does not know its width says 0
      const barsize = Math.max(0, Math.min(20, (this.stream.columns || 80) - text.length - 12));
      const format = barsize < 5 ? '{text}' : '[{bar}] {text}';
      // without graceful exit: it would take Ctrl-C away from the run
      // loaded here: most commands are over before
      const { SingleBar: Bar } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress');
      this.bar = new Bar({
        stream: (this.stream.terminal ?? this.stream) as NodeJS.WriteStream,
        format,
        barsize,
        barCompleteChar: '#',
        barIncompleteChar: '.',
        clearOnComplete: true,
        gracefulExit: false,
        hideCursor: false,
      });
      this.bar.start(100, value, { text });
    } else {
      this.bar.update(value, { text });
    }
  }
}

/**
 * Progress as one line: share, simulated time, flows, speed, time left.
 * @param leftSeconds null: not known
 */
export function progressText(progress: Progress, hopsPerSecond: number, leftSeconds: number | null): string {
  const { share } = progress;
  const total = Number.isFinite(progress.flowsTotal) ? `/${grouped(progress.flowsTotal)}` : '';
  const parts = [
    ...(share === null ? [] : [`${Math.floor(share * 100)}%`]),
    `${formatTimePs(progress.nowPs)} simulated`,
    `${grouped(progress.flowsFinished)}${total} flows`,
    // backends without packets have no hops
    ...((progress.packetHops ?? 0) > 0 ? [`${(hopsPerSecond / 1e6).toFixed(1)}M hops/s`] : []),
    leftSeconds === null || leftSeconds > mostLeftSeconds ? 'left unknown' : `${durationText(leftSeconds)} left`,
  ];
  return parts.join('  ');
}

/** A duration for people: 8 s, 2 min 05 s, 3 h 20 min. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
