// An informative annex on the parameters of source flow control, as a contributor to a standard could attach it:
// method, formulas, worked tables. Every figure in it is computed.
// Source: L. Chen, L. Lv, "Source Flow Control computation & simulation", which proposes such an annex.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../../base/units.js';
import { increaseBytes, knowsIncrease, drainedBytes } from '../../source-flow-control/conditions.js';
import { presets } from '../../source-flow-control/presets.js';
import { quantities, quantityNames, type SfcValues } from '../../source-flow-control/quantities.js';
import { recommend } from '../../source-flow-control/recommendation.js';

const example: SfcValues = presets['high-performance-data-center']!.values;

/** The annex as Markdown; ends with a newline. */
export function annex(): string {
  return `${[
    '# Annex (informative): parameters of source flow control',
    '',
    '## Scope',
    '',
    'How to choose the threshold at which a congestion point sends source flow control messages (SFCM), the pause time in',
    'them, and the threshold of priority-based flow control (PFC) behind it, for one egress queue and an incast of N sources.',
    '',
    '## Symbols',
    '',
    ...table(
      ['symbol', 'meaning'],
      quantityNames.map((name) => [quantities[name].symbol, quantities[name].meaning]),
    ),
    '',
    'Each source sends alpha Bw, 1/N <= alpha <= 1. Below 1/N the link is not filled, and nothing is congested.',
    '',
    '## Method',
    '',
    'From the moment when the queue crosses T_SFC until the last packet has come that a source sent before it stood, a time',
    'RTT + t1 + t2 passes: t1 at the congestion point, half a round trip for the message, t2 at the source, half a round trip',
    'for the packets under way. The queue grows by',
    '',
    '    increase = (alpha N - 1) Bw (RTT + t1 + t2)',
    '',
    'and then drains at Bw for t_PAUSE. Three conditions follow.',
    '',
    ...table(
      ['condition', 'otherwise'],
      [
        ['T_PFC - T_SFC >= increase', 'PFC fires before the sources stand'],
        ['Bw t_PAUSE >= increase', 'the queue is still above T_SFC after the pause'],
        ['T_SFC + increase >= Bw t_PAUSE', 'the queue runs empty, and the link idles'],
      ],
    ),
    '',
    'Any T_SFC from 0 to T_PFC - increase has pauses that keep the last two: from increase / Bw to (T_SFC + increase) / Bw.',
    'In the middle of that interval both have T_SFC / 2 to spare.',
    '',
    'Where alpha is not known, the first two are worst at alpha = 1 and the last at alpha = 1/N, where nothing is added: a pause of',
    '(N - 1)(RTT + t1 + t2) or more, and no more than T_SFC / Bw. So T_SFC has to be as large as the increase at alpha = 1.',
    '',
    'Where queues share a buffer B with dynamic thresholds (a queue may take the share a of what is free), T_PFC is at most',
    'a B / (1 + a Q) while Q queues are congested.',
    '',
    '## Worked example',
    '',
    exampleText(),
    '',
    ...workedTables(),
    '## Limits of the method',
    '',
    'Sources start together and send evenly; packets are infinitely small, so a peak is off by up to a packet per source; the',
    'headroom that PFC itself needs above T_PFC is not part of it; one congestion point is looked at by itself.',
  ].join('\n')}\n`;
}

/** The increase over sources and round trips, and thresholds to begin with. */
function workedTables(): string[] {
  return [
    '## Increase over the number of sources',
    '',
    `At ${formatRateBps(example.bandwidthBps!)}, RTT + t1 + t2 = ${formatTimePs(reactionPs(example))}:`,
    '',
    ...table(
      ['N', ...[0.25, 0.5, 1].flatMap((alpha) => [`alpha ${alpha}: increase`, 'least t_PAUSE'])],
      [2, 4, 7, 8, 16, 32, 64].map((senders) =>
        [String(senders)].concat([0.25, 0.5, 1].flatMap((alpha) => increaseCells({ ...example, senders, alpha }))),
      ),
    ),
    '',
    '## Increase over the round trip',
    '',
    'N = 7, alpha = 1, t1 = t2 = 2 us:',
    '',
    ...table(
      ['RTT', ...[100e9, 200e9, 400e9, 800e9].map((rate) => formatRateBps(rate))],
      [2e6, 5e6, 10e6, 20e6, 50e6, 100e6].map((rttPs) =>
        [formatTimePs(rttPs)].concat(
          [100e9, 200e9, 400e9, 800e9].map(
            (bandwidthBps) => increaseCells({ bandwidthBps, senders: 7, alpha: 1, rttPs, t1Ps: 2e6, t2Ps: 2e6 })[0]!,
          ),
        ),
      ),
    ),
    '',
    '## Thresholds to begin with',
    '',
    'T_SFC = increase; T_PFC = 1.1 T_SFC + increase; t_PAUSE = (increase + T_SFC / 2) / Bw. RTT + t1 + t2 as in the example, alpha = 1:',
    '',
    ...table(
      ['Bw', 'N', 'T_SFC', 'T_PFC', 't_PAUSE'],
      [100e9, 400e9, 800e9].flatMap((bandwidthBps) =>
        [4, 8, 16].map((senders) => {
          const begun = recommend({ ...example, bandwidthBps, senders, alpha: 1 });
          return [
            formatRateBps(bandwidthBps),
            String(senders),
            formatSizeBytes(Math.round(begun.sfcThresholdBytes!)),
            formatSizeBytes(Math.round(begun.pfcThresholdBytes!)),
            formatTimePs(begun.pausePs!),
          ];
        }),
      ),
    ),
    '',
  ];
}

function reactionPs({ rttPs, t1Ps, t2Ps }: SfcValues): number {
  return rttPs! + t1Ps! + t2Ps!;
}

function exampleText(): string {
  if (!knowsIncrease(example)) return '';
  const increase = increaseBytes(example);
  const sfc = 1e6;
  const pausePs = 30e6;
  const perPs = drainedBytes(example, 1);
  return [
    `Bw = ${formatRateBps(example.bandwidthBps)}, N = ${example.senders}, alpha = ${example.alpha}, RTT = ` +
      `${formatTimePs(example.rttPs)}, t1 = t2 = ${formatTimePs(example.t1Ps)}: increase = ` +
      `${formatSizeBytes(Math.round(increase))}, so`,
    `T_PFC - T_SFC >= ${formatSizeBytes(Math.round(increase))} and t_PAUSE >= ` +
      `${formatTimePs(increase / perPs)}. With T_SFC = ${formatSizeBytes(sfc)}, t_PAUSE <= ` +
      `${formatTimePs((sfc + increase) / perPs)};`,
    `with t_PAUSE = ${formatTimePs(pausePs)}, T_SFC >= ${formatSizeBytes(Math.round(pausePs * perPs - increase))}.`,
  ].join('\n');
}

function increaseCells(values: SfcValues): string[] {
  if (!knowsIncrease(values)) return ['', ''];
  const increase = increaseBytes(values);
  if (increase < 0) return ['none', '-'];
  return [formatSizeBytes(Math.round(increase)), formatTimePs(increase / drainedBytes(values, 1))];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [tableLine(head), tableLine(head.map(() => '---')), ...rows.map(tableLine)];
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
