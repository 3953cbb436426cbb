// Parameters to begin with, by use case. Source: L. Chen, L. Lv, "Source Flow Control computation & simulation": its
// example of parameters. The source names two use cases, networks of high-performance data centres and of AI clusters,
// and gives figures for one alone; the other differs in its incast.

import type { SfcValues } from './quantities.js';

interface Preset {
  readonly description: string;
  readonly values: SfcValues;
}

export const presets: Readonly<Record<string, Preset>> = {
  'high-performance-data-center': {
    description: "the source's example: 400 Gb/s, 7 to 1, each at 0.18 of the link",
    values: { bandwidthBps: 400e9, senders: 7, alpha: 0.18, rttPs: 20e6, t1Ps: 10e6, t2Ps: 10e6 },
  },
  'ai-data-center': {
    description: 'the same fabric under collectives: every sender at the rate of its link',
    values: { bandwidthBps: 400e9, senders: 7, alpha: 1, rttPs: 20e6, t1Ps: 10e6, t2Ps: 10e6 },
  },
};
