// Every key of the config.txt of HPCC, ConWeave and OmniDMA that Weft knows: what it sets here, or why it sets nothing.
// The one table of the reader, its messages and docs/formats/hpcc-config.md. Keys that SimAI.conf has with the same
// meaning stand in simai/conf-keys.ts.
// Invariant: a key either has a meaning or a reason, never both and never neither.
// Source: the configs that the run.py of ConWeave and OmniDMA write, HPCC's config.txt (docs/SOURCES.md), those of
// PowerTCP (github.com/inet-tub/ns3-datacenter), and that of ns3-rdma (github.com/bobzhuyb/ns3-rdma), from which all of
// them come.

import { type ConfKey, confKeys } from '../simai/conf-keys.js';

const shared = [
  'ENABLE_QCN',
  'PACKET_PAYLOAD_SIZE',
  'ALPHA_RESUME_INTERVAL',
  'RATE_DECREASE_INTERVAL',
  'CLAMP_TARGET_RATE',
  'RP_TIMER',
  'EWMA_GAIN',
  'FAST_RECOVERY_TIMES',
  'RATE_AI',
  'RATE_HAI',
  'MIN_RATE',
  'DCTCP_RATE_AI',
  'VAR_WIN',
  'RATE_BOUND',
  'FAST_REACT',
  'U_TARGET',
  'MI_THRESH',
  'MULTI_RATE',
  'ACK_HIGH_PRIO',
  'KMIN_MAP',
  'KMAX_MAP',
  'PMAX_MAP',
  'ERROR_RATE_PER_LINK',
  'LINK_DOWN',
  'PINT_LOG_BASE',
  'PINT_PROB',
  'NIC_TOTAL_PAUSE_TIME',
  'INT_MULTI',
  'SAMPLE_FEEDBACK',
  'DATA_RATE',
  'LINK_DELAY',
  'L2_WAIT_FOR_ACK',
  'ENABLE_TRACE',
] as const;

const special = (form: ConfKey['form'], settings: readonly string[], does: string): ConfKey => ({
  form,
  meaning: 'special',
  settings,
  does,
});
const microseconds = (...settings: readonly string[]): ConfKey => ({
  form: 'number',
  meaning: 'microseconds',
  settings,
});
const ignored = (form: ConfKey['form'], reason: string, ...asHere: readonly string[]): ConfKey => ({
  form,
  reason,
  asHere,
});

/** The files of OmniDMA's statistics, and the probes that write them. */
export const rnicFiles = {
  RNIC_DMA_OPS_FILE: 'rnicDmaOps',
  RNIC_DMA_STATS_FILE: 'rnicDmaStats',
  MEMORY_USAGE_MON_FILE: 'memoryUsage',
  HIT_RATE_OUTPUT_FILE: 'adamapCache',
  OMNIDMA_EVENT_OUTPUT_FILE: 'adamapEvents',
} as const;

/** What ns3-rdma's KMIN and KMAX count: its packets with their headers (BroadcomNode). */
export const thresholdPackets = { bytes: 1030, text: 'packets of 1,030 bytes' } as const;
const packetsText = thresholdPackets.text;

const folder =
  'results go to the folder of --out, in files of their own names; probes are asked for by --set: ' +
  'probes.pfcEvents=true (PFC), probes.notificationInterval=100us (CNP), probes.queueInterval=10us (QLEN), ' +
  'probes.bandwidthInterval=10us (UPLINK)';
const probes = 'what is sampled, and how often, is said by probes.*';
const flows = 'the flow file says what is sent, and when';

export const hpccKeys: Readonly<Record<string, ConfKey>> = {
  TOPOLOGY_FILE: special('text', ['fabric.file'], 'relative to the current folder'),
  FLOW_FILE: special('text', ['traffic.file'], 'relative to the current folder'),
  CC_MODE: special(
    'count',
    ['congestion.algorithm', 'packet.header', 'packet.acknowledgement'],
    '1 DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP, 10 HPCC-PINT; HPCC adds 42, TIMELY 8 and HPCC-PINT 2 bytes to the headers of 48 B (56 B with a key of OmniDMA)',
  ),
  LB_MODE: special(
    'count',
    ['routing.balancing'],
    '0 ecmp, 2 drill, 3 conga, 6 letflow, 9 conweave, 12 and 13 spray; any other number is an error',
  ),
  ENABLE_PFC: special('flag', ['pfc.enabled'], 'at most one of ENABLE_PFC, ENABLE_IRN and ENABLE_OMNIDMA is 1'),
  ENABLE_IRN: special(
    'flag',
    ['transport.algorithm', 'irn.recovery'],
    '1: irn, with the recovery of that simulator (`rewind`)',
  ),
  ENABLE_OMNIDMA: special('flag', ['transport.algorithm', 'rnic.dma'], '1: omnidma, over a DMA of two ways (`duplex`)'),
  ENABLE_OMNIDMA_CUBIC: ignored(
    'flag',
    'there is no CUBIC under OmniDMA: in its simulator the window stalls after the first loss (omnidma.window, dcqcn are what there is)',
    '0',
  ),
  OMNIDMA_BITMAP_SIZE: { form: 'count', meaning: 'number', settings: ['omnidma.bitmap'] },
  RNIC_DMA_BW: { form: 'rate', meaning: 'rate', settings: ['rnic.dmaBandwidth'] },
  RNIC_DMA_FIXED_LATENCY_NS: special('number', ['rnic.dmaLatency'], 'ns'),
  RNIC_DMA_TLP_PAYLOAD_BYTES: { form: 'count', meaning: 'bytes', settings: ['rnic.tlpPayload'] },
  HAS_WIN: special(
    'flag',
    ['queuePair.window'],
    '0: `unlimited`, for IRN the size that its simulator has for the name of the topology file; 1: ' +
      'SELF_WIN_BYTES with SELF_DEFINE_WIN 1, else `max-bdp`, or `pair-bdp` with GLOBAL_T 0',
  ),
  SELF_DEFINE_WIN: special('flag', ['queuePair.window'], 'with HAS_WIN 1: the window is SELF_WIN_BYTES'),
  SELF_WIN_BYTES: special('count', ['queuePair.window'], 'bytes, with HAS_WIN 1 and SELF_DEFINE_WIN 1'),
  GLOBAL_T: special('flag', ['queuePair.window'], 'with HAS_WIN 1: 1 `max-bdp`, 0 `pair-bdp`'),
  BUFFER_SIZE: special('number', ['switch.buffer'], 'MiB per switch; 0, a size by ports, is an error'),
  USE_DYNAMIC_PFC_THRESHOLD: special('flag', ['pfc.threshold'], '1: `dynamic`; 0: `static`'),
  PAUSE_TIME: ignored('number', 'a pause lasts until it is resumed (pfc.pauseTime gives pauses a time)'),
  MY_SWITCH_TOTAL_DROP_RATE: { form: 'number', meaning: 'number', settings: ['loss.rate'] },
  SWITCH_DROP_MODE: special(
    'text',
    ['loss.model'],
    'lossrate: `amazon`, the mix that it begins with; seqnum: `sequence`; timestep: `time`; none: nothing is lost',
  ),
  SWITCH_DROP_SEQNUM_CONFIG_FILE: special('text', ['loss.file'], 'with SWITCH_DROP_MODE seqnum'),
  SWITCH_DROP_TIMESTEP_CONFIG_FILE: special('text', ['loss.file'], 'with SWITCH_DROP_MODE timestep'),
  SWITCH_DROP_SWITCH_CONFIG_FILE: special(
    'text',
    ['loss.places'],
    'with SWITCH_DROP_MODE lossrate: the switches and ports that lose packets (`0 [all]`, `3 [1,2,5-8]`)',
  ),
  CONWEAVE_TX_EXPIRY_TIME: microseconds('conweave.expiryTime'),
  CONWEAVE_REPLY_TIMEOUT_EXTRA: microseconds('conweave.replyTime'),
  CONWEAVE_PATH_PAUSE_TIME: microseconds('conweave.avoidTime'),
  CONWEAVE_EXTRA_VOQ_FLUSH_TIME: microseconds('conweave.tailTime'),
  CONWEAVE_DEFAULT_VOQ_WAITING_TIME: microseconds('conweave.unknownTime'),
  VOQ_MON_FILE: special(
    'text',
    ['probes.reorderInterval'],
    'with LB_MODE 9: reorder queues are recorded, in `out_voq.txt` of the folder of --out, once in SW_MONITORING_INTERVAL',
  ),
  SW_MONITORING_INTERVAL: special(
    'number',
    ['probes.reorderInterval'],
    'ns, with LB_MODE 9 and VOQ_MON_FILE; 10000 without it',
  ),
  SIMULATOR_STOP_TIME: special('number', ['stopTime'], 'seconds of the simulation at which the run ends'),
  PACKET_LEVEL_ECMP: special('flag', ['routing.balancing'], '1: `spray`; LB_MODE counts if both are given'),
  FLOW_LEVEL_ECMP: ignored('flag', 'flows that may take several ways are spread over them by a hash', '1'),
  KMIN: special('number', ['ecn.thresholds'], `${packetsText}, for ports of every rate, if there are no maps`),
  KMAX: special('number', ['ecn.thresholds'], `${packetsText}, for ports of every rate, if there are no maps`),
  PMAX: special('number', ['ecn.thresholds'], 'probability, for ports of every rate, if there are no maps'),
  DCTCP_GAIN: { form: 'number', meaning: 'number', settings: ['dcqcn.gain', 'dctcp.gain'] },
  CNP_INTERVAL: microseconds('queuePair.notificationInterval'),
  BYTE_COUNTER: ignored('number', 'DCQCN has no byte counter here: rates rise by time alone (dcqcn.increaseInterval)'),
  CLAMP_TARGET_RATE_AFTER_TIMER: ignored(
    'flag',
    'the target rate is clamped when a rate falls (dcqcn.clampTargetRate)',
    '0',
  ),
  NP_SAMPLING_INTERVAL: ignored('number', 'a receiver looks at every mark', '0'),
  L2_TEST_READ: ignored('flag', 'there are no RDMA reads: a flow goes from its source to its destination', '0'),
  SEND_IN_CHUNKS: ignored('flag', 'a sender does not wait between chunks', '0'),
  TCP_FLOW_FILE: ignored('text', 'there is no TCP'),
  RANDOM_SEED: { form: 'count', meaning: 'number', settings: ['seed'] },
  L2_BACK_TO_ZERO: ignored('flag', 'a sender goes back to the missing packet (queuePair.goBackTo)', '0'),
  L2_CHUNK_SIZE: ignored('count', 'it counts with L2_BACK_TO_ZERO 1 alone', '0', '4000'),
  L2_ACK_INTERVAL: { form: 'count', meaning: 'number', settings: ['queuePair.acknowledgementInterval'] },
  ...Object.fromEntries(
    [
      'CNP_OUTPUT_FILE',
      'FCT_OUTPUT_FILE',
      'PFC_OUTPUT_FILE',
      'QLEN_MON_FILE',
      'VOQ_MON_DETAIL_FILE',
      'UPLINK_MON_FILE',
      'CONN_MON_FILE',
      'EST_ERROR_MON_FILE',
      'SND_RCV_OUTPUT_FILE',
      'TRACE_OUTPUT_FILE',
      'TRACE_FILE',
    ].map((name) => [name, ignored('text', folder)]),
  ),
  ...Object.fromEntries(
    ['QLEN_MON_START', 'QLEN_MON_END', 'QLEN_MON_INTERVAL', 'QLEN_MON_DUMP_INTERVAL'].map((name) => [
      name,
      ignored('number', probes),
    ]),
  ),
  ...Object.fromEntries(
    ['FLOWGEN_START_TIME', 'FLOWGEN_STOP_TIME', 'APP_START_TIME', 'APP_STOP_TIME', 'FLOW_INPUT_FILE', 'LOAD'].map(
      (name) => [name, ignored('text', flows)],
    ),
  ),
  ...Object.fromEntries(
    Object.entries(rnicFiles).map(([name, probe]) => [
      name,
      special(
        'text',
        [`probes.${probe}`],
        'with ENABLE_OMNIDMA 1: it is written, under its own name, into the folder of --out',
      ),
    ]),
  ),
  SWITCH_DROP_OUTPUT_FILE: special(
    'text',
    ['probes.packetLosses'],
    'where a loss model is at work: it is written, under its own name, into the folder of --out',
  ),
  OMNI_MONITORING_INTERVAL: special('number', ['probes.rnicInterval'], 'ns, with ENABLE_OMNIDMA 1'),
  OMNIDMA_TX_EXPIRY_TIME: ignored('text', 'its own program does not read it'),
  OMNIDMA_REPLY_TIMEOUT_EXTRA: ignored('text', 'its own program does not read it'),
  ...Object.fromEntries(shared.map((name) => [name, confKeys[name]!])),
};
