// Port counters read at intervals, as a monitor of a fabric does: round after round, node after node within `spread`.
// Invariants: a reading is the state just before its time, and nothing about the run is changed: no event is made for
// it; counters never fall. Rounds in which nothing happened are left out but for the last one before something does,
// for they would say the same, unless something waits.
// Source: counters and their units as InfiniBand has them (InfiniBand Architecture Specification vol. 1, 16.1.3.5 and
// 16.1.4.11). Not modelled: what the readings send themselves, readings that fail, counters that are reset.

import { interfaceIndex, type Fabric } from '../../fabric/fabric.js';
import { knownIdentity } from '../../fabric/level-identity.js';
import { LanePollColumn, lanePollTable, PortPollColumn, portPollTable } from '../../records/poll-records.js';
import { type RecordSink, TableWriter } from '../../records/schema.js';
import type { PollingSettings } from './polling-settings.js';
import type { WaitTimes } from './wait-times.js';

/** What a network counts by port since the run began. A lane is a virtual lane or a priority. */
export interface PortTotals {
  readonly lanes: number;
  /** bytes of packets whose transmission has begun, headers and payload */
  sentBytes(port: number, lane: number): number;
  sentPackets(port: number, lane: number): number;
  /** of packets that have come in by a port */
  receivedBytes(port: number): number;
  receivedPackets(port: number): number;
  /** by port: it had packets and sent nothing, for none of them might go */
  readonly portWaits: WaitTimes;
  /** by port x lanes + lane: the lane had packets, and none of them might go */
  readonly laneWaits: WaitTimes;
}

/** What polling is made from. */
export interface PollerParts {
  readonly fabric: Fabric;
  readonly settings: PollingSettings;
  readonly ports: PortTotals;
  readonly sink: RecordSink;
}

/** data counters count words */
const wordBytes = 4;
/** where counters of 32 bits stop */
const largest32 = 2 ** 32 - 1;

export class PortPoller {
  private readonly parts: PollerParts;
  private readonly portTable: TableWriter;
  /** null: lanes are not asked for */
  private readonly laneTable: TableWriter | null;
  private readonly lid: ArrayLike<number> | null;
  private readonly portNumber: ArrayLike<number> | null;
  private readonly largest: number;
  /** the next reading: its round and its node */
  private round = 0;
  private node = 0;

  constructor(parts: PollerParts) {
    const { fabric, settings, sink } = parts;
    this.parts = parts;
    this.portTable = new TableWriter(portPollTable, sink);
    this.laneTable = settings.lanes ? new TableWriter(lanePollTable, sink) : null;
    const identity = knownIdentity(fabric, fabric.identity ?? null);
    this.lid = identity?.lid ?? null;
    this.portNumber = identity?.portNumber ?? null;
    this.largest = settings.width === '32-bit' ? largest32 : Infinity;
  }

  /** When the next reading is due, in picoseconds. */
  private get nextPs(): number {
    const { fabric, settings } = this.parts;
    return this.round * settings.interval + Math.floor((settings.spread * this.node) / fabric.nodeCount);
  }

  /** True if no more should be read before the sink has drained. */
  get isFull(): boolean {
    return this.parts.sink.full;
  }

  /** Reads what is due before anything happens at a time. @returns when the next reading is due */
  catchUp(nowPs: number): number {
    const { fabric, settings, ports } = this.parts;
    let left = fabric.nodeCount;
    for (let duePs = this.nextPs; duePs <= nowPs; duePs = this.nextPs) {
      // everything was read as it still is
      if (left-- === 0 && ports.laneWaits.waiting === 0) {
        const rounds = Math.floor((nowPs - duePs) / settings.interval);
        this.round += rounds;
        duePs += rounds * settings.interval;
      }
      this.read(this.node, duePs);
      if (++this.node === fabric.nodeCount) {
        this.node = 0;
        this.round++;
      }
    }
    return this.nextPs;
  }

  /** The run has ended: all is read once more, and the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.catchUp(nowPs);
    if (this.node > 0) this.round++;
    for (let node = 0; node < this.parts.fabric.nodeCount; node++) this.read(node, nowPs);
    for (const table of this.tables()) table.flush();
  }

  /** Rows of each table so far. */
  rows(): { readonly name: string; readonly rows: number }[] {
    return this.tables().map(({ schema, total }) => ({ name: schema.name, rows: total }));
  }

  private tables(): TableWriter[] {
    return this.laneTable === null ? [this.portTable] : [this.portTable, this.laneTable];
  }

  private read(node: number, timePs: number): void {
    const { portOffset } = this.parts.fabric;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      this.readPort(this.portTable, port, timePs);
      if (this.laneTable !== null) this.readLanes(this.laneTable, port, timePs);
    }
  }

  private readPort(table: TableWriter, port: number, timePs: number): void {
    const { ports, settings } = this.parts;
    let bytes = 0;
    let packets = 0;
    for (let lane = 0; lane < ports.lanes; lane++) {
      bytes += ports.sentBytes(port, lane);
      packets += ports.sentPackets(port, lane);
    }
    const { columns, rows } = table;
    this.name(table, port, timePs);
    columns[PortPollColumn.transmitBytes]![rows] = this.dataBytes(bytes);
    columns[PortPollColumn.receiveBytes]![rows] = this.dataBytes(ports.receivedBytes(port));
    columns[PortPollColumn.transmitPackets]![rows] = this.counted(packets);
    columns[PortPollColumn.receivePackets]![rows] = this.counted(ports.receivedPackets(port));
    columns[PortPollColumn.waitTicks]![rows] = this.ticks(ports.portWaits.untilPs(port, timePs));
    columns[PortPollColumn.isWide]![rows] = settings.width === '64-bit' ? 1 : 0;
    table.commit();
  }

  private readLanes(table: TableWriter, port: number, timePs: number): void {
    const { ports } = this.parts;
    for (let lane = 0; lane < ports.lanes; lane++) {
      const { columns, rows } = table;
      this.name(table, port, timePs);
      columns[LanePollColumn.lane]![rows] = lane;
      columns[LanePollColumn.transmitBytes]![rows] = this.dataBytes(ports.sentBytes(port, lane));
      columns[LanePollColumn.transmitPackets]![rows] = this.counted(ports.sentPackets(port, lane));
      columns[LanePollColumn.waitTicks]![rows] = this.ticks(ports.laneWaits.untilPs(port * ports.lanes + lane, timePs));
      table.commit();
    }
  }

  /** Which reading of which port the next row is: the columns that both tables begin with. */
  private name({ columns, rows }: TableWriter, port: number, timePs: number): void {
    const { fabric } = this.parts;
    const node = fabric.portNode[port]!;
    const own = interfaceIndex(fabric, port);
    columns[PortPollColumn.time]![rows] = timePs;
    columns[PortPollColumn.poll]![rows] = this.round;
    columns[PortPollColumn.node]![rows] = node;
    columns[PortPollColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
    columns[PortPollColumn.interface]![rows] = own;
    columns[PortPollColumn.lid]![rows] = this.lid?.[node] ?? 0;
    columns[PortPollColumn.port]![rows] = this.portNumber?.[port] ?? own;
  }

  private counted(value: number): number {
    return Math.min(value, this.largest);
  }

  private dataBytes(bytes: number): number {
    return this.counted(Math.floor(bytes / wordBytes)) * wordBytes;
  }

  private ticks(waitedPs: number): number {
    return this.counted(Math.floor(waitedPs / this.parts.settings.tick));
  }
}
