// How far a long run is, on stderr: a line with a bar on a terminal, a plain line elsewhere (stage-progress.ts).
// Invariant: nothing is ever written to stdout, nothing at all for a run that is over before its time has come, and
// nothing after `stop`.

import type { Progress } from '../app/run-progress.js';
import { printable } from '../base/printable.js';
import { formatTimePs } from '../base/units.js';
import { grouped } from '../report/text-style.js';
import { type ProgressStream, StageProgress } from './stage-progress.js';
import { TimeLeft } from './time-left.js';

export type { ProgressStream } from './stage-progress.js';

/** a longer time is no estimate */
const mostLeftSeconds = 30 * 86_400;
/** Characters of a label. */
const longestLabel = 60;

/** Shows the progress of a run, or of several together; `update` between slices, `stop` at the end. */
export class ProgressDisplay {
  /** of several runs: which are under way, in front of the line; "" says nothing */
  label = '';
  private stopped = false;
  private readonly line: StageProgress;
  private readonly timeLeft = new TimeLeft();
  private previous: { readonly packetHops: number; readonly wallMs: number };

  constructor(
    stream: ProgressStream,
    private readonly wallMs: () => number,
  ) {
    this.line = new StageProgress(stream, wallMs);
    this.previous = { packetHops: 0, wallMs: wallMs() };
  }

  /** Shows where the run stands, if it is time to. */
  update(progress: Progress): void {
    const nowMs = this.wallMs();
    const leftSeconds = this.timeLeft.at(nowMs, progress.share);
    if (this.stopped || !this.line.isDue(nowMs)) return;
    const elapsedMs = nowMs - this.previous.wallMs;
    const packetHops = progress.packetHops ?? 0;
    const hopsPerSecond = elapsedMs > 0 ? ((packetHops - this.previous.packetHops) / elapsedMs) * 1000 : 0;
    this.previous = { packetHops, wallMs: nowMs };
    const label = this.label === '' ? '' : `${printable(this.label, longestLabel)}  `;
    this.line.update(`${label}${progressText(progress, hopsPerSecond, leftSeconds)}`, progress.share ?? 0, nowMs);
  }

  /** Takes the line off the screen until the next update: something else is written. @returns true if there was one */
  hide(): boolean {
    return this.line.stop();
  }

  /**
   * Takes the line off the screen, for good. @returns true if there was one: the cursor is at the start of its line now
   */
  stop(): boolean {
    this.stopped = true;
    return this.hide();
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
