// What the senders of the lines of `traffic.transfers` do by themselves, and the jobs that lines are.
// Invariant: a line has a pace exactly if something of it holds its sender back; jobs stand in the order of their first
// lines.

import { groupText } from '../../base/quantity-text.js';
import { SenderPaces, unpaced } from '../../execution/sender-paces.js';
import type { TransferJob } from '../../jobs/transfer-jobs.js';
import type { Section } from '../form/section.js';
import { senderSettings } from '../form/sender-settings.js';

type SenderName = keyof typeof senderSettings;

export class SenderLines {
  private readonly all = new SenderPaces();
  private readonly named = new Map<string, { transfers: number[]; payloadBytes: number; startPs: number }>();

  /**
   * A line, free of errors of its form.
   * @param first number of its first transfer
   * @param startsPs when its transfers start
   */
  add(first: number, block: Section, size: number, startsPs: readonly number[]): void {
    const given = (name: SenderName): boolean => block.has(name);
    const { rate, burst, gap } = block.group(senderSettings);
    const isOnOff = given('burst') && gap > 0 && burst < size;
    this.warnOfHalf(block, isOnOff, { size, burst, gap }, given);
    const pace = {
      rateBps: given('rate') ? rate : unpaced.rateBps,
      burstBytes: isOnOff ? burst : unpaced.burstBytes,
      gapPs: isOnOff ? gap : 0,
    };
    const isPaced = given('rate') || isOnOff;
    const name = block.word('job');
    const job = this.named.get(name ?? '') ?? { transfers: [], payloadBytes: 0, startPs: Infinity };
    for (const [i, startPs] of startsPs.entries()) {
      if (isPaced) this.all.set(first + i, pace);
      job.transfers.push(first + i);
      job.payloadBytes += size;
      job.startPs = Math.min(job.startPs, startPs);
    }
    if (name !== undefined) this.named.set(name, job);
  }

  /**
   * When the transfers of a line start, ps: once, or `times` times `every` after each other.
   * @returns null after an error: one of the two alone, or starts beyond what a time can be
   */
  static startsPs(block: Section, startPs: number): number[] | null {
    const { every, times } = block.group(senderSettings);
    if (every > 0 !== times > 1) {
      const [missing, there] = every > 0 ? ['times', 'every'] : ['every', 'times'];
      block.error(there!, 'transfer-repeat', `${there} has no meaning without ${missing}`, {
        hint: 'give every, the time from one start to the next, and times, how many transfers there are',
      });
      return null;
    }
    if (startPs + (times - 1) * every > Number.MAX_SAFE_INTEGER) {
      block.error('times', 'transfer-repeat', 'the last of the transfers starts later than 2^53 ps (2.5 hours)', {
        got: String(times),
        wanted: 'fewer transfers, or a shorter time between them',
      });
      return null;
    }
    return Array.from({ length: times }, (_, i) => startPs + i * every);
  }

  /** What of a line was given, as text. */
  resolved(block: Section): Record<string, unknown> {
    const text = groupText(senderSettings, block.group(senderSettings));
    const given = Object.entries(text).filter(([name]) => block.has(name));
    const job = block.word('job');
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
    block: Section,
    isOnOff: boolean,
    { size, burst, gap }: { readonly size: number; readonly burst: number; readonly gap: number },
    given: (name: SenderName) => boolean,
  ): void {
    if (isOnOff) return;
    const name = given('burst') ? 'burst' : given('gap') && gap > 0 ? 'gap' : null;
    if (name === null) return;
    const because = name === 'gap' ? 'it has no burst' : burst >= size ? 'it is the whole transfer' : 'it has no gap';
    block.noUse(name, because);
  }
}
