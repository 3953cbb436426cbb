// Options that subcommands of weft route and weft traffic share, and how their values are read.

import { Command, InvalidArgumentError } from 'commander';
import { parseTimePs } from '../../base/units.js';
import type { FabricOptions } from '../../app/routes/fabric-input.js';

/** Options of fabric, traffic and report. */
export interface RouteOptions extends FabricOptions {
  readonly traffic?: string;
  readonly seed: number;
  readonly allocation: string;
  readonly threshold: number;
  readonly json?: boolean;
}

/** Adds the options that choose fabric and traffic. */
export function fabricAndTrafficOptions(command: Command, trafficHelp: string): Command {
  return command
    .requiredOption(
      '--fabric <file>',
      'output of ibnetdiscover or ibdiagnet (.lst, .db_csv), a topology file, or quartz1',
    )
    .option('--guid2lid <file>', "LIDs: OpenSM's guid2lid")
    .option('--roots <file>', 'GUIDs of the switches of the top level, one per line')
    .option(
      '--failed-links <share>',
      'take this share of the links between switches as failed, drawn by --seed',
      shareOfLinks,
    )
    .option('--traffic <pattern|file>', trafficHelp)
    .option('--seed <number>', 'of random traffic, allocations and routes', wholeNumber, 1)
    .option(
      '--allocation <kind|file>',
      'hosts of jobs: fragmented (in runs between those of others), contiguous (in a row), or the list of jobs that squeue or sacct printed',
      'fragmented',
    );
}

/** What --traffic takes. */
export const trafficHelp =
  'a pattern such as stencil, all-to-all, lulesh, lulesh-star, 100xstencil:64, training-tp8-pp2-dp4 (weft traffic list), or a file: CSV, MatrixMarket, or the folder of a run';

/** Adds the options that say the lanes of tables. */
export function laneOptions(command: Command): Command {
  return command
    .option(
      '--lanes <file>',
      "service levels of pairs of hosts: OpenSM's opensm-path-records.dump, saquery -p, or --lanes-out of compute",
    )
    .option(
      '--sl2vl <file>',
      'lanes of service levels (needs --lanes): opensm-sl2vl.dump; without it level s has lane s',
    );
}

/** A whole number from 0 up. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It has to be a whole number from 0 up.');
  return value;
}

/** How many threads. @throws InvalidArgumentError */
export function workerCount(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 256) throw new InvalidArgumentError('It has to be a whole number from 1 to 256.');
  return count;
}

/** A factor above 0. @throws InvalidArgumentError */
export function factor(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (!(value > 0 && value <= 1e6)) throw new InvalidArgumentError('It has to be a number above 0, such as 2 or 0.5.');
  return value;
}

/** Seconds of a time with a unit. @throws InvalidArgumentError */
export function seconds(text: string): number {
  const timePs = parseTimePs(text);
  if (timePs === null || timePs === 0)
    throw new InvalidArgumentError('It has to be a time with a unit, such as 30s or 5min.');
  return timePs / 1e12;
}

/** A share from 0 to 1, or in percent. @throws InvalidArgumentError */
export function shareOfLinks(text: string): number {
  const value = /^\d*\.?\d+%?$/.test(text) ? Number(text.replace('%', '')) / (text.endsWith('%') ? 100 : 1) : NaN;
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('It has to be a share from 0 to 1, or such as 0.1%.');
  return value;
}

/**
 * A share from 0 to 10, as a number or in percent; 90 without a sign is more likely a slip than ninety times.
 * @throws InvalidArgumentError
 */
export function fraction(text: string): number {
  const digits = /^(\d*\.?\d+)( ?%)?$/.exec(text);
  const value = digits === null ? NaN : Number(digits[1]) / (digits[2] === undefined ? 1 : 100);
  if (!(value >= 0 && value <= 10))
    throw new InvalidArgumentError('It has to be a share from 0 to 10, such as 0.9 or 90%.');
  return value;
}
