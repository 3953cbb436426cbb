// Options that commands of weft route and weft traffic share, and how values of options are read. An option of all of
// them is one entry below.

import { usualSeconds, usualThreshold } from '../../app/routes/route-problem.js';
import { parseTimePs } from '../../base/units.js';
import { maxLmc } from '../../fabric/identity.js';
import { usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { oneOf, required, text, value } from '../options/declared-command.js';
import { readBy, wholeNumberFrom } from '../options/option-values.js';

/** A whole number from 0 up. */
export const wholeNumber = wholeNumberFrom(0, Number.MAX_SAFE_INTEGER, 'a whole number from 0 up.');

/** Seconds of a time with a unit. */
export const seconds = readBy((given) => {
  const timePs = parseTimePs(given);
  return timePs === null || timePs === 0 ? null : timePs / 1e12;
}, 'a time with a unit, such as 30s or 5min.');

/** A share from 0 to 1, or in percent. */
const shareOfLinks = readBy(
  (given) => numberWithin(/^(\d*\.?\d+)(%)?$/, given, 1),
  'a share from 0 to 1, or such as 0.1%.',
);

/** A share from 0 to 10, or in percent; 90 without a sign is more likely a slip than ninety times. */
const fraction = readBy(
  (given) => numberWithin(/^(\d*\.?\d+)( ?%)?$/, given, 10),
  'a share from 0 to 10, such as 0.9 or 90%.',
);

function numberWithin(form: RegExp, given: string, most: number): number | null {
  const [, digits, percent] = form.exec(given) ?? [];
  const number = Number(digits) / (percent === undefined ? 1 : 100);
  return number >= 0 && number <= most ? number : null;
}

const lidUse = readBy<LidUse>(
  (given) =>
    given === 'spread' || given === 'hash' ? given : /^\d$/.test(given) && Number(given) < 1 << maxLmc ? +given : null,
  `spread, hash, or an offset from 0 to ${(1 << maxLmc) - 1}.`,
);

const fabricScope = [
  required(
    text('--fabric <file>', 'output of ibnetdiscover or ibdiagnet (.lst, .db_csv), a topology file, or quartz1'),
  ),
  text('--guid2lid <file>', "LIDs: OpenSM's guid2lid"),
  text('--roots <file>', 'GUIDs of the switches of the top level, one per line'),
] as const;
const lidOptions = [
  value('--lmc <number>', 'hosts have 2^LMC LIDs, 0 to 3 (default: as the fabric says)', wholeNumberFrom(0, maxLmc)),
] as const;

/** Options of all commands that are about tables, about traffic, about both, and about what tables are worth. */
export const tablesScope = [...fabricScope, ...lidOptions] as const;
/** Where the hosts of jobs lie. @param preset the kind if it is not given */
export function allocationOption<const Kind extends string>(preset: Kind) {
  return text(
    '--allocation <kind|file>',
    'hosts of jobs: fragmented (in runs between those of others), contiguous (in a row), alone (one job in a row from the eleventh host), or the list of jobs that squeue or sacct printed',
    preset,
  );
}
export const trafficScope = [
  ...fabricScope,
  value(
    '--failed-links <share>',
    'take this share of the links between switches as failed, drawn by --seed',
    shareOfLinks,
  ),
  text(
    '--traffic <pattern|file>',
    'a pattern such as stencil, all-to-all, lulesh, lulesh-star, 100xstencil:64, training-tp8-pp2-dp4 (weft ' +
      'traffic list), or a file: CSV, MatrixMarket, or the folder of a run',
  ),
  oneOf(
    '--phases <how>',
    'phases of traffic: apart, as each lasts as long as its worst link, or together, as if all were sent at once',
    ['apart', 'together'],
    'apart',
  ),
  value('--seed <number>', 'of random traffic, allocations and routes', wholeNumber, 1),
  allocationOption('fragmented'),
] as const;
export const problemScope = [...trafficScope, ...lidOptions] as const;
export const lidOffsetOption = value(
  '--lid-offset <use>',
  'which of the LIDs of a host traffic goes to: spread (all alike), hash (one per pair of hosts), or the offset of one, such as 0',
  lidUse,
  usualLidUse,
);
export const judgedScope = [
  ...problemScope,
  lidOffsetOption,
  value('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, usualThreshold),
] as const;

const objective = readBy((given) => {
  const [, load] = /^fewest-above:(\d+(?:\.\d+)?(?:e\d+)?)$/.exec(given) ?? [];
  return load === undefined ? null : { fewestAbove: Number(load) };
}, 'fewest-above:LOAD, such as fewest-above:150; the smallest largest load needs no option.');

/** Options that some commands have. */
export const objectiveOption = value(
  '--objective <what>',
  'weft: fewest-above:LOAD, as few links between switches above a load as can be, before all else (default: the smallest largest load)',
  objective,
);
export const timeOption = value(
  '--time <time>',
  'stop each search after this time and keep the best',
  seconds,
  usualSeconds,
).default(usualSeconds, `${usualSeconds}s`);
export const outOption = text('--out <file>', "write the tables as OpenSM's file engine reads them");
export const tablesOption = (help = 'opensm-lfts.dump, or what dump_lfts or ibroute print') =>
  required(text('--tables <file>', help));
export const figureOption = (more = '') =>
  text('--figure <file>', `draw the fabric by level with the load of every link, as SVG${more}`);
