// What every link of a fabric carried in a run, and the ways of its slowest flows, out of the table `hops`.
// Invariants: bytes are those of finished flows, each counted on every link of its way in the direction in which it
// crossed it; where packets of a flow took several ports at a hop, or a host has several links to its first switch,
// they are shared out evenly, and so they are over the ways of a flow that was moved; a flow counts once on a link.
// Memory: 12 bytes per flow and link of its way.
// Not modelled: headers, acknowledgements and what is sent again; how much a flow sent before it was moved.

import { Float64List, Int32List } from '../../base/columns.js';
import { NodeKind, portAt, type Fabric } from '../../fabric/fabric.js';
import { HopColumn } from '../../records/flow-records.js';
import type { Batch } from '../../records/schema.js';
import type { FlowColumns } from './flow-columns.js';

/** The ways that are kept, of the slowest flows. */
const mostWays = 300;

/** One flow's way. */
export interface FlowWay {
  /** index into the flow columns */
  readonly flow: number;
  /** output ports, the host's own first; of a flow that was moved, those of all its ways */
  readonly ports: number[];
}

/** Flows by the port that they crossed. */
export interface PortCrossings {
  /** by port, where its flows begin; one more at the end */
  readonly begin: Uint32Array;
  /** indices into the flow columns */
  readonly flows: Uint32Array;
  /** of the flow on the port */
  readonly bytes: Float64Array;
}

export class CarriedLoads {
  /** by output port */
  readonly bytes: Float64Array;
  readonly flows: Float64Array;
  readonly ways: FlowWay[] = [];
  /** rows that name a port which the fabric has not */
  strangers = 0;
  /** by flow: 1 if its way is kept */
  private readonly kept: Uint8Array;
  /** by flow: how many ways it had so far, and where what it put on links begins and ends in the lists */
  private readonly wayCount: Uint8Array;
  private readonly begin: Uint32Array;
  private readonly length: Uint32Array;
  private readonly putPort: Int32List;
  private readonly putBytes: Float64List;
  private flow = -1;
  private readonly hop = new Int32List();
  private readonly port = new Int32List();
  private readonly source = new Float64List();

  /** @param finished all flows of the run: they are known before the first hop is put */
  constructor(
    readonly fabric: Fabric,
    private readonly finished: FlowColumns,
  ) {
    this.bytes = new Float64Array(fabric.portCount);
    this.flows = new Float64Array(fabric.portCount);
    this.wayCount = new Uint8Array(finished.count);
    this.begin = new Uint32Array(finished.count);
    this.length = new Uint32Array(finished.count);
    // room for ways of three switches: it is taken as it is used
    const room = Math.max(64, 4 * finished.count);
    this.putPort = new Int32List(room);
    this.putBytes = new Float64List(room);
    this.kept = new Uint8Array(finished.count);
    for (const index of finished.slowest(mostWays)) this.kept[index] = 1;
  }

  put({ columns, rows }: Batch): void {
    const [flow, source, hop] = [columns[HopColumn.flow]!, columns[HopColumn.source]!, columns[HopColumn.hop]!];
    const [node, number] = [columns[HopColumn.node]!, columns[HopColumn.interface]!];
    const { nodeKind } = this.fabric;
    for (let row = 0; row < rows; row++) {
      const isNextWay = hop[row] === 0 && this.hop.length > 0 && this.hop.values[this.hop.length - 1]! > 0;
      if (flow[row] !== this.flow || isNextWay) {
        this.end();
        this.flow = flow[row]!;
      }
      const port = portAt(this.fabric, node[row]!, number[row]!);
      if (port < 0 || nodeKind[node[row]!] === NodeKind.host) {
        this.strangers++;
        continue;
      }
      this.hop.push(hop[row]!);
      this.port.push(port);
      this.source.push(source[row]!);
    }
  }

  /** The most ports that a flow has put bytes on. */
  get longestWay(): number {
    return this.length.reduce((most, own) => Math.max(most, own), 0);
  }

  /** Writes the ports that all bytes of a flow crossed. @param flow index into the flow columns @returns how many */
  wholeWay(flow: number, ports: Int32Array): number {
    const { begin, length, putPort, putBytes, finished } = this;
    const least = finished.sizeBytes.values[flow]! * (1 - 1e-9);
    let count = 0;
    for (let i = begin[flow]!; i < begin[flow]! + length[flow]!; i++)
      if (putBytes.values[i]! >= least) ports[count++] = putPort.values[i]!;
    return count;
  }

  /** The flows that put bytes on each port, port by port, and how many each put there. */
  crossings(): PortCrossings {
    const { fabric, putPort, putBytes, finished } = this;
    const begin = new Uint32Array(fabric.portCount + 1);
    for (let port = 0; port < fabric.portCount; port++) begin[port + 1] = begin[port]! + this.flows[port]!;
    const next = begin.slice();
    const flows = new Uint32Array(begin[fabric.portCount]!);
    const bytes = new Float64Array(flows.length);
    for (let flow = 0; flow < finished.count; flow++) {
      const from = this.begin[flow]!;
      for (let i = from; i < from + this.length[flow]!; i++) {
        const at = next[putPort.values[i]!]!++;
        flows[at] = flow;
        bytes[at] = putBytes.values[i]!;
      }
    }
    return { begin, flows, bytes };
  }

  /** Calls back for every port that a flow put bytes on. @param flow index into the flow columns */
  forEachPort(flow: number, visit: (port: number, bytes: number) => void): void {
    const from = this.begin[flow]!;
    for (let i = from; i < from + this.length[flow]!; i++) visit(this.putPort.values[i]!, this.putBytes.values[i]!);
  }

  /** The last row was put. */
  end(): void {
    const { hop, port, source } = this;
    const count = hop.length;
    const flow = count === 0 ? -1 : this.finished.find(this.flow);
    if (flow >= 0 && !this.putPlainWay(flow)) {
      const sizeBytes = this.finished.sizeBytes.values[flow]!;
      const way = new Map<number, number>();
      for (let i = 0; i < count; i++) {
        let ports = 0;
        for (let j = 0; j < count; j++) if (hop.values[j] === hop.values[i]) ports++;
        if (hop.values[i] === 0) this.leaveHost(source.values[i]!, port.values[i]!, sizeBytes / ports, way);
        add(way, port.values[i]!, sizeBytes / ports);
      }
      this.putWay(flow, way);
    }
    hop.length = port.length = source.length = 0;
  }

  /** The only way of a flow so far, with a port at each hop, as most are. @returns false: it is another, and not put */
  private putPlainWay(flow: number): boolean {
    const { hop, port, source, fabric, putPort, begin, wayCount } = this;
    const count = hop.length;
    const host = source.values[0]!;
    if (wayCount[flow]! > 0 || fabric.nodeKind[host] !== NodeKind.host) return false;
    for (let i = 0; i < count; i++) {
      if (hop.values[i] !== i) return false;
      for (let j = 0; j < i; j++) if (port.values[j] === port.values[i]) return false;
    }
    wayCount[flow] = 1;
    begin[flow] = putPort.length;
    const first = fabric.portNode[port.values[0]!]!;
    const [from, until] = [fabric.portOffset[host]!, fabric.portOffset[host + 1]!];
    const sizeBytes = this.finished.sizeBytes.values[flow]!;
    let uplinks = 0;
    for (let own = from; own < until; own++) if (fabric.portNode[fabric.portPeer[own]!] === first) uplinks++;
    for (let own = from; own < until; own++)
      if (fabric.portNode[fabric.portPeer[own]!] === first) this.carry(own, sizeBytes / uplinks);
    for (let i = 0; i < count; i++) this.carry(port.values[i]!, sizeBytes);
    this.length[flow] = putPort.length - begin[flow]!;
    if (this.kept[flow] === 1)
      this.ways.push({ flow, ports: [...putPort.values.subarray(begin[flow], putPort.length)] });
    return true;
  }

  /** Puts bytes of the flow whose way is put on a port. */
  private carry(port: number, bytes: number): void {
    this.putPort.push(port);
    this.putBytes.push(bytes);
    this.bytes[port]! += bytes;
    this.flows[port]!++;
  }

  /** One more way of a flow: its bytes are shared out evenly over all that it had. */
  private putWay(flow: number, way: ReadonlyMap<number, number>): void {
    const { begin, length, putPort, putBytes, wayCount } = this;
    const before = wayCount[flow]!;
    const ways = Math.min(255, before + 1);
    wayCount[flow] = ways;
    const all = new Map<number, number>();
    for (let i = begin[flow]!; i < begin[flow]! + length[flow]!; i++) {
      const port = putPort.values[i]!;
      this.bytes[port]! -= putBytes.values[i]!;
      this.flows[port]!--;
      all.set(port, (putBytes.values[i]! * (ways - 1)) / ways);
    }
    for (const [port, bytes] of way) add(all, port, bytes / ways);
    begin[flow] = putPort.length;
    length[flow] = all.size;
    for (const [port, bytes] of all) this.carry(port, bytes);
    if (this.kept[flow] === 0) return;
    const known = before === 0 ? undefined : this.ways.find((own) => own.flow === flow);
    if (known === undefined) this.ways.push({ flow, ports: [...all.keys()] });
    else known.ports.splice(0, known.ports.length, ...all.keys());
  }

  /** The host's own link is no hop: it is the one, or one of those, that lead to the first switch. */
  private leaveHost(host: number, firstPort: number, bytes: number, way: Map<number, number>): void {
    const { portNode, portPeer, portOffset, nodeCount } = this.fabric;
    if (host < 0 || host >= nodeCount) return;
    const first = portNode[firstPort]!;
    const own: number[] = [];
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      if (portNode[portPeer[port]!] === first) own.push(port);
    for (const port of own) add(way, port, bytes / own.length);
  }
}

function add(way: Map<number, number>, port: number, bytes: number): void {
  way.set(port, (way.get(port) ?? 0) + bytes);
}

/** Share of what an output port could have sent in a time. */
export function shareOf({ fabric, bytes }: CarriedLoads, port: number, durationPs: number): number {
  const capacity = (fabric.linkRateBps[fabric.portLink[port]!]! * durationPs) / 8e12;
  return capacity > 0 ? bytes[port]! / capacity : 0;
}
