// The quantities of source flow control at one congestion point, what each is called, and within which limits it has a
// sense. Source: L. Chen, L. Lv, "Source Flow Control computation & simulation" (docs/SOURCES.md), SFC Computation.

/** Values of the quantities that are known. */
export type SfcValues = Partial<Record<Quantity, number>>;

export type Quantity =
  | 'bandwidthBps'
  | 'senders'
  | 'alpha'
  | 'rttPs'
  | 't1Ps'
  | 't2Ps'
  | 'sfcThresholdBytes'
  | 'pfcThresholdBytes'
  | 'pausePs';

interface QuantityText {
  /** as the source writes it */
  readonly symbol: string;
  /** in a few words */
  readonly meaning: string;
  /** the option that gives it */
  readonly option: string;
  readonly kind: 'rate' | 'time' | 'size' | 'number';
  /** a step of it that changes a result visibly: where lines are taken from */
  readonly scale: number;
}

export const quantities: Readonly<Record<Quantity, QuantityText>> = {
  bandwidthBps: {
    symbol: 'Bw',
    meaning: 'rate of the congested link',
    option: '--bandwidth',
    kind: 'rate',
    scale: 1e11,
  },
  senders: { symbol: 'N', meaning: 'senders of the incast', option: '--senders', kind: 'number', scale: 1 },
  alpha: {
    symbol: 'alpha',
    meaning: "share of the link's rate that each sends",
    option: '--alpha',
    kind: 'number',
    scale: 1,
  },
  rttPs: {
    symbol: 'RTT',
    meaning: 'from the congestion point to a source and back',
    option: '--rtt',
    kind: 'time',
    scale: 1e6,
  },
  t1Ps: {
    symbol: 't1',
    meaning: 'to detect congestion and send the message',
    option: '--t1',
    kind: 'time',
    scale: 1e6,
  },
  t2Ps: { symbol: 't2', meaning: 'from the message to a source that stands', option: '--t2', kind: 'time', scale: 1e6 },
  sfcThresholdBytes: {
    symbol: 'T_SFC',
    meaning: 'buffer at which messages are sent',
    option: '--sfc-threshold',
    kind: 'size',
    scale: 1e6,
  },
  pfcThresholdBytes: {
    symbol: 'T_PFC',
    meaning: 'buffer at which PFC pauses the upstream',
    option: '--pfc-threshold',
    kind: 'size',
    scale: 1e6,
  },
  pausePs: {
    symbol: 't_PAUSE',
    meaning: 'pause that the message asks for',
    option: '--pause',
    kind: 'time',
    scale: 1e6,
  },
};

export const quantityNames = Object.keys(quantities) as readonly Quantity[];

/**
 * What a quantity can be at all, given others: alpha from 1/N to 1, as fewer than a whole link causes no congestion.
 */
export function naturalLimits(quantity: Quantity, { senders, alpha }: SfcValues): readonly [number, number] {
  if (quantity === 'alpha') return [senders === undefined ? 0 : 1 / senders, 1];
  if (quantity === 'senders') return [alpha === undefined ? 1 : Math.max(1, 1 / alpha), Infinity];
  return [0, Infinity];
}

/**
 * What one of several queues that share a buffer may hold when all of them are full: the highest threshold for PFC.
 * @param queues that are congested at the same time, at least 1
 * @param share of the free buffer that a queue may take (alpha of dynamic thresholds); left out: the buffer is divided
 * evenly, once and for all
 * @returns bytes. Source: A. Choudhury, E. Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
 * IEEE/ACM Transactions on Networking 6 (1998), eq. 3
 */
export function queueShareBytes(bufferBytes: number, queues: number, share?: number): number {
  return share === undefined ? bufferBytes / queues : (share * bufferBytes) / (1 + share * queues);
}
