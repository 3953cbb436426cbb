// What the senders of the lines of `traffic.transfers` do by themselves, and the jobs that lines are.
// Invariant: a line has a pace exactly if something of it holds its sender back; jobs stand in the order of their first
// lines.

import type { Diagnostics } from '../base/diagnostics.js';
import { groupText } from '../base/quantity-text.js';
import { SenderPaces, unpaced } from '../execution/sender-paces.js';
import type { TransferJob } from '../jobs/transfer-jobs.js';
import { nodeAt, type LocatedMap, type Path, warnOfNoUse } from './located.js';
import { groupAt, wordAt } from './resolve.js';
import { senderSettings } from './sender-settings.js';

type SenderName = keyof typeof senderSettings;

export class SenderLines {
  private readonly all = new SenderPaces();
  private readonly named = new Map<string, { transfers: number[]; payloadBytes: number; startPs: number }>();

  constructor(
    private readonly root: LocatedMap,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** A line, free of errors of its form. @param transfer its number */
  add(transfer: number, path: Path, { size, start }: { readonly size: number; readonly start: number }): void {
    const given = (name: SenderName): boolean => nodeAt(this.root, [...path, name]) !== undefined;
    const { rate, burst, gap } = groupAt(this.root, path, senderSettings);
    const isOnOff = given('burst') && gap > 0 && burst < size;
    this.warnOfHalf(path, isOnOff, { size, burst, gap }, given);
    if (given('rate') || isOnOff)
      this.all.set(transfer, {
        rateBps: given('rate') ? rate : unpaced.rateBps,
        burstBytes: isOnOff ? burst : unpaced.burstBytes,
        gapPs: isOnOff ? gap : 0,
      });
    const name = wordAt(this.root, [...path, 'job']);
    if (name === undefined) return;
    const job = this.named.get(name) ?? { transfers: [], payloadBytes: 0, startPs: Infinity };
    job.transfers.push(transfer);
    job.payloadBytes += size;
    job.startPs = Math.min(job.startPs, start);
    this.named.set(name, job);
  }

  /** What of a line was given, as text. */
  resolved(path: Path): Record<string, unknown> {
    const text = groupText(senderSettings, groupAt(this.root, path, senderSettings));
    const given = Object.entries(text).filter(([name]) => nodeAt(this.root, [...path, name]) !== undefined);
    const job = wordAt(this.root, [...path, 'job']);
    return { ...Object.fromEntries(given), ...(job === undefined ? {} : { job }) };
  }

  /** Null if no line has one. */
  get paces(): SenderPaces | null {
    return this.all.size === 0 ? null : this.all;
  }

  get jobs(): readonly TransferJob[] {
    return Array.from(this.named, ([name, job]) => ({ name, ...job }));
  }

  /** Bursts without gaps, gaps without bursts and a burst that is all of the transfer change nothing. */
  private warnOfHalf(
    path: Path,
    isOnOff: boolean,
    { size, burst, gap }: { readonly size: number; readonly burst: number; readonly gap: number },
    given: (name: SenderName) => boolean,
  ): void {
    if (isOnOff) return;
    const name = given('burst') ? 'burst' : given('gap') && gap > 0 ? 'gap' : null;
    if (name === null) return;
    const because = name === 'gap' ? 'it has no burst' : burst >= size ? 'it is the whole transfer' : 'it has no gap';
    warnOfNoUse(this.diagnostics, this.root, [...path, name], because);
  }
}
