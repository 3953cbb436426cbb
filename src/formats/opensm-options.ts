// The lines of OpenSM's options file (-F) that go with tables: the file engine, and SL2VL tables with arbitration.
// Invariant: with ftree (updn, where hosts have several LIDs) behind it, a file that OpenSM refuses does not end in
// minhop, as it would with `file` alone.
// Source: OpenSM 3.3.23 (options file, section QoS). OpenSM takes one SL2VL table per kind of port, not one per switch.

/** Numbers of data lanes that an InfiniBand port may have (Architecture Specification vol. 1, PortInfo: OperationalVLs). */
const laneCounts = [1, 2, 4, 8, 15] as const;
/** The most data lanes. */
export const mostDataLanes = 15;

/** The SL2VL table that deals service levels out to lanes in turn: the lane of each of the 16 levels. */
export function slToVl(lanes: number): number[] {
  return Array.from({ length: 16 }, (_, level) => level % lanes);
}

/** Bytes of a path that OpenSM still takes from its options, with some to spare. */
const longestPathBytes = 1000;

/**
 * Why OpenSM would not find tables under a path that stands in its options; null if it would (tried with 3.3.23).
 * Blanks and quotes do no harm.
 */
export function pathProblem(path: string): string | null {
  if (path.includes('#')) return 'a # begins a remark in the options of OpenSM';
  if (/[\n\r]/.test(path) || path.trim() !== path)
    return 'OpenSM takes no line breaks, and no blanks at the end, in a path';
  return byteLength(path) > longestPathBytes ? `OpenSM takes no path of more than ${longestPathBytes} bytes` : null;
}

function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/**
 * The lines of an options file.
 * @param tablesPath absolute path of the tables, without `pathProblem`
 * @param lanes data lanes to use, 1 to 15, null to leave quality of service alone; ports get as many as they may have,
 * five of eight, and of the others none is used
 * @param lmc LMC of hosts; ftree, which routes one LID per host alone, is no engine to fall back to above 0
 */
export function opensmOptions(tablesPath: string, lanes: number | null, lmc = 0): string {
  const lines = [
    `# tables from a file; ${lmc === 0 ? 'ftree' : 'updn'} if OpenSM refuses it`,
    `routing_engine file,${lmc === 0 ? 'ftree' : 'updn'}`,
    ...(lmc === 0 ? [] : [`# ${1 << lmc} LIDs per host`, `lmc ${lmc}`]),
    `lfts_file ${tablesPath}`,
    '# the log says at once which engine routed',
    'force_log_flush TRUE',
  ];
  if (lanes !== null) {
    const each = (weight: number): string => Array.from({ length: lanes }, (_, lane) => `${lane}:${weight}`).join(',');
    // weights in units of 64 bytes: 64 are 4 KiB, a packet of the largest MTU
    lines.push(
      '# service levels in turn to lanes, lanes in turn to the link',
      'qos TRUE',
      `qos_max_vls ${laneCounts.find((count) => count >= lanes) ?? mostDataLanes}`,
      'qos_high_limit 0',
      `qos_vlarb_high ${each(0)}`,
      `qos_vlarb_low ${each(64)}`,
      `qos_sl2vl ${slToVl(lanes).join(',')}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
