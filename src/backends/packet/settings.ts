// Long because it is one table.
// The catalogue of the packet backend's settings; mechanisms bring their own (mechanisms.ts). Packets and
// headroom are RoCEv2's, timeouts and HPCC's additive increase are derived (packet-profiles.ts); all other defaults are
// those of SimAI's shipped configuration, so that a run with the profile simai can be compared with it figure by
// figure.

import {
  choice,
  type ChoiceSetting,
  type GroupValues,
  settingDefaults,
  type SettingValues,
} from '../../base/settings.js';
import { samplingSettings } from '../../sampling/sampling-settings.js';
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
    payload: inSimai('9000B', {
      kind: 'size',
      default: '4096B',
      minimum: 256,
      maximum: 65_535,
      description: 'most payload bytes in a data packet',
    }),
    header: inSimai('52B', {
      kind: 'size',
      default: '62B',
      maximum: 1024,
      description: 'bytes of a data packet besides its payload',
    }),
    acknowledgement: inSimai('60B', {
      kind: 'size',
      default: '66B',
      minimum: 1,
      maximum: 1024,
      description: 'bytes of an ACK or NACK',
    }),
    notification: inSimai('60B', {
      kind: 'size',
      default: '78B',
      minimum: 1,
      maximum: 1024,
      description: 'bytes of a CNP, which is sent only with queuePair.notificationDelay',
    }),
    pauseFrame: inSimai('43B', {
      kind: 'size',
      default: '64B',
      minimum: 1,
      maximum: 1024,
      description: 'bytes of a PFC frame',
    }),
    gap: inSimai('0B', {
      kind: 'size',
      default: '20B',
      maximum: 1024,
      description: 'preamble and inter-frame gap: link time around every packet and frame, in no buffer',
    }),
  },
  queuePair: {
    perFlow: inSimai(1, {
      kind: 'count',
      default: 'auto',
      orAuto: true,
      minimum: 1,
      maximum: 64,
      description:
        'queue pairs that a transfer is split over, in whole packets; each has its own source port, and so its ' +
        'own path; auto: one for each of the two ports of a NIC or of several NVSwitches, else one',
    }),
    portChoice: inSimai(
      'hash',
      choice(
        ['in-turn', 'hash'],
        'in-turn',
        'which port of a NIC each of several queue pairs of a flow leaves by: in turn, by a source port chosen ' +
          'so, or as the hash of the next source port falls',
      ),
    ),
    priority: {
      kind: 'count',
      default: 3,
      minimum: 1,
      maximum: 7,
      description: 'switch queue of data packets (0 is strict and never paused)',
    },
    acknowledgementPriority: {
      kind: 'count',
      default: 3,
      minimum: 0,
      maximum: 7,
      description: 'switch queue of ACKs; 0 puts them before all data',
    },
    window: {
      kind: 'size',
      default: 'max-bdp',
      words: ['max-bdp', 'pair-bdp', 'unlimited'],
      minimum: 1,
      description:
        'payload bytes in flight: largest bandwidth-delay product of the fabric, that of the pair, no limit, or a size',
    },
    variableWindow: { kind: 'flag', default: true, description: 'shrink the window in proportion to the rate' },
    rateBound: {
      kind: 'flag',
      default: true,
      description: "pace packets at the congestion control's rate (off: window only)",
    },
    nackInterval: {
      kind: 'time',
      default: '500us',
      description: 'a receiver repeats a NACK for the same gap after this time',
    },
    notificationInterval: {
      kind: 'time',
      default: '0us',
      description:
        'a receiver tells a sender of marks at most once in this time (RoCE NICs: 50us between CNPs); 0 = with every marked packet',
    },
    notificationDelay: {
      kind: 'time',
      default: '0us',
      description: 'from a marked packet at the receiver to a CNP that tells its sender; 0 = no CNPs, the ACK tells',
    },
    acknowledgementInterval: {
      kind: 'count',
      default: 1,
      minimum: 1,
      maximum: 1000,
      description: 'a receiver acknowledges every so many packets in order; the last one, duplicates and gaps at once',
    },
    acknowledgementDelay: {
      kind: 'time',
      default: '10us',
      positive: true,
      description: 'no packet waits longer for its ACK, whatever the interval',
    },
    goBackTo: choice(
      ['missing-packet', 'chunk-start', 'message-start'],
      'missing-packet',
      'where both ends go back to after a loss: the packet (go-back-N), the start of its chunk, or that of the message (go-back-0)',
    ),
    chunk: {
      kind: 'size',
      default: '64KiB',
      minimum: 1,
      description: 'chunk of goBackTo, rounded up to whole packets',
    },
    retransmissionTimeout: inSimai('16ms', {
      kind: 'time',
      default: 'auto',
      orAuto: true,
      description:
        'a sender without progress for this time goes back to the first unacknowledged packet; 0 = never; ' +
        'auto: where packets may be lost, the largest round trip and the time to empty a full switch buffer ' +
        '(at least 500 us), doubled with every timeout in a row up to 16 ms; 16 ms elsewhere',
    }),
    retries: {
      kind: 'count',
      default: 7,
      minimum: 0,
      maximum: 1000,
      description:
        'timeouts in a row after which a sender gives up; with retransmissionTimeout auto: as many as it takes to wait as long as with 16ms',
    },
  },
  transport: {
    algorithm: mechanismNames('go-back-n', 'how data gets there reliably'),
  },
  congestion: {
    algorithm: mechanismNames('dcqcn', 'congestion control of the sending NIC'),
  },
  ecn: {
    enabled: {
      kind: 'flag',
      default: true,
      description: "switches mark packets (RED between the thresholds of the port's rate)",
    },
  },
  pfc: {
    enabled: {
      kind: 'flag',
      default: true,
      description: 'switches pause their upstream before they overflow; off: they drop (switch.dropThreshold)',
    },
    threshold: choice(
      ['dynamic', 'static'],
      'dynamic',
      'how much of the shared buffer an ingress queue may hold before it pauses its upstream: a share of what is free, or a fixed size',
    ),
    thresholdShift: {
      kind: 'count',
      default: 3,
      minimum: 0,
      maximum: 16,
      description: 'dynamic threshold: free shared buffer divided by 2 to this power',
    },
    staticThreshold: {
      kind: 'size',
      default: '100kB',
      minimum: 1,
      description: 'static threshold: shared buffer of an ingress queue',
    },
    headroom: inSimai(
      'delays',
      choice(
        ['cable', 'delays'],
        'cable',
        'what is set apart for each port: all that can arrive until a pause holds (IEEE 802.1Qbb), or headroomDelays cable delays',
      ),
    ),
    headroomDelays: {
      kind: 'fraction',
      default: 3,
      minimum: 0,
      maximum: 1000,
      description: "headroom of a port in units of its rate x its cable's latency",
    },
    responseTime: inSimai('0us', {
      kind: 'time',
      default: '614.4ns',
      description: 'time from the arrival of a pause or resume to its effect; IEEE 802.1Qbb: at most 614.4 ns',
    }),
    pauseTime: {
      kind: 'time',
      default: '0us',
      description:
        'how long a pause lasts, rounded to quanta of 512 bit times of its link; it is sent again after half of that; 0 = until it is resumed',
    },
    watchdog: choice(
      ['off', 'drop', 'forward', 'alert'],
      'off',
      'what switches do about a queue that pauses hold for watchdogDetectionTime (a storm): nothing; drop its packets; ignore its pauses and send; log it',
    ),
    watchdogDetectionTime: {
      kind: 'time',
      default: '200ms',
      positive: true,
      description:
        'a queue of a switch that is paused without interruption for this time is in a storm (SONiC: 100 ms to 5 s)',
    },
    watchdogRestorationTime: {
      kind: 'time',
      default: '0us',
      description: 'a storm is over when no pause has held the queue for this time; 0: twice watchdogDetectionTime',
    },
    reserve: { kind: 'size', default: '4096B', description: 'bytes reserved for each ingress port' },
    resumeOffset: {
      kind: 'size',
      default: '3072B',
      description: 'hysteresis: bytes below the threshold at which a paused port resumes',
    },
  },
  reorder: {
    buffer: {
      kind: 'size',
      default: '0B',
      description:
        'reorder buffer of each host, before a transport that takes packets in order only: packets ahead of their turn wait in it; 0 = none',
    },
    timeout: {
      kind: 'time',
      default: '100us',
      positive: true,
      description: 'packets wait no longer behind one that is missing',
    },
  },
  loss: lossSettings,
  switch: {
    buffer: { kind: 'size', default: '32MiB', minimum: 1, description: 'shared packet buffer of a switch' },
    dropThreshold: {
      kind: 'fraction',
      default: 1,
      minimum: 0.0078125,
      maximum: 128,
      description:
        'with PFC off: what a queue of an output port may hold before it drops, in units of the free buffer ' +
        '(alpha of dynamic thresholds; SONiC: 2^-7 to 2^7, 1 or 8 for lossy queues)',
    },
    trimming: {
      kind: 'flag',
      default: false,
      description:
        'with PFC off: a data packet that finds no room loses its payload, and its header goes on in queue 0 (a transport that understands it: uec)',
    },
    trimmedPacket: {
      kind: 'size',
      default: '64B',
      minimum: 1,
      maximum: 1024,
      description: 'bytes of a trimmed packet; 64: the shortest Ethernet frame',
    },
    latency: {
      kind: 'time',
      default: '0us',
      description:
        'from the last bit of a packet at a switch until it can be queued at its output; PFC frames do not take it',
    },
    nvswitchLatency: { kind: 'time', default: '0us', description: 'the same for NVSwitches' },
  },
  fastForward: {
    enabled: {
      kind: 'flag',
      default: false,
      description:
        'phases of collectives that repeat, at other times or in parts of the network that are alike, are ' +
        'replayed and not simulated again; part of them is simulated all the same and compared',
    },
    tolerance: {
      kind: 'time',
      default: '0ps',
      description: 'by how much ranks may come earlier or later than in the phase that is replayed; 0: not at all',
    },
    sampleEvery: {
      kind: 'count',
      default: 64,
      minimum: 1,
      maximum: 1_000_000,
      description: 'every so many replays of a phase, from the first one on, it is simulated, too, and compared',
    },
    leaps: {
      kind: 'flag',
      default: true,
      description:
        'a long phase leaps over most of a stretch in which all ranks wait for what is under way, at the rate of the transfers before it; off: replays alone',
    },
  },
  sampling: samplingSettings,
  probes: {
    queueInterval: {
      kind: 'time',
      default: '0us',
      description: 'the queues of all ports are looked at once in this time; 0 = never',
    },
    bandwidthInterval: {
      kind: 'time',
      default: '0us',
      description: 'what each port sent is recorded once in this time; 0 = never',
    },
    reorderInterval: {
      kind: 'time',
      default: '0us',
      description: 'the reorder queues of switches with hosts (conweave) are looked at once in this time; 0 = never',
    },
    rateInterval: {
      kind: 'time',
      default: '0us',
      description: 'the rates of all queue pairs are looked at once in this time; 0 = never',
    },
    notificationInterval: {
      kind: 'time',
      default: '0us',
      description: 'the notifications of marks (CNPs) of all queue pairs are looked at once in this time; 0 = never',
    },
    packetLatency: { kind: 'flag', default: false, description: 'record how long data packets take from NIC to NIC' },
    pfcEvents: { kind: 'flag', default: false, description: 'record every PFC frame where it arrives' },
    pauses: {
      kind: 'flag',
      default: false,
      description: 'trace every PFC pause to its cause: the tree of pauses, and the output ports at its roots',
    },
    portCounters: { kind: 'flag', default: false, description: 'record at the end what each port did by priority' },
    packetLosses: {
      kind: 'flag',
      default: false,
      description: 'record every packet that is lost or dropped: which, where and why',
    },
    rnicDmaOps: { kind: 'flag', default: false, description: "record every operation of the RNICs' DMA" },
    rnicDmaStats: {
      kind: 'flag',
      default: false,
      description: "look at the DMA of each host's RNIC once in rnicInterval",
    },
    memoryUsage: {
      kind: 'flag',
      default: false,
      description: 'look at the adamaps that each host keeps once in rnicInterval',
    },
    rnicInterval: {
      kind: 'time',
      default: '10us',
      positive: true,
      description: "RNICs are looked at once in this time (OmniDMA's simulator: 10us in its README, 100us in its code)",
    },
    adamapCache: {
      kind: 'flag',
      default: false,
      description: "record at the end of each flow how often its receiver's RNIC held the adamap that was looked for",
    },
    adamapEvents: { kind: 'flag', default: false, description: 'record what happens to every adamap' },
    start: { kind: 'time', default: '0us', description: 'samples and packet latencies are recorded from this time on' },
    end: {
      kind: 'time',
      default: '0us',
      description: 'samples and packet latencies are recorded up to this time; 0 = to the end of the run',
    },
  },
} as const;

/** Resolved values of one group, such as `dcqcn`. */
export type PacketGroup<K extends keyof typeof packetSettings> = SettingValues<(typeof packetSettings)[K]>;

/** Everything the packet backend needs besides the fabric and its routes. */
export type PacketSettings = { readonly [K in keyof typeof packetSettings]: PacketGroup<K> } & {
  /** thresholds by port rate; a switch port whose rate is missing is an error of the plan */
  readonly ecnThresholds: readonly EcnThreshold[];
  /** names of the flow controls at work (mechanisms.ts); none at all is a choice */
  readonly flowControl: readonly string[];
  readonly losses: LossPlan;
  /** name of the balancing (mechanisms.ts) */
  readonly balancing: string;
  /** settings that mechanisms bring themselves, resolved, by group */
  readonly own: Readonly<Record<string, GroupValues>>;
};

/** What of PacketSettings is no group of the catalogue above. */
export type PacketChoices = Pick<PacketSettings, 'ecnThresholds' | 'flowControl' | 'losses' | 'balancing' | 'own'>;

/** The choices of a run that makes none. */
export const defaultPacketChoices: PacketChoices = {
  ecnThresholds: defaultEcnThresholds,
  flowControl: ['pfc'],
  losses: noLossPlan,
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
