// weft sfc: thresholds and pause of source flow control, from what is known of a congestion point.
// Invariant: everything is checked before anything is printed; a value without a unit where one is wanted is refused.

import { type Command, InvalidArgumentError } from 'commander';
import { parseSizeBytes } from '../../base/units.js';
import { sfcSweepObject, sfcSweepText } from '../../report/sfc/sfc-sweep.js';
import { knowsCourse, sfcObject, sfcText, type SfcCase } from '../../report/sfc/sfc-report.js';
import { presets } from '../../source-flow-control/presets.js';
import { recommend } from '../../source-flow-control/recommendation.js';
import { queueShareBytes, type SfcValues } from '../../source-flow-control/quantities.js';
import type { CommandContext } from '../context.js';
import { exitCodeHelp } from '../exit-codes.js';
import {
  declaredCommand,
  toggle,
  isGiven,
  oneOf,
  type OptionValues,
  text,
  value,
} from '../options/declared-command.js';
import { numberThat, rateFrom, readBy, timeFrom, wholeNumberFrom } from '../options/option-values.js';
import { terminalStyle } from '../terminal.js';
import { forceHelp, writeWholeFiles } from '../whole-file.js';

/** most numbers of senders in one table */
const mostRows = 1000;

const size = readBy(
  (given) => (/[a-zA-Z]/.test(given) ? parseSizeBytes(given) : null),
  'a size with its unit, such as 1MB (1,000,000 B) or 1MiB.',
);
const share = numberThat((number) => number > 0 && number <= 1, 'a number above 0 and at most 1.');
const positive = numberThat((number) => number > 0 && number <= 1e6, 'a number above 0.');
const wholeNumber = wholeNumberFrom(1, 9_999_999, 'a whole number from 1 on.');

const options = [
  oneOf('--preset <name>', 'values to begin with', Object.keys(presets)),
  value('--bandwidth <rate>', 'Bw: of the congested link (400Gbps)', rateFrom),
  value('--senders <numbers>', 'N: of the incast: 7, or 2..64, or 2,4,8', senderNumbers),
  value('--alpha <number>', "share of the link's rate that each sends, 1/N to 1", share),
  value('--rtt <time>', 'from the congestion point to a source and back (20us)', timeFrom),
  value('--t1 <time>', 'to detect congestion and send the message (10us)', timeFrom),
  value('--t2 <time>', 'from the message to a source that stands (10us)', timeFrom),
  value('--sfc-threshold <size>', 'T_SFC: buffer at which messages are sent (1MB)', size),
  value('--pfc-threshold <size>', 'T_PFC: buffer at which PFC pauses the upstream', size),
  value('--pause <time>', 't_PAUSE: that the message asks for (30us)', timeFrom),
  value('--buffer <size>', "the switch's buffer, which queues share", size),
  value('--queues <number>', 'queues that are congested at the same time (default 1)', wholeNumber),
  value(
    '--queue-alpha <number>',
    'share of the free buffer that a queue may take;\nwithout it the buffer is divided evenly',
    positive,
  ),
  text('--plot <dir>', 'draw the feasible region and the sawtooth (SVG)'),
  toggle('--annex', 'print an informative annex with worked tables (Markdown)'),
  toggle('--force', forceHelp),
  toggle('--json', 'print one JSON object'),
] as const;
type SfcOptions = OptionValues<typeof options>;

/** The command for the command line. */
export default declaredCommand({
  name: 'sfc',
  summary: 'thresholds and pause of source flow control',
  description:
    'Source flow control (IEEE P802.1Qdw): which thresholds and which pause neither let\nPFC fire, nor leave the threshold exceeded, nor let the link idle.',
  options,
  after: `
Give what is known; the rest is bounded. Sizes are decimal (1MB = 1,000,000 B)
unless written as MiB.

Examples:
  weft sfc --bandwidth 400Gbps --senders 7 --alpha 0.18 --rtt 20us \\
    --t1 10us --t2 10us --sfc-threshold 1MB
  weft sfc --preset ai-data-center --pause 30us --json
  weft sfc --preset ai-data-center --senders 2..64 --alpha 1
  weft sfc --preset ai-data-center --sfc-threshold 1MB --plot pictures
  weft sfc --annex > annex.md

The model: docs/models/source-flow-control.md

${exitCodeHelp}`,
  run: ({ options: given, command, context }) => tell(given, command, context),
});

async function tell(options: SfcOptions, command: Command, context: CommandContext): Promise<void> {
  const { stdout, environment } = context;
  const { json, force, plot } = options;
  if (options.annex) {
    const given = command.options.find((option) => {
      const name = option.attributeName() as keyof SfcOptions;
      return name !== 'annex' && isGiven(options[name]);
    });
    if (given !== undefined)
      command.error(
        `error: ${given.long} has no effect on --annex, whose tables are worked examples\n  hint:   leave it out, or leave out --annex`,
      );
    const { annex } = await import('../../report/sfc/sfc-annex.js');
    stdout.write(annex());
    return;
  }
  const cases = casesOf(options, command);
  const style = terminalStyle(stdout, environment);
  if (plot !== undefined) {
    if (cases.length > 1) command.error('error: --plot draws one number of senders\n  hint:   give one with --senders');
    await plotFiles(cases[0]!, plot, force, command);
  }
  if (cases.length > 1) stdout.write(json ? `${JSON.stringify(sfcSweepObject(cases))}\n` : sfcSweepText(cases, style));
  else stdout.write(json ? `${JSON.stringify(sfcObject(cases[0]!))}\n` : sfcText(cases[0]!, style));
}

function casesOf(options: SfcOptions, command: Command): readonly SfcCase[] {
  const { preset, buffer, queues, queueAlpha } = options;
  const given = {
    bandwidthBps: options.bandwidth,
    alpha: options.alpha,
    rttPs: options.rtt,
    t1Ps: options.t1,
    t2Ps: options.t2,
    sfcThresholdBytes: options.sfcThreshold,
    pfcThresholdBytes: options.pfcThreshold,
    pausePs: options.pause,
  };
  const known = Object.entries(given).filter(([, own]) => own !== undefined);
  const base: SfcValues = { ...(preset === undefined ? {} : presets[preset]!.values), ...Object.fromEntries(known) };
  if (Object.keys(base).length === 0 && options.senders === undefined && buffer === undefined)
    command.error(
      'error: nothing is known\n  hint:   give at least --bandwidth, --senders, --alpha, --rtt, --t1 and --t2, or --preset',
    );
  for (const [option, value] of [
    ['--queues', queues],
    ['--queue-alpha', queueAlpha],
  ] as const)
    if (value !== undefined && buffer === undefined)
      command.error(`error: ${option} has no effect without --buffer\n  hint:   give --buffer, or leave it out`);
  const queueShare = buffer === undefined ? null : queueShareBytes(buffer, queues ?? 1, queueAlpha);
  const numbers = options.senders ?? [base.senders];
  return numbers.map((senders) => {
    const values = { ...base, ...(senders === undefined ? {} : { senders }) };
    const { alpha } = values;
    if (alpha !== undefined && senders !== undefined && alpha * senders < 1 - 1e-9) {
      // of a table, rows below one link's rate are rows without congestion
      if (numbers.length === 1)
        command.error(
          `error: ${senders} senders at ${alpha} of the link's rate do not fill it, so nothing is congested\n  ` +
            `wanted: --alpha from 1/N = ${(1 / senders).toPrecision(4)} to 1`,
        );
    }
    return { values, queueShareBytes: queueShare };
  });
}

function senderNumbers(given: string): number[] {
  const numbers = given.split(',').flatMap((part) => {
    const range = /^(\d{1,7})\.\.(\d{1,7})$/.exec(part);
    if (range === null) return [wholeNumber(part)];
    const [from, to] = [wholeNumber(range[1]!), wholeNumber(range[2]!)];
    if (to < from || to - from >= mostRows)
      throw new InvalidArgumentError(`Give a range of at most ${mostRows} numbers, the smaller one first.`);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
  if (numbers.length > mostRows) throw new InvalidArgumentError(`Give at most ${mostRows} numbers.`);
  return numbers;
}

/**
 * Draws feasible region and sawtooth into a folder; what is not given is as recommended. @throws InputError,
 * OutputError
 */
async function plotFiles({ values }: SfcCase, folder: string, force: boolean, command: Command): Promise<void> {
  const [{ feasibleFigure, sawtoothFigure }, { chartFiles }] = await Promise.all([
    import('../../report/sfc/sfc-figures.js'),
    import('../report/report-files.js'),
  ]);
  const whole = { ...recommend(values), ...values };
  if (!knowsCourse(whole))
    command.error(
      'error: too little is known to draw\n  hint:   give --bandwidth, --senders, --alpha, --rtt, --t1 and --t2, or --preset',
    );
  const pfc = values.pfcThresholdBytes ?? null;
  const files = await chartFiles([feasibleFigure(whole, pfc), sawtoothFigure(whole, pfc)], [], { svg: folder });
  await writeWholeFiles([...files.values()].flat(), force, folder);
}
