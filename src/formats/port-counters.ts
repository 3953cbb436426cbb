// Counters of ports, as perfquery and ibqueryerrors print them -> columns by port of the fabric.
//   # Port extended counters: Lid 2 port 5 (CapMask: 0x1300 CapMask2: 0x0000000)
//   PortXmitData:....................987654382140
//      GUID 0x2c90000010000 port 5: [SymbolErrorCounter == 7] [PortXmitData == 1224 (4.781KB)]
// Invariants: data counters, which count words of 4 bytes, are bytes here; of several readings of one port the last one counts, the 64-bit
// counters before the 32-bit ones, which stop at 2^32 - 1. Not read: counters per virtual lane, sums over all ports (port 255, ALL).

import type { Diagnostics } from '../base/diagnostics.js';
import type { IdentifiedFabric } from './ibnetdiscover.js';

/** Counters of each port of the fabric; NaN where nothing was read. */
export interface PortCounters {
  /** bytes sent, with headers */
  readonly transmitBytes: Float64Array;
  readonly receiveBytes: Float64Array;
  /** ticks in which the port had packets and no credit */
  readonly transmitWaitTicks: Float64Array;
  /** sum of the counters of errors, discards and recoveries */
  readonly errors: Float64Array;
  /** ports of which something was read */
  readonly portsRead: number;
}

const bytesPerWord = 4;
/** where 32-bit counters stop */
const largest32 = 4_294_967_295;
const errorCounters = new Set([
  'SymbolErrorCounter', 'LinkErrorRecoveryCounter', 'LinkDownedCounter', 'PortRcvErrors', 'PortRcvRemotePhysicalErrors', 'PortRcvSwitchRelayErrors',
  'PortXmitDiscards', 'PortXmitConstraintErrors', 'PortRcvConstraintErrors', 'LocalLinkIntegrityErrors', 'ExcessiveBufferOverrunErrors', 'VL15Dropped',
]);

/** Reads what perfquery (with or without -x) or ibqueryerrors printed, any number of outputs one after the other. */
export function readPortCounters(text: string, file: string, { fabric, identity }: IdentifiedFabric, diagnostics: Diagnostics): PortCounters {
  const column = (): Float64Array => new Float64Array(fabric.portCount).fill(NaN);
  const counters = { transmitBytes: column(), receiveBytes: column(), transmitWaitTicks: column(), errors: column() };
  /** ports whose data counters are the 64-bit ones */
  const wide = new Set<number>();
  const read = new Set<number>();
  const byLid = new Map<string, number>();
  const byGuid = new Map<string, number>();
  for (let port = 0; port < fabric.portCount; port++) {
    const node = fabric.portNode[port]!;
    if (identity.lid[node] !== 0) byLid.set(`${identity.lid[node]} ${identity.portNumber[port]}`, port);
    byGuid.set(`${identity.nodeGuid[node]} ${identity.portNumber[port]}`, port);
  }
  let unknown = 0;
  let saturated = 0;
  const take = (port: number, name: string, digits: string, extended: boolean): void => {
    const value = Number(digits);
    if (name === 'PortXmitData' || name === 'PortRcvData') {
      if (wide.has(port) && !extended) return;
      if (!extended && value === largest32) saturated++;
      counters[name === 'PortXmitData' ? 'transmitBytes' : 'receiveBytes'][port] = value * bytesPerWord;
      if (extended) wide.add(port);
    } else if (name === 'PortXmitWait') counters.transmitWaitTicks[port] = value;
    else if (errorCounters.has(name)) counters.errors[port] = (Number.isNaN(counters.errors[port]!) ? 0 : counters.errors[port]!) + value;
  };
  const begin = (port: number | undefined, errorsFollow: boolean): number => {
    if (port === undefined) {
      unknown++;
      return -1;
    }
    read.add(port);
    if (errorsFollow) counters.errors[port] = NaN;
    return port;
  };
  let current = -1;
  let extended = false;
  let inBlock = false;
  text.split('\n').forEach((line, index) => {
    const at = { line: index + 1, column: 1 };
    const heading = /^# Port (extended )?counters: Lid (\d+) port (\d+)/.exec(line);
    const listed = /^\s*GUID 0x([0-9a-fA-F]{1,16}) port (\d+|ALL):(.*)$/.exec(line);
    if (heading !== null) {
      extended = heading[1] !== undefined;
      inBlock = true;
      const all = heading[3] === '0' || heading[3] === '255';
      current = all ? -1 : begin(byLid.get(`${heading[2]} ${heading[3]}`), !extended);
    } else if (listed !== null) {
      inBlock = false;
      if (listed[2] === 'ALL' || listed[2] === '0') return;
      const items = [...listed[3]!.matchAll(/\[(\w+) == (\d{1,20})\b[^\]]*\]/g)];
      if (items.length === 0) diagnostics.error('bad-counter', file, at, 'the line has no counter', { got: line.trim().slice(0, 60), wanted: '[PortXmitData == 1224 (4.781KB)]' });
      const port = begin(byGuid.get(`${BigInt(`0x${listed[1]!}`)} ${listed[2]}`), true);
      // multicast and unicast counters are there with the 64-bit ones only
      const withExtended = items.some(([, name]) => name === 'PortUnicastXmitPkts');
      if (port !== -1) for (const [, name, value] of items) take(port, name!, value!, withExtended);
    } else if (inBlock && line.startsWith('#')) inBlock = false;
    else if (inBlock && line.trim() !== '') {
      const match = /^(\w+):\.+(0x[0-9a-fA-F]+|\d{1,20})\s*$/.exec(line);
      if (match === null) diagnostics.error('bad-counter', file, at, 'this is no counter', { got: line.slice(0, 60), wanted: 'PortXmitData:....................1224' });
      else if (current !== -1) take(current, match[1]!, match[2]!, extended);
    }
  });
  if (read.size === 0 && !diagnostics.hasErrors) diagnostics.error('no-counters', file, { line: 0, column: 0 }, unknown > 0 ? 'no port of the file is a linked port of the fabric' : 'there is no counter in the file', { wanted: 'what perfquery -x or ibqueryerrors --data --counters prints' });
  else if (unknown > 0) diagnostics.warning('unknown-port', file, { line: 0, column: 0 }, `${unknown} readings are of ports that the fabric has not or that have no link`);
  if (saturated > 0) diagnostics.warning('saturated-counter', file, { line: 0, column: 0 }, `${saturated} data counters stand at 2^32 - 1 and may have stopped`, { hint: 'read the 64-bit counters: perfquery -x' });
  return { ...counters, portsRead: read.size };
}
