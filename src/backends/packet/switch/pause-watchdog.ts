// A watchdog over paused ports of switches, as operators of SONiC know it: a queue that pauses hold without
// interruption for the detection time is in a storm. Then its packets are dropped, or its pauses are ignored, or only
// the log says so, until no pause has held it for the restoration time.
// Invariants: a queue that is never paused for the detection time behaves as if nobody watched; what is dropped leaves
// the buffer and is told to flow controls like a packet that was sent; a storm that ended has held for the restoration
// time at least. At most one alarm of each kind waits for a queue.
// Source: SONiC, PFC watchdog, high level design (github.com/sonic-net/SONiC/wiki/PFC-Watchdog-Design): detection over
// T0, actions drop and forward, restoration after T1 without pauses; `config pfcwd start` (alert; T1 twice T0 by
// default).
// Not modelled: polling, which finds a storm up to an interval later; packets that come in by the port in storm, which
// SONiC drops, too.

import type { PauseStorm, WatchdogAction, WatchdogFigures } from '../../../execution/network-figures.js';
import type { Alarm, Alarms } from '../../../engine/alarms.js';
import type { EventRecords } from '../../../engine/event-records.js';
import type { Clock } from '../../../engine/event-wheel.js';
import { LossCause } from '../../../engine/link-hazards.js';
import { type Fabric, interfaceIndex, NodeKind } from '../../../fabric/fabric.js';
import { NodeNames } from '../../../fabric/node-names.js';
import type { PacketFates } from '../packet-fates.js';
import { bytesShift, PacketWord } from '../packets.js';
import type { FlowControl, PauseListener, PortOwner } from '../plug-ins.js';
import { PauseHolder, type Ports, queuesPerPort } from '../ports.js';
import type { PacketSettings } from '../settings.js';
import type { SharedBuffer } from './shared-buffer.js';

/** Storms that are listed one by one; later ones are counted. */
const mostStormsListed = 100;

/** What the watchdog is made from. */
export interface PauseWatchdogParts {
  readonly fabric: Fabric;
  readonly settings: PacketSettings;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly records: EventRecords;
  readonly ports: Ports;
  readonly buffer: SharedBuffer;
  readonly fates: PacketFates;
  readonly flowControl: FlowControl;
  readonly owner: PortOwner;
}

const never = -1;
/** A storm that is not listed. */
const unlisted = -2;

export class PauseWatchdog implements PauseListener {
  storms = 0;
  packetsDropped = 0;
  private readonly action: WatchdogAction;
  private readonly detectionPs: number;
  private readonly restorationPs: number;
  /** by port x 8 + queue: since when pauses hold it, or would if they were obeyed; -1: they do not */
  private readonly heldPs: Float64Array;
  /** since when they do not */
  private readonly freePs: Float64Array;
  /** its storm: the place in the list, -1: there is none */
  private readonly storm: Int32Array;
  private readonly isDetecting: Uint8Array;
  private readonly isRestoring: Uint8Array;
  private names: NodeNames | null = null;
  private readonly list: { -readonly [name in keyof PauseStorm]: PauseStorm[name] }[] = [];
  private readonly detection: Alarm;
  private readonly restoration: Alarm;

  /** @param action what is done about a storm */
  constructor(
    private readonly parts: PauseWatchdogParts,
    action: WatchdogAction,
  ) {
    const { alarms, ports, settings } = parts;
    const { watchdogDetectionTime, watchdogRestorationTime } = settings.pfc;
    this.action = action;
    this.detectionPs = watchdogDetectionTime;
    this.restorationPs = watchdogRestorationTime === 0 ? 2 * watchdogDetectionTime : watchdogRestorationTime;
    const count = ports.count * queuesPerPort;
    this.heldPs = new Float64Array(count).fill(never);
    this.freePs = new Float64Array(count);
    this.storm = new Int32Array(count).fill(never);
    this.isDetecting = new Uint8Array(count);
    this.isRestoring = new Uint8Array(count);
    this.detection = alarms.register('a paused queue may be in a storm', (index) => this.detect(index));
    this.restoration = alarms.register('a storm may be over', (index) => this.restore(index));
    ports.watchPauses(this);
  }

  get figures(): WatchdogFigures {
    const { action, storms, packetsDropped, list } = this;
    return { action, storms, packetsDropped, first: list.slice() };
  }

  /** Why a packet may be dropped where pauses promise that none is, in words; null: not because of this. */
  excuse(): string | null {
    return this.storms === 0 || this.action === 'alert'
      ? null
      : `the watchdog acted on ${this.storms} storms of pauses`;
  }

  paused(port: number, queue: number, isPaused: boolean): boolean {
    const { fabric, clock } = this.parts;
    if (fabric.nodeKind[fabric.portNode[port]!] !== NodeKind.switch) return false;
    const index = port * queuesPerPort + queue;
    const { heldPs, freePs } = this;
    if (isPaused === heldPs[index]! >= 0) return this.ignores(index);
    if (isPaused) {
      heldPs[index] = clock.nowPs;
      if (this.storm[index] === never && this.isDetecting[index] === 0) {
        this.isDetecting[index] = 1;
        this.detection.at(clock.nowPs + this.detectionPs, index);
      }
    } else {
      heldPs[index] = never;
      freePs[index] = clock.nowPs;
      if (this.storm[index] !== never && this.isRestoring[index] === 0) {
        this.isRestoring[index] = 1;
        this.restoration.at(clock.nowPs + this.restorationPs, index);
      }
    }
    return this.ignores(index);
  }

  /** Whether a packet that would have to wait at a port is dropped instead: it was, and is gone. */
  drops(packet: number, port: number, queue: number): boolean {
    if (this.action !== 'drop' || this.storm[port * queuesPerPort + queue] === never) return false;
    this.drop(packet, port, queue);
    return true;
  }

  /** In a storm whose packets go on, pauses hold nobody. */
  private ignores(index: number): boolean {
    return this.action === 'forward' && this.storm[index] !== never;
  }

  private detect(index: number): void {
    const { clock } = this.parts;
    this.isDetecting[index] = 0;
    const sincePs = this.heldPs[index]!;
    if (sincePs === never || this.storm[index] !== never) return;
    if (clock.nowPs < sincePs + this.detectionPs) {
      this.isDetecting[index] = 1;
      this.detection.at(sincePs + this.detectionPs, index);
      return;
    }
    this.begin(index >> 3, index & 7);
  }

  private begin(port: number, queue: number): void {
    const { ports, clock, owner, fabric } = this.parts;
    const index = port * queuesPerPort + queue;
    this.storms++;
    this.storm[index] = unlisted;
    if (this.list.length < mostStormsListed) {
      this.storm[index] = this.list.length;
      this.list.push({
        node: fabric.portNode[port]!,
        interface: interfaceIndex(fabric, port),
        name: (this.names ??= new NodeNames(fabric)).portName(port),
        priority: queue,
        detectedPs: clock.nowPs,
        restoredPs: null,
        packetsDropped: 0,
      });
    }
    if (this.action === 'alert') return;
    if (this.action === 'forward') {
      ports.hold(port, queue, false, PauseHolder.priorityFlowControl);
      owner.resume(port);
      return;
    }
    // while packets are dropped none is sent, even if the pause is lifted meanwhile
    ports.hold(port, queue, true, PauseHolder.watchdog);
    this.empty(port, queue);
  }

  /** Drops all that waits in a queue. */
  private empty(port: number, queue: number): void {
    const { ports, records, buffer, flowControl, fabric } = this.parts;
    const node = fabric.portNode[port]!;
    while ((ports.occupiedQueues(port) & (1 << queue)) !== 0) {
      const packet = ports.take(port, queue);
      const { words } = records;
      const at = packet << 3;
      const ingress = words[at + PacketWord.port]!;
      buffer.vacate(node, ingress * queuesPerPort + queue, words[at + PacketWord.head]! >> bytesShift);
      flowControl.vacated(packet, node, ingress, port, queue);
      this.drop(packet, port, queue);
    }
  }

  private drop(packet: number, port: number, queue: number): void {
    this.packetsDropped++;
    const storm = this.storm[port * queuesPerPort + queue]!;
    if (storm >= 0) this.list[storm]!.packetsDropped++;
    this.parts.fates.drop(packet, port, LossCause.watchdog);
  }

  private restore(index: number): void {
    const { clock, ports, owner } = this.parts;
    this.isRestoring[index] = 0;
    if (this.heldPs[index] !== never) return;
    const overPs = this.freePs[index]! + this.restorationPs;
    if (clock.nowPs < overPs) {
      this.isRestoring[index] = 1;
      this.restoration.at(overPs, index);
      return;
    }
    const storm = this.storm[index]!;
    if (storm >= 0) this.list[storm]!.restoredPs = clock.nowPs;
    this.storm[index] = never;
    const [port, queue] = [index >> 3, index & 7];
    ports.hold(port, queue, false, PauseHolder.watchdog);
    owner.resume(port);
  }
}
