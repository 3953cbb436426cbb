// Output-queued switches: an arriving packet goes to the output port that balancing names, through the shared buffer if it must wait.
// Buffer space is held from arrival to the start of transmission; forwarding takes no time of its own.
// Source: SimAI's switch (its notes, section 6). Not modelled: input arbitration, pipeline latency, multicast.

import type { Fabric } from '../../fabric/fabric.js';
import type { EcnMarking } from './marking.js';
import { Kind, kindMask, markBit, type PacketPool, queueShift, Word } from './packets.js';
import type { Balancing, FlowControl } from './plug-ins.js';
import { type Ports, queuesPerPort } from './ports.js';
import type { SharedBuffer } from './shared-buffer.js';

export class Switches {
  private readonly portNode: Int32Array;

  constructor(
    fabric: Fabric,
    private readonly ports: Ports,
    private readonly packets: PacketPool,
    private readonly buffer: SharedBuffer,
    private readonly flowControl: FlowControl,
    private readonly marking: EcnMarking,
    private readonly balancing: Balancing,
    /** called with a packet that found no room; it takes the packet */
    private readonly drop: (packet: number) => void,
  ) {
    this.portNode = fabric.portNode;
  }

  /** A data or acknowledgement packet has come in by a port. */
  forward(packet: number, ingress: number, nowPs: number): void {
    const { ports } = this;
    const { words } = this.packets;
    const at = packet << 3;
    const egress = this.balancing.next(packet);
    const queue = (words[at + Word.head]! >> queueShift) & 7;
    const isPaused = queue !== 0 && (ports.paused[egress]! & (1 << queue)) !== 0;
    if (!isPaused && ports.isIdle(egress, nowPs)) {
      ports.transmit(egress, packet, nowPs);
      return;
    }
    if (queue !== 0) {
      const node = this.portNode[ingress]!;
      if (!this.buffer.admit(node, ingress, ingress * queuesPerPort + queue, words[at + Word.bytes]!)) {
        this.drop(packet);
        return;
      }
      words[at + Word.port] = ingress;
      ports.append(egress, packet);
      this.flowControl.admitted(node, ingress, queue, nowPs);
    } else ports.append(egress, packet);
    if (ports.freeAtPs[egress]! > nowPs) ports.wakeWhenFree(egress);
  }

  /** Sends the next packet of an idle port, if any may go. */
  serve(port: number, nowPs: number): void {
    const { ports } = this;
    const eligible = ports.sendable(port);
    if (eligible === 0) return;
    const queue = ports.chooseQueue(port, eligible);
    const packet = ports.take(port, queue);
    if (queue !== 0) {
      const { words } = this.packets;
      const at = packet << 3;
      const head = words[at + Word.head]!;
      if ((head & kindMask) === Kind.data && this.marking.shouldMark(port, ports.queueBytes[port * queuesPerPort + queue]!)) words[at + Word.head] = head | markBit;
      const ingress = words[at + Word.port]!;
      const node = this.portNode[port]!;
      this.buffer.vacate(node, ingress * queuesPerPort + queue, words[at + Word.bytes]!);
      ports.transmit(port, packet, nowPs);
      this.flowControl.vacated(node, ingress, queue, nowPs);
    } else ports.transmit(port, packet, nowPs);
    if (ports.sendable(port) !== 0) ports.wakeWhenFree(port);
  }

  /** A paused queue may send again. */
  resume(port: number, nowPs: number): void {
    if (this.ports.freeAtPs[port]! > nowPs) {
      if (this.ports.sendable(port) !== 0) this.ports.wakeWhenFree(port);
    } else if (this.ports.waiting[port] === 0) this.serve(port, nowPs);
  }
}
