// What `weft sfc` says of several numbers of senders: a row each.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { increaseBytes, knowsIncrease, drainedBytes } from '../../source-flow-control/conditions.js';
import { feasibleRegion } from '../../source-flow-control/feasible-region.js';
import { recommend } from '../../source-flow-control/recommendation.js';
import { alignedTable } from '../aligned-table.js';
import { coloured, wrapped, type TextStyle } from '../text-style.js';
import { sfcObject, type SfcCase } from './sfc-report.js';

const absent = '-';

/** The table; ends with a newline. */
export function sfcSweepText(cases: readonly SfcCase[], style: TextStyle): string {
  const rows = cases.map(({ values }) => {
    const recommended = { ...recommend(values), ...values };
    const size = (value: number | undefined): string =>
      value === undefined ? absent : formatSizeBytes(Math.round(value));
    const time = (value: number | undefined): string => (value === undefined ? absent : formatTimePs(value));
    const known = knowsIncrease(values) && increaseBytes(values) >= 0;
    const holds = feasibleRegion(values).checked;
    return [
      String(values.senders ?? absent),
      known ? size(increaseBytes(values)) : absent,
      known ? time(increaseBytes(values) / drainedBytes(values, 1)) : absent,
      size(recommended.sfcThresholdBytes),
      size(recommended.pfcThresholdBytes),
      time(recommended.pausePs),
      holds.length === 0 ? absent : holds.every(({ slackBytes }) => slackBytes >= 0) ? 'ok' : 'NO',
    ];
  });
  const [head, ...table] = alignedTable(
    [['N', 'increase', 'least t_PAUSE', 'T_SFC', 'T_PFC', 't_PAUSE', 'conditions'], ...rows],
    0,
  );
  return `${[
    coloured(style, 'bold', head!),
    ...table,
    '',
    ...wrapped(
      'T_SFC, T_PFC and t_PAUSE: as given, or as recommended; conditions: those of which everything is given; ' +
        '-: senders do not fill the link, or something is not known',
    ),
  ].join('\n')}\n`;
}

/** The object of --json. */
export function sfcSweepObject(cases: readonly SfcCase[]): object {
  return { rows: cases.map(sfcObject) };
}
