// The settings of OmniDMA and of the RNIC's DMA under it: two groups of the scenario, `omnidma` and `rnic`.
// Defaults: the peer's (docs/models/omnidma.md); the DMA's are those of its README's example and of its scripts.

import { choice, count, flag, rate, size, time } from '../../../../base/settings.js';

export const omnidmaSettings = {
  bitmap: count(16, 'bits of an adamap: how many packets after a hole are told one by one', {
    minimum: 1,
    maximum: 256,
  }),
  timeout: time(
    'auto',
    "from an OmniNACK without effect until the receiver's timers repeat it, and from the last new packet " +
      'until an open map is closed; doubled with every repetition in a row; auto: by round trips measured',
    { orAuto: true, positive: true },
  ),
  activeNack: flag(
    true,
    'holes whose retransmissions must have passed, by the order in which OmniNACKs are answered, are ' +
      'reported again at once; off: by timers and by the order of the list alone',
  ),
  window: flag(false, 'new packets wait for queuePair.window; off: no window'),
  nack: size('auto', 'bytes of an OmniNACK; auto: an ACK, 22 bytes of fields and the bitmap', {
    words: ['auto'],
    minimum: 1,
    maximum: 1024,
  }),
} as const;

export const rnicSettings = {
  dma: choice(
    ['single', 'duplex', 'off'],
    'single',
    'how an RNIC reaches the adamaps in host memory: one queue whose operations occupy it for latency and ' +
      'bytes; apart for reads and writes, occupied for their bytes alone; or in no time',
  ),
  dmaBandwidth: rate('64Gbps', 'rate of DMA operations'),
  dmaLatency: time('200ns', 'fixed latency of a DMA operation'),
  tlpPayload: size('256B', 'most bytes of a PCIe packet of an operation (duplex)', { minimum: 1, maximum: 4096 }),
  tlpOverhead: size('20B', 'bytes around each of them (duplex)', { maximum: 256 }),
  listCache: count(3, "adamaps at the head of a queue pair's list that the RNIC holds itself", {
    minimum: 0,
    maximum: 1024,
  }),
  tableCache: count(2, "entries of a queue pair's lookup table that it holds, the latest used", {
    minimum: 0,
    maximum: 64,
  }),
} as const;
