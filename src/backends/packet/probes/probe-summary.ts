// What was recorded of a run beside flows and paths, as numbers for summary and report: by probes and in packets.

import type { ProbeSummary } from '../../../execution/network-figures.js';
import type { PacketSampler } from '../../../sampling/packet-sampler.js';

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
