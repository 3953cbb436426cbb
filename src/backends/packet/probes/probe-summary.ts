// What was recorded of a run beside flows and paths, as numbers for summary and report: by probes and in packets.

import type { PacketSampler, SamplingSummary } from '../../../sampling/packet-sampler.js';
import type { LatencyStatistics } from './latency-histogram.js';
import type { PauseCauses } from './pause-causes.js';

/** What the probes of a run recorded. */
export interface ProbeSummary {
  /** rows of each table */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** null unless packet latencies were asked for */
  readonly latency: LatencyStatistics | null;
  /** null unless pauses were asked for */
  readonly pauses: PauseCauses | null;
  /** null unless packets carried samples */
  readonly sampling: Omit<SamplingSummary, 'tables'> | null;
}

/** The summary of probes, null without any, and what a sampler came to, null without one. */
export function withSamples(probes: ProbeSummary | null, sampler: PacketSampler | null): ProbeSummary | null {
  if (sampler === null) return probes;
  const { tables, ...sampling } = sampler.summary();
  return {
    latency: probes?.latency ?? null,
    pauses: probes?.pauses ?? null,
    tables: [...(probes?.tables ?? []), ...tables],
    sampling,
  };
}
