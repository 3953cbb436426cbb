// A flow control that Weft does not have: a switch whose output queue grows beyond a threshold tells the sender of the
// packet by a routed control packet to send nothing to that destination for a time; the sender's NIC obeys by
// destination. It works beside PFC.
// Invariant: every hold ends by its own alarm.

import { type Mechanism, ownSettings } from '../../src/backends/packet/mechanism.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import type { FlowControlParts } from '../../src/backends/packet/parts.js';
import type { FlowControl } from '../../src/backends/packet/plug-ins.js';
import type { SendGate } from '../../src/backends/packet/nic/nic.js';

const settings = {
  threshold: { kind: 'size', default: '100kB', description: 'output queue from which senders are told' },
  pause: { kind: 'time', default: '20us', description: 'how long a sender sends nothing to the destination' },
} as const;
const messageBytes = 128;

class SourcePause implements FlowControl, SendGate {
  readonly isLossless = false;
  private told = 0;
  private obeyed = 0;
  private lostOnTheWay = 0;
  /** by sender x nodes + destination: when a switch may tell it again, and until when it holds */
  private readonly quietUntilPs: Float64Array;
  private readonly heldUntilPs: Float64Array;
  private readonly destination;
  private readonly alarm;
  private readonly nodes: number;
  private readonly thresholdBytes: number;
  private readonly pausePs: number;

  constructor(private readonly parts: FlowControlParts) {
    const { columns, alarms, nic, fabric } = parts;
    this.nodes = fabric.nodeCount;
    this.quietUntilPs = new Float64Array(this.nodes * this.nodes);
    this.heldUntilPs = new Float64Array(this.nodes * this.nodes);
    this.destination = columns.byPacket('int32');
    this.alarm = alarms.register('a source may send again', (index) => this.release(index));
    const own = ownSettings(parts.settings, 'sourcePause', settings);
    this.thresholdBytes = own.threshold;
    this.pausePs = own.pause;
    nic.addGate(this);
  }

  get counters(): Record<string, number> {
    return { sourcePauses: this.told, sourcePausesObeyed: this.obeyed };
  }

  isOpen(pair: number): boolean {
    return this.heldUntilPs[this.indexOf(pair)]! <= this.parts.clock.nowPs;
  }

  admitted(packet: number, node: number, _ingress: number, egress: number, queue: number): void {
    const { ports, records, pairs, clock, control, signature } = this.parts;
    if (ports.queueBytes(egress, queue) < this.thresholdBytes) return;
    const pair = records.words[(packet << 3) + PacketWord.pair]!;
    const [source, destination] = [pairs.source[pair]!, pairs.destination[pair]!];
    const index = source * this.nodes + destination;
    if (this.quietUntilPs[index]! > clock.nowPs) return;
    this.quietUntilPs[index] = clock.nowPs + this.pausePs;
    const message = control.make(signature, source, messageBytes);
    this.destination.values[message] = destination;
    if (control.send(message, node)) this.told++;
  }

  received(message: number, port: number): void {
    const { fabric, clock, packets } = this.parts;
    const index = fabric.portNode[port]! * this.nodes + this.destination.values[message]!;
    packets.release(message);
    this.obeyed++;
    this.heldUntilPs[index] = clock.nowPs + this.pausePs;
    this.alarm.at(this.heldUntilPs[index]!, index);
  }

  lost(message: number): void {
    this.lostOnTheWay++;
    this.parts.packets.release(message);
  }

  private indexOf(pair: number): number {
    const { source, destination } = this.parts.pairs;
    return source[pair]! * this.nodes + destination[pair]!;
  }

  private release(index: number): void {
    const { pairs, nic } = this.parts;
    for (let pair = 0; pair < pairs.count; pair++)
      if (pairs.slotOf(pair) >= 0 && this.indexOf(pair) === index) nic.canSendAgain(pair);
  }

  vacated(): void {}

  linkWentDown(): void {}

  excuse(): null {
    return null;
  }

  verdicts(): { name: string; ok: boolean; detail: string }[] {
    const ok = this.obeyed + this.lostOnTheWay === this.told;
    return [{ name: 'sources were told', ok, detail: `${this.told} messages, ${this.obeyed} obeyed` }];
  }
}

export const sourcePause: Mechanism<FlowControlParts, FlowControl> = {
  description: 'a switch tells a sender to leave a destination alone for a time',
  settings: { sourcePause: settings },
  make: (parts) => new SourcePause(parts),
};
