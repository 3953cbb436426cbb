// The rows of one line of paths.csv. A line as Weft writes it is read straight from its bytes, without a text or a list
// for each hop: a run of a million flows has three million of them.
// Invariant: what `scan` takes, `readPathLine` (paths-csv-reader.ts) reads as the same rows; what it leaves has another
// form, or a mistake, which that says.

import { Int32List } from '../base/columns.js';
import { nodeOfIpv4 } from '../fabric/addresses.js';
import type { PathRow } from './paths-csv-reader.js';

const [newline, plus, comma, digit0, colon, bar] = [10, 43, 44, 48, 58, 124];
/** digits of a flow, whose number stays below 2^53, and of a node or a port */
const [mostFlowDigits, mostDigits] = [15, 7];

/** by byte, what it is worth as a hexadecimal digit; -1: it is none */
const hexDigits = new Int8Array(256).fill(-1);
for (const digit of '0123456789abcdefABCDEF') hexDigits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

export class PathRows {
  flowId = 0;
  source = 0;
  destination = 0;
  sourcePort = 0;
  destinationPort = 0;
  /** by row */
  readonly hop = new Int32List();
  readonly node = new Int32List();
  readonly interface = new Int32List();
  private at = 0;

  /** How many there are. */
  get count(): number {
    return this.hop.length;
  }

  /** Takes the rows of a line that was read otherwise. */
  take({ flowId, source, destination, sourcePort, destinationPort, hops }: PathRow): void {
    Object.assign(this, { flowId, source, destination, sourcePort, destinationPort });
    this.clear();
    for (const [hop, ports] of hops.entries())
      for (let i = 0; i < ports.length; i += 2) this.row(hop, ports[i]!, ports[i + 1]!);
  }

  /**
   * Reads a line of seven columns, as Weft writes it.
   * @param from where in the bytes it begins @param until where they end
   * @returns where the next line begins; -1: the line has another form
   */
  scan(bytes: Uint8Array, from: number, until: number): number {
    this.at = from;
    this.clear();
    if ((this.flowId = this.number(bytes, until, mostFlowDigits, comma)) < 0) return -1;
    if ((this.source = this.address(bytes, until)) < 0) return -1;
    if ((this.destination = this.address(bytes, until)) < 0) return -1;
    if ((this.sourcePort = this.number(bytes, until, mostDigits, comma)) < 0) return -1;
    if ((this.destinationPort = this.number(bytes, until, mostDigits, comma)) < 0) return -1;
    if (this.sourcePort > 65_535 || this.destinationPort > 65_535) return -1;
    const hops = this.number(bytes, until, mostDigits, comma);
    for (let hop = 0; ;) {
      const node = this.number(bytes, until, mostDigits, colon);
      if (node < 0) return -1;
      const own = this.number(bytes, until, mostDigits, -1);
      if (own < 0) return -1;
      this.row(hop, node, own);
      const end = this.at < until ? bytes[this.at]! : newline;
      this.at++;
      if (end === bar) hop++;
      else if (end === newline) return hop + 1 === hops ? Math.min(this.at, until) : -1;
      else if (end !== plus) return -1;
    }
  }

  private clear(): void {
    this.hop.length = this.node.length = this.interface.length = 0;
  }

  private row(hop: number, node: number, own: number): void {
    this.hop.push(hop);
    this.node.push(node);
    this.interface.push(own);
  }

  /** A whole number, and what ends it. @param end the byte behind it, which is passed; -1: whatever it is, it stays */
  private number(bytes: Uint8Array, until: number, most: number, end: number): number {
    const from = this.at;
    let [at, value] = [from, 0];
    for (; at < until; at++) {
      const digit = bytes[at]! - digit0;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.at = at;
    if (at === from || at - from > most) return -1;
    if (end < 0) return value;
    this.at++;
    return bytes[at] === end ? value : -1;
  }

  /** The node of an address of eight hexadecimal digits, and the comma behind it. */
  private address(bytes: Uint8Array, until: number): number {
    const end = this.at + 8;
    if (end >= until || bytes[end] !== comma) return -1;
    let address = 0;
    for (let at = this.at; at < end; at++) {
      const digit = hexDigits[bytes[at]!]!;
      if (digit < 0) return -1;
      address = address * 16 + digit;
    }
    this.at = end + 1;
    return nodeOfIpv4(address);
  }
}
