// What counters of a port are called and what they count, as perfquery prints them.
// Source of the names: libibmad of rdma-core (fields.c), its first versions for the older ones; of the largest values:
// InfiniBand Architecture Specification, volume 1, PortCounters. Of lanes: PortVLXmitWait is perfquery's; PortVLXmitData
// and PortVLXmitPkts are names of Omni-Path, for InfiniBand gives them by samples or as an extension of a maker.

/** What a counter of a port counts. */
export interface PortCounterKind {
  /** where it stops if it has not 64 bits (InfiniBand Architecture Specification, volume 1, PortCounters) */
  readonly largest: number;
  /** what it says of the link, in a few words; left out: it counts traffic */
  readonly error?: string;
  /** whether the cable or the port is to be looked at */
  readonly isFault?: boolean;
}

export const largest32 = 4_294_967_295;
/** 2^64 - 1, as it is read. */
const largest64 = 2 ** 64;
const traffic: PortCounterKind = { largest: largest32 };

/** The counters that are read, by the names that perfquery gives them. */
export const portCounterKinds = {
  SymbolErrorCounter: { largest: 65_535, error: 'bits that arrived wrong: the cable or its plugs', isFault: true },
  LinkErrorRecoveryCounter: { largest: 255, error: 'the link trained anew and went on: the cable', isFault: true },
  LinkDownedCounter: { largest: 255, error: 'the link went down: a restart, or the cable', isFault: true },
  PortRcvErrors: { largest: 65_535, error: 'packets that arrived damaged: the cable', isFault: true },
  PortRcvRemotePhysicalErrors: { largest: 65_535, error: 'packets damaged before: look at links further up' },
  PortRcvSwitchRelayErrors: { largest: 65_535, error: 'packets that led back or nowhere: multicast, mostly harmless' },
  PortXmitDiscards: {
    largest: 65_535,
    error: 'packets thrown away that waited too long: congestion, or a host that hangs',
  },
  PortXmitConstraintErrors: { largest: 255, error: 'packets of a partition that the port has not' },
  PortRcvConstraintErrors: { largest: 255, error: 'packets of a partition that the port has not' },
  LocalLinkIntegrityErrors: { largest: 15, error: 'too many errors in a row: the cable', isFault: true },
  ExcessiveBufferOverrunErrors: { largest: 15, error: 'credits went wrong: the port or its firmware', isFault: true },
  VL15Dropped: { largest: 65_535, error: 'management packets that found no room: mostly harmless' },
  QP1Dropped: { largest: 65_535, error: 'management packets that found no room: mostly harmless' },
  PortXmitData: traffic,
  PortRcvData: traffic,
  PortXmitPkts: traffic,
  PortRcvPkts: traffic,
  PortXmitWait: traffic,
  PortUnicastXmitPkts: traffic,
  PortUnicastRcvPkts: traffic,
  PortMulticastXmitPkts: traffic,
  PortMulticastRcvPkts: traffic,
} as const satisfies Readonly<Record<string, PortCounterKind>>;

/** A counter by perfquery's name. */
export type PortCounterName = keyof typeof portCounterKinds;

/** All of them, in the order of perfquery. */
export const portCounterNames = Object.keys(portCounterKinds) as readonly PortCounterName[];

/** What older diagnostics called them. */
const olderNames: ReadonlyMap<string, PortCounterName> = new Map([
  ['SymbolErrors', 'SymbolErrorCounter'],
  ['LinkRecovers', 'LinkErrorRecoveryCounter'],
  ['LinkDowned', 'LinkDownedCounter'],
  ['RcvErrors', 'PortRcvErrors'],
  ['RcvRemotePhysErrors', 'PortRcvRemotePhysicalErrors'],
  ['RcvSwRelayErrors', 'PortRcvSwitchRelayErrors'],
  ['XmtDiscards', 'PortXmitDiscards'],
  ['XmtConstraintErrors', 'PortXmitConstraintErrors'],
  ['RcvConstraintErrors', 'PortRcvConstraintErrors'],
  ['LinkIntegrityErrors', 'LocalLinkIntegrityErrors'],
  ['ExcBufOverrunErrors', 'ExcessiveBufferOverrunErrors'],
  ['XmtData', 'PortXmitData'],
  ['RcvData', 'PortRcvData'],
  ['XmtPkts', 'PortXmitPkts'],
  ['RcvPkts', 'PortRcvPkts'],
  ['XmtWait', 'PortXmitWait'],
]);

/** What stands among the counters and is passed over: what was asked for, and details of PortRcvErrors and discards. */
export const passedOverNames: ReadonlySet<string> = new Set([
  'PortSelect',
  'CounterSelect',
  'CounterSelect2',
  'PortInactiveDiscards',
  'PortNeighborMTUDiscards',
  'PortSwLifetimeLimitDiscards',
  'PortSwHOQLifetimeLimitDiscards',
  'PortLocalPhysicalErrors',
  'PortMalformedPktErrors',
  'PortBufferOverrunErrors',
  'PortDLIDMappingErrors',
  'PortVLMappingErrors',
  'PortLoopingErrors',
]);

/** The counter that has a name, of today or older; null = there is none. */
export function counterOfName(name: string): PortCounterName | null {
  return Object.hasOwn(portCounterKinds, name) ? (name as PortCounterName) : (olderNames.get(name) ?? null);
}

/** Whether a counter stands where it stops: all bits 1. */
export function isAtLargest(name: PortCounterName, value: number, isWide = false): boolean {
  return value === largest64 || (!isWide && value === portCounterKinds[name].largest);
}

/** Whether a counter counts what went wrong. */
export function countsErrors(name: PortCounterName): boolean {
  return 'error' in portCounterKinds[name];
}

/** Bits of what may have come to its largest value, and of all else. */
export const bitOf = { sent: 1, received: 2, waits: 4, errors: 8, others: 16 } as const;

export function kindBit(name: PortCounterName): number {
  if (countsErrors(name)) return bitOf.errors;
  if (name === 'PortXmitData') return bitOf.sent;
  if (name === 'PortRcvData') return bitOf.received;
  return name === 'PortXmitWait' ? bitOf.waits : bitOf.others;
}

/** What is counted by lane, and how the tables are called that print it. */
export const laneTables = {
  PortVLXmitData: 'PortVLXmitData',
  PortVLXmitPkts: 'PortVLXmitPkts',
  PortVLXmitWait: 'PortVLXmitWaitCounters',
} as const;

/** A counter of lanes, without the number of the lane. */
export type LaneCounterName = keyof typeof laneTables;

/** Lanes that a port may have. */
export const lanesPerPort = 16;
