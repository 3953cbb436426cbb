// Long because it is one table.
// The catalogue of the packet backend's settings; mechanisms bring their own (mechanisms.ts). Packets and
// headroom are RoCEv2's, timeouts and HPCC's additive increase are derived (packet-profiles.ts); all other defaults are
// those of SimAI's shipped configuration, so that a run with the profile simai can be compared with it figure by
// figure.

import {
  choice,
  type ChoiceSetting,
  count,
  flag,
  fraction,
  type GroupValues,
  settingDefaults,
  type SettingValues,
  size,
  time,
} from '../../base/settings.js';
import { samplingSettings } from '../../sampling/sampling-settings.js';
import { pollingSettings } from '../polling/polling-settings.js';
import { defaultEcnThresholds, type EcnThreshold } from './ecn-thresholds.js';
import { type LossPlan, noLossPlan } from './loss/loss-plan.js';
import { lossSettings } from './loss-settings.js';
import { inSimai, type PacketProfile, withProfile } from './packet-profiles.js';

/** A choice among the mechanisms of a kind, whose names the catalogue gives (declaration.ts). */
const mechanismNames = (byDefault: string, description: string): ChoiceSetting => ({
  kind: 'choice',
  choices: [byDefault],
  default: byDefault,
  description,
});

export const packetSettings = {
  packet: {
    profile: choice(
      ['rocev2', 'simai'],
      'rocev2',
      'packet format: gives the sizes below, pfc.headroom, pfc.responseTime, queuePair.retransmissionTimeout ' +
        'and hpcc.additiveIncrease where they are not given themselves',
    ),
    payload: inSimai('9000B', size('4096B', 'most payload bytes in a data packet', { minimum: 256, maximum: 65_535 })),
    header: inSimai('52B', size('62B', 'bytes of a data packet besides its payload', { maximum: 1024 })),
    acknowledgement: inSimai('60B', size('66B', 'bytes of an ACK or NACK', { minimum: 1, maximum: 1024 })),
    notification: inSimai(
      '60B',
      size('78B', 'bytes of a CNP, which is sent only with queuePair.notificationDelay', { minimum: 1, maximum: 1024 }),
    ),
    pauseFrame: inSimai('43B', size('64B', 'bytes of a PFC frame', { minimum: 1, maximum: 1024 })),
    gap: inSimai(
      '0B',
      size('20B', 'preamble and inter-frame gap: link time around every packet and frame, in no buffer', {
        maximum: 1024,
      }),
    ),
  },
  queuePair: {
    perFlow: inSimai(
      1,
      count(
        'auto',
        'queue pairs that a transfer is split over, in whole packets; each has its own source port, and so its ' +
          'own path; auto: one for each of the two ports of a NIC or of several NVSwitches, else one',
        { orAuto: true, minimum: 1, maximum: 64 },
      ),
    ),
    portChoice: inSimai(
      'hash',
      choice(
        ['in-turn', 'hash'],
        'in-turn',
        'which port of a NIC each of several queue pairs of a flow leaves by: in turn, by a source port chosen ' +
          'so, or as the hash of the next source port falls',
      ),
    ),
    priority: count(3, 'switch queue of data packets (0 is strict and never paused)', { minimum: 1, maximum: 7 }),
    acknowledgementPriority: count(3, 'switch queue of ACKs; 0 puts them before all data', { minimum: 0, maximum: 7 }),
    window: size(
      'max-bdp',
      'payload bytes in flight: largest bandwidth-delay product of the fabric, that of the pair, no limit, or a size',
      { words: ['max-bdp', 'pair-bdp', 'unlimited'], minimum: 1 },
    ),
    variableWindow: flag(true, 'shrink the window in proportion to the rate'),
    rateBound: flag(true, "pace packets at the congestion control's rate (off: window only)"),
    nackInterval: time('500us', 'a receiver repeats a NACK for the same gap after this time'),
    notificationInterval: time(
      '0us',
      'a receiver tells a sender of marks at most once in this time (RoCE NICs: 50us between CNPs); 0 = with every marked packet',
    ),
    notificationDelay: time(
      '0us',
      'from a marked packet at the receiver to a CNP that tells its sender; 0 = no CNPs, the ACK tells',
    ),
    acknowledgementInterval: count(
      1,
      'a receiver acknowledges every so many packets in order; the last one, duplicates and gaps at once',
      { minimum: 1, maximum: 1000 },
    ),
    acknowledgementDelay: time('10us', 'no packet waits longer for its ACK, whatever the interval', { positive: true }),
    goBackTo: choice(
      ['missing-packet', 'chunk-start', 'message-start'],
      'missing-packet',
      'where both ends go back to after a loss: the packet (go-back-N), the start of its chunk, or that of the message (go-back-0)',
    ),
    chunk: size('64KiB', 'chunk of goBackTo, rounded up to whole packets', { minimum: 1 }),
    retransmissionTimeout: inSimai(
      '16ms',
      time(
        'auto',
        'a sender without progress for this time goes back to the first unacknowledged packet; 0 = never; ' +
          'auto: where packets may be lost, the largest round trip and the time to empty a full switch buffer ' +
          '(at least 500 us), doubled with every timeout in a row up to 16 ms; 16 ms elsewhere',
        { orAuto: true },
      ),
    ),
    retries: count(
      7,
      'timeouts in a row after which a sender gives up; with retransmissionTimeout auto: as many as it takes to wait as long as with 16ms',
      { minimum: 0, maximum: 1000 },
    ),
  },
  transport: {
    algorithm: mechanismNames('go-back-n', 'how data gets there reliably'),
  },
  congestion: {
    algorithm: mechanismNames('dcqcn', 'congestion control of the sending NIC'),
  },
  ecn: {
    enabled: flag(true, "switches mark packets (RED between the thresholds of the port's rate)"),
  },
  pfc: {
    enabled: flag(true, 'switches pause their upstream before they overflow; off: they drop (switch.dropThreshold)'),
    threshold: choice(
      ['dynamic', 'static'],
      'dynamic',
      'how much of the shared buffer an ingress queue may hold before it pauses its upstream: a share of what is free, or a fixed size',
    ),
    thresholdShift: count(3, 'dynamic threshold: free shared buffer divided by 2 to this power', {
      minimum: 0,
      maximum: 16,
    }),
    staticThreshold: size('100kB', 'static threshold: shared buffer of an ingress queue', { minimum: 1 }),
    headroom: inSimai(
      'delays',
      choice(
        ['cable', 'delays'],
        'cable',
        'what is set apart for each port: all that can arrive until a pause holds (IEEE 802.1Qbb), or headroomDelays cable delays',
      ),
    ),
    headroomDelays: fraction(3, "headroom of a port in units of its rate x its cable's latency", {
      minimum: 0,
      maximum: 1000,
    }),
    responseTime: inSimai(
      '0us',
      time('614.4ns', 'time from the arrival of a pause or resume to its effect; IEEE 802.1Qbb: at most 614.4 ns'),
    ),
    pauseTime: time(
      '0us',
      'how long a pause lasts, rounded to quanta of 512 bit times of its link; it is sent again after half of that; 0 = until it is resumed',
    ),
    watchdog: choice(
      ['off', 'drop', 'forward', 'alert'],
      'off',
      'what switches do about a queue that pauses hold for watchdogDetectionTime (a storm): nothing; drop its packets; ignore its pauses and send; log it',
    ),
    watchdogDetectionTime: time(
      '200ms',
      'a queue of a switch that is paused without interruption for this time is in a storm (SONiC: 100 ms to 5 s)',
      { positive: true },
    ),
    watchdogRestorationTime: time(
      '0us',
      'a storm is over when no pause has held the queue for this time; 0: twice watchdogDetectionTime',
    ),
    reserve: size('4096B', 'bytes reserved for each ingress port'),
    resumeOffset: size('3072B', 'hysteresis: bytes below the threshold at which a paused port resumes'),
  },
  reorder: {
    buffer: size(
      '0B',
      'reorder buffer of each host, before a transport that takes packets in order only: packets ahead of their turn wait in it; 0 = none',
    ),
    timeout: time('100us', 'packets wait no longer behind one that is missing', { positive: true }),
  },
  loss: lossSettings,
  switch: {
    buffer: size('32MiB', 'shared packet buffer of a switch', { minimum: 1 }),
    dropThreshold: fraction(
      1,
      'with PFC off: what a queue of an output port may hold before it drops, in units of the free buffer ' +
        '(alpha of dynamic thresholds; SONiC: 2^-7 to 2^7, 1 or 8 for lossy queues)',
      { minimum: 0.0078125, maximum: 128 },
    ),
    trimming: flag(
      false,
      'with PFC off: a data packet that finds no room loses its payload, and its header goes on in queue 0 (a transport that understands it: uec)',
    ),
    trimmedPacket: size('64B', 'bytes of a trimmed packet; 64: the shortest Ethernet frame', {
      minimum: 1,
      maximum: 1024,
    }),
    latency: time(
      '0us',
      'from the last bit of a packet at a switch until it can be queued at its output; PFC frames do not take it',
    ),
    nvswitchLatency: time('0us', 'the same for NVSwitches'),
  },
  fastForward: {
    enabled: flag(
      false,
      'phases of collectives that repeat, at other times or in parts of the network that are alike, are ' +
        'replayed and not simulated again; part of them is simulated all the same and compared',
    ),
    tolerance: time(
      '0ps',
      'by how much ranks may come earlier or later than in the phase that is replayed; 0: not at all',
    ),
    sampleEvery: count(
      64,
      'every so many replays of a phase, from the first one on, it is simulated, too, and compared',
      { minimum: 1, maximum: 1_000_000 },
    ),
    leaps: flag(
      true,
      'a long phase leaps over most of a stretch in which all ranks wait for what is under way, at the rate of the transfers before it; off: replays alone',
    ),
  },
  sampling: samplingSettings,
  polling: pollingSettings,
  probes: {
    queueInterval: time('0us', 'the queues of all ports are looked at once in this time; 0 = never'),
    queueSamples: count(
      0,
      'after so many samples of queues their interval doubles, so that a long run has few rows; 0 = never',
      { minimum: 0, maximum: 1_000_000 },
    ),
    bandwidthInterval: time('0us', 'what each port sent is recorded once in this time; 0 = never'),
    reorderInterval: time(
      '0us',
      'the reorder queues of switches with hosts (conweave) are looked at once in this time; 0 = never',
    ),
    rateInterval: time('0us', 'the rates of all queue pairs are looked at once in this time; 0 = never'),
    notificationInterval: time(
      '0us',
      'the notifications of marks (CNPs) of all queue pairs are looked at once in this time; 0 = never',
    ),
    packetLatency: flag(false, 'record how long data packets take from NIC to NIC'),
    pfcEvents: flag(false, 'record every PFC frame where it arrives'),
    pauses: flag(false, 'trace every PFC pause to its cause: the tree of pauses, and the output ports at its roots'),
    portCounters: flag(false, 'record at the end what each port did by priority'),
    packetLosses: flag(false, 'record every packet that is lost or dropped: which, where and why'),
    rnicDmaOps: flag(false, "record every operation of the RNICs' DMA"),
    rnicDmaStats: flag(false, "look at the DMA of each host's RNIC once in rnicInterval"),
    memoryUsage: flag(false, 'look at the adamaps that each host keeps once in rnicInterval'),
    rnicInterval: time(
      '10us',
      "RNICs are looked at once in this time (OmniDMA's simulator: 10us in its README, 100us in its code)",
      { positive: true },
    ),
    adamapCache: flag(
      false,
      "record at the end of each flow how often its receiver's RNIC held the adamap that was looked for",
    ),
    adamapEvents: flag(false, 'record what happens to every adamap'),
    start: time('0us', 'samples and packet latencies are recorded from this time on'),
    end: time('0us', 'samples and packet latencies are recorded up to this time; 0 = to the end of the run'),
  },
} as const;

/** Resolved values of one group, such as `dcqcn`. */
export type PacketGroup<K extends keyof typeof packetSettings> = SettingValues<(typeof packetSettings)[K]>;

/** How a host receives. */
export interface ReceiveBuffer {
  /** bytes of a priority at which its leaf is paused */
  readonly sizeBytes: number;
  /** share of its link's rate at which it drains, below 1 */
  readonly speed: number;
}

/** Everything the packet backend needs besides the fabric and its routes. */
export type PacketSettings = { readonly [K in keyof typeof packetSettings]: PacketGroup<K> } & {
  /** thresholds by port rate; a switch port whose rate is missing is an error of the plan */
  readonly ecnThresholds: readonly EcnThreshold[];
  /** names of the flow controls at work (mechanisms.ts); none at all is a choice */
  readonly flowControl: readonly string[];
  readonly losses: LossPlan;
  /** by node: hosts with a receive buffer, which they drain at their receive speed */
  readonly receiveBuffers: ReadonlyMap<number, ReceiveBuffer>;
  /** name of the balancing (mechanisms.ts) */
  readonly balancing: string;
  /** settings that mechanisms bring themselves, resolved, by group */
  readonly own: Readonly<Record<string, GroupValues>>;
};

/** What of PacketSettings is no group of the catalogue above. */
export type PacketChoices = Pick<
  PacketSettings,
  'ecnThresholds' | 'flowControl' | 'losses' | 'receiveBuffers' | 'balancing' | 'own'
>;

/** The choices of a run that makes none. */
export const defaultPacketChoices: PacketChoices = {
  ecnThresholds: defaultEcnThresholds,
  flowControl: ['pfc'],
  losses: noLossPlan,
  receiveBuffers: new Map(),
  balancing: 'ecmp',
  own: {},
};

/** The settings of a run that gives none but the profile. */
export function defaultPacketSettings(profile: PacketProfile = 'rocev2'): PacketSettings {
  const groups: Record<string, unknown> = {};
  for (const [name, group] of Object.entries(withProfile(packetSettings, profile)))
    groups[name] = settingDefaults(group);
  const plain = groups as Omit<PacketSettings, keyof PacketChoices>;
  return { ...plain, packet: { ...plain.packet, profile }, ...defaultPacketChoices };
}
