// Every key of a SimAI.conf that Weft knows: what it sets here, or why it sets nothing. The one table of the reader,
// its messages and docs/formats/simai-conf.md. Source: SimAI 1.6's conf and its reader, and section 8 of the
// communication-stack document (docs/SOURCES.md).
// Invariant: a key either has a meaning or a reason, never both and never neither.

import type { ConfForm } from '../../../formats/simai-conf.js';

/** How the value of a key becomes the value of settings. */
export type ConfMeaning = 'flag' | 'number' | 'microseconds' | 'bytes' | 'rate' | 'special';

export interface ConfKey {
  readonly form: ConfForm;
  readonly meaning?: ConfMeaning;
  /** the settings it gives, as paths of a scenario */
  readonly settings?: readonly string[];
  /** for a special meaning, or to add to the settings: what it does, for the documentation */
  readonly does?: string;
  /** why nothing is done with it */
  readonly reason?: string;
  /** with these values it asks for what Weft does anyway, so that nothing has to be said */
  readonly asHere?: readonly string[];
}

const set = (form: ConfForm, meaning: ConfMeaning, ...settings: readonly string[]): ConfKey => ({
  form,
  meaning,
  settings,
});
const special = (form: ConfForm, settings: readonly string[], does: string): ConfKey => ({
  form,
  meaning: 'special',
  settings,
  does,
});
const ignored = (form: ConfForm, reason: string, ...asHere: readonly string[]): ConfKey => ({ form, reason, asHere });

const unused = 'SimAI reads it and does nothing with it';
const ownFiles = 'flows come from --trace or --workload, and results go to the folder of --out';

export const confKeys: Readonly<Record<string, ConfKey>> = {
  ENABLE_QCN: set('flag', 'flag', 'ecn.enabled'),
  ECN_ENABLED: special('flag', ['ecn.enabled'], 'the same as ENABLE_QCN, which counts if both are given'),
  CC_MODE: special(
    'count',
    ['congestion.algorithm', 'packet.header', 'packet.acknowledgement'],
    '1 DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP, 10 HPCC-PINT; any other number: none. HPCC adds 42, TIMELY 8 and HPCC-PINT 2 bytes of telemetry to the headers',
  ),
  PACKET_PAYLOAD_SIZE: set('count', 'bytes', 'packet.payload'),
  ALPHA_RESUME_INTERVAL: set('number', 'microseconds', 'dcqcn.alphaInterval'),
  RATE_DECREASE_INTERVAL: set('number', 'microseconds', 'dcqcn.decreaseInterval'),
  CLAMP_TARGET_RATE: set('flag', 'flag', 'dcqcn.clampTargetRate'),
  RP_TIMER: set('number', 'microseconds', 'dcqcn.increaseInterval'),
  EWMA_GAIN: set('number', 'number', 'dcqcn.gain', 'dctcp.gain'),
  DCTCP_GAIN: set('number', 'number', 'dctcp.gain'),
  FAST_RECOVERY_TIMES: set('count', 'number', 'dcqcn.fastRecoveryRounds'),
  RATE_AI: set('rate', 'rate', 'dcqcn.additiveIncrease', 'timely.additiveIncrease', 'hpcc.additiveIncrease'),
  RATE_HAI: set('rate', 'rate', 'dcqcn.hyperIncrease', 'timely.hyperIncrease'),
  MIN_RATE: set('rate', 'rate', 'dcqcn.minimumRate', 'dctcp.minimumRate', 'timely.minimumRate', 'hpcc.minimumRate'),
  DCTCP_RATE_AI: set('rate', 'rate', 'dctcp.additiveIncrease'),
  HAS_WIN: special('flag', ['queuePair.window'], '1: `max-bdp`; 0: `unlimited`'),
  VAR_WIN: set('flag', 'flag', 'queuePair.variableWindow'),
  RATE_BOUND: set('flag', 'flag', 'queuePair.rateBound'),
  FAST_REACT: set('flag', 'flag', 'hpcc.fastReact'),
  U_TARGET: set('number', 'number', 'hpcc.targetUtilisation'),
  MI_THRESH: set('count', 'number', 'hpcc.maxStage'),
  MULTI_RATE: set('flag', 'flag', 'hpcc.multiRate'),
  ACK_HIGH_PRIO: special(
    'flag',
    ['queuePair.acknowledgementPriority'],
    '1: priority 0, before all data; 0: that of the data',
  ),
  L2_BACK_TO_ZERO: special(
    'flag',
    ['queuePair.goBackTo'],
    '1: `chunk-start`, of chunks of L2_CHUNK_SIZE (0: `message-start`, with a warning); 0: `missing-packet`',
  ),
  L2_CHUNK_SIZE: special(
    'count',
    ['queuePair.chunk'],
    'bytes, with L2_BACK_TO_ZERO 1; see also L2_ACK_INTERVAL. Otherwise nothing, with a warning unless it is 0 or 4000',
  ),
  L2_ACK_INTERVAL: special(
    'count',
    ['queuePair.acknowledgementInterval'],
    '1 or more: 1, with a warning above 1: SimAI 1.6 then acknowledges every packet, whatever the interval; 0: ' +
      'the fewest packets that are a multiple of L2_CHUNK_SIZE',
  ),
  KMIN_MAP: special(
    'map',
    ['ecn.thresholds'],
    "kB by port rate; without one of the three maps its values come from SimAI's shipped table",
  ),
  KMAX_MAP: special('map', ['ecn.thresholds'], 'kB by port rate'),
  PMAX_MAP: special('map', ['ecn.thresholds'], 'probability by port rate'),
  KMIN: special('number', ['ecn.thresholds'], 'the same for every rate, if there are no maps; see units below'),
  KMAX: special('number', ['ecn.thresholds'], 'the same for every rate, if there are no maps; see units below'),
  PMAX: special('number', ['ecn.thresholds'], 'the same for every rate, if there are no maps'),
  BUFFER_SIZE: special('number', ['switch.buffer'], 'MiB per switch; above 65536 it is read as bytes, with a warning'),
  ERROR_RATE_PER_LINK: {
    form: 'number',
    meaning: 'number',
    settings: ['fabric.errorRate'],
    does: 'of every link whose error rate in the topology file is 0',
  },
  LINK_DOWN: special(
    'text',
    ['failures.events', 'failures.convergenceTime'],
    '`t a b`: the links between nodes a and b are down from t microseconds on, and routes avoid them at once; ' +
      '`0 0 0`: none. SimAI counts t from 2 simulated seconds on, so its own runs are over by then; here from 0',
  ),
  PFC_OUTPUT_FILE: special(
    'text',
    ['probes.pfcEvents'],
    'PFC frames are recorded, in `pfc.txt` of the folder of --out',
  ),
  QLEN_MON_FILE: special(
    'text',
    ['probes.queueInterval'],
    'queue lengths are recorded, in `qlen.txt` of the folder of --out',
  ),
  BW_MON_FILE: special(
    'text',
    ['probes.bandwidthInterval'],
    'bandwidths are recorded, in `bw.txt` of the folder of --out',
  ),
  RATE_MON_FILE: special('text', ['probes.rateInterval'], 'rates are recorded, in `rate.txt` of the folder of --out'),
  CNP_MON_FILE: special(
    'text',
    ['probes.notificationInterval'],
    'notifications are recorded, in `cnp.txt` of the folder of --out',
  ),
  QLEN_MON_INTERVAL: special('number', ['probes.queueInterval'], 'us, with QLEN_MON_FILE; 10000 without it'),
  BW_MON_INTERVAL: special('number', ['probes.bandwidthInterval'], 'us, with BW_MON_FILE; 10000 without it'),
  QP_MON_INTERVAL: special(
    'number',
    ['probes.rateInterval', 'probes.notificationInterval'],
    'us, with RATE_MON_FILE and CNP_MON_FILE; 100 without it',
  ),
  MON_START: set('number', 'microseconds', 'probes.start'),
  MON_END: set('number', 'microseconds', 'probes.end'),

  USE_DYNAMIC_PFC_THRESHOLD: ignored(
    'flag',
    'thresholds of PFC are dynamic in SimAI whatever this key says (pfc.threshold: static makes them static here)',
    '1',
  ),
  PAUSE_TIME: ignored(
    'number',
    'a pause lasts until it is resumed, as in SimAI, which only writes the time into its frames (pfc.pauseTime gives pauses a time)',
  ),
  DATA_RATE: ignored('text', 'rates and latencies stand in the topology file'),
  LINK_DELAY: ignored('text', 'rates and latencies stand in the topology file'),
  L2_WAIT_FOR_ACK: ignored('text', 'no release of SimAI reads it; a sender waits when its window is full', '0'),
  GLOBAL_T: ignored(
    'text',
    'SimAI reads it and then uses 1, as Weft does: one window for all pairs of hosts',
    '0',
    '1',
  ),
  INT_MULTI: ignored('text', 'telemetry is exact here; there are no units to choose', '1'),
  SAMPLE_FEEDBACK: ignored('text', 'telemetry is on every packet', '0'),
  PINT_LOG_BASE: set('number', 'number', 'pint.logBase'),
  PINT_PROB: set('number', 'number', 'pint.probability'),
  NIC_TOTAL_PAUSE_TIME: ignored('text', unused),
  SIMULATOR_STOP_TIME: ignored('text', unused),
  FLOW_FILE: ignored('text', ownFiles),
  TRACE_FILE: ignored('text', ownFiles),
  TOPOLOGY_FILE: ignored('text', 'the topology comes from --topology'),
  TRACE_OUTPUT_FILE: ignored('text', ownFiles),
  FCT_OUTPUT_FILE: ignored('text', ownFiles),
  ENABLE_TRACE: ignored('text', 'there is no packet trace (.tr)', '0'),
};
