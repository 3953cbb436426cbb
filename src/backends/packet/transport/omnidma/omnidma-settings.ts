// The settings of OmniDMA and of the RNIC's DMA under it: two groups of the scenario, `omnidma` and `rnic`.
// Defaults: the peer's (docs/models/omnidma.md); the DMA's are those of its README's example and of its scripts.

import { choice } from '../../../../base/settings.js';

export const omnidmaSettings = {
  bitmap: {
    kind: 'count',
    default: 16,
    minimum: 1,
    maximum: 256,
    description: 'bits of an adamap: how many packets after a hole are told one by one',
  },
  timeout: {
    kind: 'time',
    default: 'auto',
    orAuto: true,
    positive: true,
    description:
      "from an OmniNACK without effect until the receiver's timers repeat it, and from the last new packet " +
      'until an open map is closed; doubled with every repetition in a row; auto: by round trips measured',
  },
  activeNack: {
    kind: 'flag',
    default: true,
    description:
      'holes whose retransmissions must have passed, by the order in which OmniNACKs are answered, are ' +
      'reported again at once; off: by timers and by the order of the list alone',
  },
  window: {
    kind: 'flag',
    default: false,
    description: 'new packets wait for queuePair.window; off: no window',
  },
  nack: {
    kind: 'size',
    default: 'auto',
    words: ['auto'],
    minimum: 1,
    maximum: 1024,
    description: 'bytes of an OmniNACK; auto: an ACK, 22 bytes of fields and the bitmap',
  },
} as const;

export const rnicSettings = {
  dma: choice(
    ['single', 'duplex', 'off'],
    'single',
    'how an RNIC reaches the adamaps in host memory: one queue whose operations occupy it for latency and ' +
      'bytes; apart for reads and writes, occupied for their bytes alone; or in no time',
  ),
  dmaBandwidth: { kind: 'rate', default: '64Gbps', description: 'rate of DMA operations' },
  dmaLatency: { kind: 'time', default: '200ns', description: 'fixed latency of a DMA operation' },
  tlpPayload: {
    kind: 'size',
    default: '256B',
    minimum: 1,
    maximum: 4096,
    description: 'most bytes of a PCIe packet of an operation (duplex)',
  },
  tlpOverhead: { kind: 'size', default: '20B', maximum: 256, description: 'bytes around each of them (duplex)' },
  listCache: {
    kind: 'count',
    default: 3,
    minimum: 0,
    maximum: 1024,
    description: "adamaps at the head of a queue pair's list that the RNIC holds itself",
  },
  tableCache: {
    kind: 'count',
    default: 2,
    minimum: 0,
    maximum: 64,
    description: "entries of a queue pair's lookup table that it holds, the latest used",
  },
} as const;
