// Options that subcommands of weft route and weft traffic share, and how their values are read.

import { Command, InvalidArgumentError, Option } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { parseTimePs } from '../../base/units.js';
import type { FabricOptions } from '../../app/routes/fabric-input.js';
import { hostLidCount, maxLmc } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { usualLidUse, type LidUse } from '../../optimization/lid-use.js';

/** Options of fabric, traffic and report. */
export interface RouteOptions extends FabricOptions {
  readonly traffic?: string;
  readonly seed: number;
  readonly allocation: string;
  readonly threshold: number;
  readonly lidOffset: LidUse;
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

/** Adds the options that say how many LIDs hosts have, and which of them are sent to. */
export function lidOptions(command: Command): Command {
  return lmcOption(command).addOption(
    new Option(
      '--lid-offset <use>',
      'which of the LIDs of a host traffic goes to: spread (all alike), hash (one per pair of hosts), or the offset of one, such as 0',
    )
      .argParser(lidUse)
      .default(usualLidUse),
  );
}

/** Adds the option that says how many LIDs hosts have. */
export function lmcOption(command: Command): Command {
  return command.addOption(
    new Option('--lmc <number>', 'hosts have 2^LMC LIDs, 0 to 3 (default: as the fabric says)').argParser(lmcNumber),
  );
}

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

/** An offset that no host has a LID for is a mistake. @throws InputError */
export function checkLidOffset({ fabric, identity }: RoutedFabric, use: LidUse): void {
  const lids = hostLidCount(fabric, identity);
  if (use === usualLidUse || use === 0 || (lids > 1 && (typeof use === 'string' || use < lids))) return;
  throw InputError.at('lid-offset', '--lid-offset', wholeFile, 'hosts have not so many LIDs', {
    got: String(use),
    wanted: lids === 1 ? 'nothing: they have one (LMC 0)' : `0 to ${lids - 1}, spread or hash`,
    hint: lids === 1 ? 'add --lmc 1 for two LIDs per host' : `LMC is ${31 - Math.clz32(lids)}`,
  });
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
