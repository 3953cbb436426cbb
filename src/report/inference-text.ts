// What serving came to, for people, within 80 columns: how long requests waited for what, and what transfers got of the
// NICs.
// Invariant: the parts of the way to the first token add up to it for every request (not for their percentiles).

import { formatSizeBytes, formatTimePs } from '../base/units.js';
import type { InferenceReport } from '../inference/inference-report.js';
import type { CompletionStatistics } from '../measurement/completion.js';
import { coloured, counted, grouped, type TextStyle } from './text-style.js';

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
    lines.push(
      '',
      coloured(
        style,
        'dim',
        `  ${'of a request'.padEnd(nameColumns)}${['mean', 'p50', 'p99', 'max'].map((name) => name.padStart(timeColumns)).join('')}`,
      ),
    );
    const line = (name: string, { meanNs, p50Ns, p99Ns, maxNs }: CompletionStatistics): void => {
      lines.push(
        `  ${name.padEnd(nameColumns)}${[meanNs, p50Ns, p99Ns, maxNs].map((timeNs) => formatTimePs(Math.round(timeNs * 1000)).padStart(timeColumns)).join('')}`,
      );
    };
    line('waits for prefill', inference.wait);
    line('prefill', inference.prefill);
    line('waits for keys and values', inference.exposedTransfer);
    line('time to first token', inference.timeToFirstToken);
    line('time to last token', inference.request);
    line('one transfer of one rank', inference.transfer);
    lines.push(
      '',
      `  ${formatSizeBytes(cacheBytes)} of keys and values; transfers had ${percent(nicShare.mean)} of a NIC, at least ${percent(nicShare.least)}`,
    );
  }
  lines.push('');
  return lines;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
