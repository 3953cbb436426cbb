// bSFC: the edge switch of the source holds back what the message is about, in its own buffer, and sends it on when the
// pause is over; or, with a share of the link's rate, goes on sending it so slowly. The host goes on until PFC of that
// switch stops it, because the buffer fills, or until its window is full.
// Held are the data packets of a queue pair, of a priority of the host's port, or of the port. They stand in the shared
// buffer against the port they came in by, like packets that wait for an output port.
// Invariants: what is held goes on in the order in which it came, before anything that comes later; a pause that begins
// is ended by an alarm or before it, and then nothing is held; what leaves during it is at least its bytes over that
// rate apart.
// Source: Chen and Lv, "bSFC": "by stopping or slowing transmission into the network"; how slowly is not said there.

import { grown } from '../../../../base/columns.js';
import type { Alarm } from '../../../../engine/alarms.js';
import { NodeKind } from '../../../../fabric/fabric.js';
import { bytesShift, PacketWord } from '../../packets.js';
import type { PairAlarm } from '../../pair-alarms.js';
import type { HeldReceiver, PacketStops } from '../../plug-ins.js';
import { queuesPerPort } from '../../ports.js';
import { PairWord } from '../../queue-pairs.js';
import type { SideColumn } from '../../side-columns.js';
import type { PauseCounts, Reaction, ReactionParts, Standing } from './reaction.js';

const { next: NEXT, pair: PAIR, head: HEAD } = PacketWord;
const none = -1;

export class EdgeQueues implements Reaction, PacketStops {
  readonly counts: PauseCounts = { begun: 0, resumed: 0, ended: 0 };
  private packets = 0;
  private waiting = 0;
  private peakBytes = 0;
  /** by key (queue pair, or port x 8 + priority): 1 while it is stopped; until when; what asked for it; its packets */
  private isStopped: Uint8Array;
  private untilPs: Float64Array;
  private point: Int32Array;
  private first: Int32Array;
  private last: Int32Array;
  /** by packet: the output port that it will take */
  private readonly egress: SideColumn<'int32'>;
  private readonly bytesOfNode: Float64Array;
  private readonly isFromHost: Uint8Array;
  private readonly alarm: PairAlarm | Alarm;
  /** by key, where what is stopped goes on slowly: when the next packet may leave; an alarm for it is set */
  private nextPs: Float64Array;
  private isPaced: Uint8Array;
  private readonly pace: PairAlarm | Alarm | null;
  private receiver!: HeldReceiver;

  constructor(
    private readonly parts: ReactionParts,
    private readonly per: 'flow' | 'priority' | 'interface',
    /** of the rate of the host's link, how much goes on during a pause; 0: nothing */
    private readonly share: number,
  ) {
    const { fabric, pairs, alarms, pairAlarms } = parts;
    const keys = per === 'flow' ? pairs.capacity : fabric.portCount * queuesPerPort;
    this.isStopped = new Uint8Array(keys);
    this.untilPs = new Float64Array(keys);
    this.point = new Int32Array(keys);
    this.first = new Int32Array(keys).fill(none);
    this.last = new Int32Array(keys).fill(none);
    if (per === 'flow') pairs.onGrow((capacity) => this.grow(capacity));
    this.egress = parts.columns.byPacket('int32');
    this.bytesOfNode = new Float64Array(fabric.nodeCount);
    this.isFromHost = Uint8Array.from(fabric.portPeer, (peer) =>
      fabric.nodeKind[fabric.portNode[peer]!] === NodeKind.host ? 1 : 0,
    );
    const register = (name: string, due: (key: number) => void): PairAlarm | Alarm =>
      per === 'flow' ? pairAlarms.register(name, due) : alarms.register(name, due);
    this.alarm = register('a stopped flow leaves its edge switch again', (key) => this.due(key));
    this.nextPs = new Float64Array(share > 0 ? keys : 0);
    this.isPaced = new Uint8Array(share > 0 ? keys : 0);
    this.pace = share > 0 ? register('a slowed flow leaves its edge switch', (key) => this.leave(key)) : null;
  }

  get counters(): Record<string, number> {
    return { sfcPacketsHeld: this.packets, sfcHeldPeakBytes: this.peakBytes };
  }

  use(receiver: HeldReceiver): void {
    this.receiver = receiver;
  }

  placeOf(hostPort: number): number {
    const { portNode, portPeer } = this.parts.fabric;
    return portNode[portPeer[hostPort]!]!;
  }

  act(message: number): void {
    const { messages, clock, flowOf, fabric } = this.parts;
    const pair = messages.pair[message]!;
    if (this.per === 'flow' && flowOf(pair) !== messages.flow[message]) return;
    const key =
      this.per === 'flow'
        ? pair
        : fabric.portPeer[messages.hostPort[message]!]! * queuesPerPort +
          (this.per === 'priority' ? messages.queue[message]! : 0);
    const point = messages.point[message]!;
    if (messages.isResume[message] === 1) {
      if (this.isStopped[key] === 0 || this.point[key] !== point) return;
      this.counts.resumed++;
      this.end(key);
      return;
    }
    const untilPs = clock.nowPs + messages.pausePs[message]!;
    if (this.isStopped[key] === 1) {
      if (untilPs <= this.untilPs[key]!) return;
    } else {
      this.isStopped[key] = 1;
      this.counts.begun++;
    }
    this.untilPs[key] = untilPs;
    this.point[key] = point;
    this.alarm.at(untilPs, key);
  }

  stops(packet: number, ingress: number): boolean {
    return this.isFromHost[ingress] === 1 && this.isStopped[this.keyOf(packet, ingress)] === 1;
  }

  keep(packet: number, ingress: number, egress: number): void {
    const { records, fabric } = this.parts;
    const { words } = records;
    const key = this.keyOf(packet, ingress);
    const node = fabric.portNode[egress]!;
    this.egress.values[packet] = egress;
    words[(packet << 3) + NEXT] = none;
    if (this.first[key]! < 0) this.first[key] = packet;
    else words[(this.last[key]! << 3) + NEXT] = packet;
    this.last[key] = packet;
    this.packets++;
    this.waiting++;
    const bytes = (this.bytesOfNode[node]! += words[(packet << 3) + HEAD]! >> bytesShift);
    if (bytes > this.peakBytes) this.peakBytes = bytes;
    if (this.pace !== null) this.setPace(this.pace, key);
  }

  standing(): Standing {
    const { nowPs } = this.parts.clock;
    let [pauses, overdue] = [0, 0];
    for (let key = 0; key < this.isStopped.length; key++) {
      if (this.isStopped[key] === 0) continue;
      pauses++;
      if (this.untilPs[key]! < nowPs) overdue++;
    }
    return { pauses, overdue, packets: this.waiting };
  }

  private keyOf(packet: number, ingress: number): number {
    const { words } = this.parts.records;
    const pair = words[(packet << 3) + PAIR]!;
    if (this.per === 'flow') return pair;
    if (this.per === 'interface') return ingress * queuesPerPort;
    return ingress * queuesPerPort + this.parts.pairs.words[(pair << 4) + PairWord.priority]!;
  }

  private due(key: number): void {
    if (this.isStopped[key] === 1 && this.untilPs[key]! <= this.parts.clock.nowPs) this.end(key);
  }

  private end(key: number): void {
    this.isStopped[key] = 0;
    this.counts.ended++;
    while (this.first[key]! >= 0) this.letGo(key);
  }

  /** The oldest packet that is held goes on. @returns its bytes */
  private letGo(key: number): number {
    const { words } = this.parts.records;
    const packet = this.first[key]!;
    const egress = this.egress.values[packet]!;
    const bytes = words[(packet << 3) + HEAD]! >> bytesShift;
    this.first[key] = words[(packet << 3) + NEXT]!;
    this.bytesOfNode[this.parts.fabric.portNode[egress]!]! -= bytes;
    this.waiting--;
    this.receiver.release(packet, egress);
    return bytes;
  }

  /** What is held has a packet that leaves at its time, and one alarm for that. */
  private setPace(pace: PairAlarm | Alarm, key: number): void {
    if (this.isPaced[key] === 1) return;
    this.isPaced[key] = 1;
    pace.at(Math.max(this.parts.clock.nowPs, this.nextPs[key]!), key);
  }

  /** The time of a slowed packet has come, unless the pause has ended and it is gone. */
  private leave(key: number): void {
    const { records, settings, fabric, pairs, ports, clock } = this.parts;
    this.isPaced[key] = 0;
    const packet = this.first[key]!;
    if (packet < 0) return;
    const pair = records.words[(packet << 3) + PAIR]!;
    const hostPort = pairs.words[(pair << 4) + PairWord.nicPort]!;
    const bytes = this.letGo(key) + settings.packet.gap;
    const rateBps = this.share * ports.rateBps[fabric.portPeer[hostPort]!]!;
    this.nextPs[key] = clock.nowPs + Math.ceil((bytes * 8e12) / rateBps);
    if (this.first[key]! >= 0) this.setPace(this.pace!, key);
  }

  private grow(capacity: number): void {
    this.isStopped = grown(this.isStopped, capacity);
    this.untilPs = grown(this.untilPs, capacity);
    this.point = grown(this.point, capacity);
    this.first = grown(this.first, capacity, none);
    this.last = grown(this.last, capacity, none);
    if (this.share === 0) return;
    this.nextPs = grown(this.nextPs, capacity);
    this.isPaced = grown(this.isPaced, capacity);
  }
}
