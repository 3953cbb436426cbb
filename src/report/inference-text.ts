// What serving came to, for people, within 80 columns: how long requests waited for what, and what transfers got of the
// NICs.
// Invariant: the parts of the way to the first token add up to it for every request (not for their percentiles).

import { formatSizeBytes, formatTimePs } from '../base/units.js';
import type { InferenceReport } from '../inference/inference-report.js';
import { coloured, counted, grouped, percentText, type TextStyle } from './text-style.js';

const nameColumns = 34;
const timeColumns = 11;

/** The lines on inference in the report of a run; none without. */
export function inferenceLines(inference: InferenceReport | null, style: TextStyle): string[] {
  if (inference === null) return [];
  const { requests, finished, prefillInstances, decodeInstances, ranks, cacheBytes, nicShare } = inference;
  const lines = [
    '  inference: ' +
      `${finished === requests ? grouped(requests) : `${grouped(finished)} of ${grouped(requests)}`} requests, ` +
      `${grouped(prefillInstances)} prefill and ${counted(decodeInstances, 'decode instance')} of ` +
      `${counted(ranks, 'rank')}`,
  ];
  if (finished < requests)
    lines.push(coloured(style, 'red', '  Not all keys and values arrived: what follows is of the requests that did.'));
  if (finished > 0) {
    const line = (name: string, cells: readonly string[]): string =>
      `  ${name.padEnd(nameColumns)}${cells.map((cell) => cell.padStart(timeColumns)).join('')}`;
    const times = [
      ['waits for prefill', inference.wait],
      ['prefill', inference.prefill],
      ['waits for keys and values', inference.exposedTransfer],
      ['time to first token', inference.timeToFirstToken],
      ['time to last token', inference.request],
      ['one transfer of one rank', inference.transfer],
    ] as const;
    lines.push(
      '',
      coloured(style, 'dim', line('of a request', ['mean', 'p50', 'p99', 'max'])),
      ...times.map(([name, { meanNs, p50Ns, p99Ns, maxNs }]) =>
        line(
          name,
          [meanNs, p50Ns, p99Ns, maxNs].map((timeNs) => formatTimePs(Math.round(timeNs * 1000))),
        ),
      ),
      '',
      `  ${formatSizeBytes(cacheBytes)} of keys and values; transfers had ${percentText(nicShare.mean)} of a NIC, at least ${percentText(nicShare.least)}`,
    );
  }
  lines.push('');
  return lines;
}
