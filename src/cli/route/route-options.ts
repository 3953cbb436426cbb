// Options that commands of weft route and weft traffic share, and how values of options are read. An option of all of
// them is one entry below.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseTimePs } from '../../base/units.js';
import { maxLmc } from '../../fabric/identity.js';
import { usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { usualSeconds } from '../../app/routes/compute-routes.js';

/** An option. @param parse its text @param usual what it is if it is not given */
export function option(
  flags: string,
  description: string,
  parse?: (text: string) => unknown,
  usual?: unknown,
  usualText?: string,
): Option {
  const made = new Option(flags, description);
  if (parse !== undefined) made.argParser(parse);
  return usual === undefined ? made : made.default(usual, usualText);
}

const fabricOptions = (): Option[] => [
  option(
    '--fabric <file>',
    'output of ibnetdiscover or ibdiagnet (.lst, .db_csv), a topology file, or quartz1',
  ).makeOptionMandatory(),
  option('--guid2lid <file>', "LIDs: OpenSM's guid2lid"),
  option('--roots <file>', 'GUIDs of the switches of the top level, one per line'),
];

const trafficOptions = (): Option[] => [
  option(
    '--failed-links <share>',
    'take this share of the links between switches as failed, drawn by --seed',
    shareOfLinks,
  ),
  option(
    '--traffic <pattern|file>',
    'a pattern such as stencil, all-to-all, lulesh, lulesh-star, 100xstencil:64, training-tp8-pp2-dp4 (weft ' +
      'traffic list), or a file: CSV, MatrixMarket, or the folder of a run',
  ),
  option('--seed <number>', 'of random traffic, allocations and routes', wholeNumber, 1),
  option(
    '--allocation <kind|file>',
    'hosts of jobs: fragmented (in runs between those of others), contiguous (in a row), or the list of jobs that squeue or sacct printed',
    undefined,
    'fragmented',
  ),
];

const lidOptions = (): Option[] => [
  option('--lmc <number>', 'hosts have 2^LMC LIDs, 0 to 3 (default: as the fabric says)', lmcNumber),
];

const judgingOptions = (): Option[] => [
  option(
    '--lid-offset <use>',
    'which of the LIDs of a host traffic goes to: spread (all alike), hash (one per pair of hosts), or the offset of one, such as 0',
    lidUse,
    usualLidUse,
  ),
  option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9),
];

/** What a command is about, on a fabric. */
export type RouteScope = 'traffic' | 'tables' | 'tables and traffic' | 'judged tables';

/** Adds the options that all commands of a scope have. */
export function addScope(command: Command, scope: RouteScope): Command {
  const options = [
    ...fabricOptions(),
    ...(scope === 'tables' ? [] : trafficOptions()),
    ...(scope === 'traffic' ? [] : lidOptions()),
    ...(scope === 'judged tables' ? judgingOptions() : []),
  ];
  for (const own of options) command.addOption(own);
  return command;
}

/** Options that some commands have. */
export const timeOption = (): Option =>
  option(
    '--time <time>',
    'stop each search after this time and keep the best',
    seconds,
    usualSeconds,
    `${usualSeconds}s`,
  );
export const outOption = (): Option => option('--out <file>', "write the tables as OpenSM's file engine reads them");
export const tablesOption = (text = 'opensm-lfts.dump, or what dump_lfts or ibroute print'): Option =>
  option('--tables <file>', text).makeOptionMandatory();

export const figureOption = (more = ''): Option =>
  option('--figure <file>', `draw the fabric by level with the load of every link, as SVG${more}`);

/** An LMC. @throws InvalidArgumentError */
function lmcNumber(text: string): number {
  if (!/^\d$/.test(text) || Number(text) > maxLmc)
    throw new InvalidArgumentError(`It has to be a whole number from 0 to ${maxLmc}.`);
  return Number(text);
}

/** A use of LIDs. @throws InvalidArgumentError */
function lidUse(text: string): LidUse {
  if (text === 'spread' || text === 'hash') return text;
  if (!/^\d$/.test(text) || Number(text) >= 1 << maxLmc)
    throw new InvalidArgumentError(`It has to be spread, hash, or an offset from 0 to ${(1 << maxLmc) - 1}.`);
  return Number(text);
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
function shareOfLinks(text: string): number {
  const value = /^\d*\.?\d+%?$/.test(text) ? Number(text.replace('%', '')) / (text.endsWith('%') ? 100 : 1) : NaN;
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('It has to be a share from 0 to 1, or such as 0.1%.');
  return value;
}

/**
 * A share from 0 to 10, as a number or in percent; 90 without a sign is more likely a slip than ninety times.
 * @throws InvalidArgumentError
 */
function fraction(text: string): number {
  const digits = /^(\d*\.?\d+)( ?%)?$/.exec(text);
  const value = digits === null ? NaN : Number(digits[1]) / (digits[2] === undefined ? 1 : 100);
  if (!(value >= 0 && value <= 10))
    throw new InvalidArgumentError('It has to be a share from 0 to 10, such as 0.9 or 90%.');
  return value;
}
