// What was recorded of a run beside flows and paths, as numbers for summary and report: by probes, in packets and by polled counters.

import type { ProbeSummary } from '../../../execution/network-figures.js';
import type { PortPoller } from '../../polling/port-poller.js';
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

/** The same with the tables of polled counters, if any are. */
export function withPolls(summary: ProbeSummary | null, poller: PortPoller | null): ProbeSummary | null {
  if (poller === null) return summary;
  return {
    latency: summary?.latency ?? null,
    pauses: summary?.pauses ?? null,
    tables: [...(summary?.tables ?? []), ...poller.rows()],
    sampling: summary?.sampling ?? null,
  };
}
