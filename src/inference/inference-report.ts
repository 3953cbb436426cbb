// What serving came to: the figures of reports and JSON. Times in nanoseconds, as those of flows.

import type { CompletionStatistics } from '../measurement/completion.js';

export interface InferenceReport {
  readonly requests: number;
  /** requests whose keys and values have all arrived; the other figures are of them */
  readonly finished: number;
  readonly prefillInstances: number;
  readonly decodeInstances: number;
  /** ranks of an instance */
  readonly ranks: number;
  /** keys and values of all requests, bytes */
  readonly cacheBytes: number;
  /** arrival until prefill begins */
  readonly wait: CompletionStatistics;
  readonly prefill: CompletionStatistics;
  /** end of prefill until the last of the keys and values has arrived: what the transfer adds to a request */
  readonly exposedTransfer: CompletionStatistics;
  /** of the single transfers, start to finish */
  readonly transfer: CompletionStatistics;
  /** arrival until the first token of decode */
  readonly timeToFirstToken: CompletionStatistics;
  /** arrival until the last token */
  readonly request: CompletionStatistics;
  /** what transfers got of their sender's NIC, 0 to 1: mean over transfers, and the least */
  readonly nicShare: { readonly mean: number; readonly least: number };
}
