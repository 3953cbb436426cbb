// The ECN thresholds of a run: the lines of `ecn.thresholds`, or those that come with Weft; the rate of every switch
// port must have one.
// Invariant: with marking on, every rate of a switch port of the fabric has exactly one line.

import { Section } from '../form/section.js';
import { defaultEcnThresholds, type EcnThreshold, thresholdSettings } from '../../backends/packet/ecn-thresholds.js';
import { formatRateBps, formatSizeBytes, parseRateBps } from '../../base/units.js';
import type { Fabric } from '../../fabric/fabric.js';
import { switchRates } from '../../fabric/switch-rates.js';
import { causePlace } from '../form/cause-place.js';
import { errorAt, nodeAt, type LocatedMap, type Path } from '../form/located.js';
import { groupText } from '../../base/quantity-text.js';

const thresholdsPath = ['ecn', 'thresholds'];

/** A line of the thresholds as a scenario writes it. */
export function thresholdText(line: EcnThreshold): Record<string, unknown> {
  return groupText(thresholdSettings, {
    rate: line.rateBps,
    minimum: line.minimumBytes,
    maximum: line.maximumBytes,
    probability: line.probability,
  });
}

/**
 * The thresholds given, or those that come with Weft.
 * @param fabric null if nothing is marked: then no rate can be missing
 */
export function planThresholds(block: Section, fabric: Fabric | null): readonly EcnThreshold[] {
  const list = block.node(...thresholdsPath);
  const isGiven = list?.kind === 'list';
  const lines = isGiven
    ? list.items.map((_, i) => givenThreshold(block.at(...thresholdsPath, i)))
    : defaultEcnThresholds;
  lines.forEach(({ rateBps }, i) => {
    if (lines.findIndex((line) => line.rateBps === rateBps) < i)
      block.error(
        [...thresholdsPath, i, 'rate'],
        'ecn-duplicate-rate',
        `the rate ${formatRateBps(rateBps)} has two lines`,
        { wanted: 'one line per rate' },
      );
  });
  if (fabric === null) return lines;
  const ratesBps = switchRates(fabric);
  const missing = ratesBps.filter((rateBps) => !lines.some((line) => line.rateBps === rateBps));
  if (missing.length === 0) return lines;
  if (isGiven) missingLine(block, lines, missing);
  else unknownRate(block, ratesBps, missing);
  return lines;
}

/** A list was given that lacks a rate. */
function missingLine(block: Section, lines: readonly EcnThreshold[], missing: readonly number[]): void {
  const isConf = block.root.isConf === true;
  for (const rateBps of missing) {
    block.keyError(
      [...thresholdsPath],
      'ecn-rate-missing',
      isConf
        ? `KMIN_MAP, KMAX_MAP and PMAX_MAP have nothing for the switch ports of ${formatRateBps(rateBps)}`
        : `ecn.thresholds has no line for the switch ports of ${formatRateBps(rateBps)}`,
      {
        got: `${isConf ? 'values' : 'lines'} for ${ratesText(lines)}`,
        wanted: isConf
          ? 'a pair in each map for every rate of a switch port'
          : 'a line for every rate of a switch port',
        hint: isConf
          ? mapsHint([...lines, ...missing.map(proportional)])
          : `add a line such as ${lineText(proportional(rateBps))}`,
      },
    );
  }
}

/**
 * No list was given, and the fabric has a rate for which none comes with Weft: a list must be given, with all rates of
 * the fabric.
 */
function unknownRate(block: Section, ratesBps: readonly number[], missing: readonly number[]): void {
  const rates = missing.flatMap((rateBps) => rateKeys(block.root, rateBps));
  const place = causePlace(block.root, rates[0] ?? ['fabric'], [
    ...rates,
    ['fabric', 'file'],
    ['fabric', 'generate'],
    ['ecn', 'enabled'],
  ]);
  const list = ratesBps.map(
    (rateBps) => defaultEcnThresholds.find((line) => line.rateBps === rateBps) ?? proportional(rateBps),
  );
  errorAt(
    block.diagnostics,
    'ecn-rate-missing',
    place,
    `no ECN thresholds are known for the switch ports of ${missing.map(formatRateBps).join(', ')}`,
    {
      got: missing.map(formatRateBps).join(', '),
      wanted: `rates that have thresholds: ${ratesText(defaultEcnThresholds)}; or lines of your own`,
      hint:
        block.root.isConf === true
          ? `${mapsHint(list)}; or ENABLE_QCN 0`
          : `give ecn: { thresholds: [${list.map(lineText).join(', ')}] }, or ecn: { enabled: false }`,
    },
  );
}

/** Lines of thresholds as a conf has them: pairs of a rate and a value, in kB, behind their number. */
function mapsHint(lines: readonly EcnThreshold[]): string {
  const map = (key: string, valueOf: (line: EcnThreshold) => number): string =>
    `${key} ${lines.length} ${lines.map((line) => `${line.rateBps} ${valueOf(line)}`).join(' ')}`;
  return `have in the maps ${[
    map('KMIN_MAP', ({ minimumBytes }) => minimumBytes / 1000),
    map('KMAX_MAP', ({ maximumBytes }) => maximumBytes / 1000),
    map('PMAX_MAP', ({ probability }) => probability),
  ].join(', ')} (the first number counts the pairs)`;
}

function ratesText(lines: readonly EcnThreshold[]): string {
  return lines
    .map(({ rateBps }) => rateBps)
    .sort((a, b) => a - b)
    .map(formatRateBps)
    .join(', ');
}

function lineText(line: EcnThreshold): string {
  return `{ ${Object.entries(thresholdText(line))
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(', ')} }`;
}

/** What 100 Gb/s has, in proportion to the rate, whole bytes: a proposal. */
function proportional(rateBps: number): EcnThreshold {
  const base = defaultEcnThresholds.find((line) => line.rateBps === 100e9)!;
  const factor = rateBps / base.rateBps;
  return {
    rateBps,
    minimumBytes: Math.round(base.minimumBytes * factor),
    maximumBytes: Math.round(base.maximumBytes * factor),
    probability: base.probability,
  };
}

function givenThreshold(block: Section): EcnThreshold {
  const { rate, minimum, maximum, probability } = block.group(thresholdSettings);
  if (minimum > maximum)
    block.error('minimum', 'ecn-minimum-above-maximum', 'the minimum is above the maximum', {
      got: formatSizeBytes(minimum),
      wanted: `at most the maximum, ${formatSizeBytes(maximum)}`,
    });
  return { rateBps: rate, minimumBytes: minimum, maximumBytes: maximum, probability };
}

/** The parameters of the fabric that are given as this rate. */
function rateKeys(root: LocatedMap, rateBps: number): Path[] {
  const fabric = nodeAt(root, ['fabric']);
  if (fabric?.kind !== 'map') return [];
  return [...fabric.entries]
    .filter(([, { value }]) => value.kind === 'scalar' && parseRateBps(value.text) === rateBps)
    .map(([key]) => ['fabric', key]);
}
