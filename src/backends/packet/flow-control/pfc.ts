// Priority flow control: a switch pauses one queue of its upstream when its ingress passes the dynamic threshold, and resumes it below.
// Frames are real packets: they wait for the transmission in progress, take link time, and act on arrival. A pause lasts until its resume.
// Invariant: every pause is followed by a resume once the buffer drains; queue 0 is never paused; NVSwitches send none.
// Source: IEEE 802.1Qbb; thresholds as in SimAI (its notes, section 6). Not modelled: pause quanta.

import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import { type EventRecords, Word } from '../event-records.js';
import { bytesShift, Kind, kindMask, type PacketPool } from '../packets.js';
import type { FlowControl } from '../plug-ins.js';
import { type Ports, queuesPerPort } from '../ports.js';
import type { PacketSettings } from '../settings.js';
import type { SharedBuffer } from '../shared-buffer.js';

export class PriorityFlowControl implements FlowControl {
  pauses = 0;
  resumes = 0;
  /** bit q of a port: its upstream's queue q was paused by this end */
  readonly pausedUpstream: Uint8Array;
  private readonly sends: Uint8Array;
  private readonly frameBytes: number;
  private readonly resumeOffset: number;

  constructor(
    fabric: Fabric,
    settings: PacketSettings,
    private readonly buffer: SharedBuffer,
    private readonly ports: Ports,
    private readonly packets: PacketPool,
    private readonly records: EventRecords,
    /** called when a queue of a port may send again */
    private readonly resumed: (port: number) => void,
  ) {
    this.pausedUpstream = new Uint8Array(fabric.portCount);
    this.sends = fabric.nodeKind.map((kind) => (kind === NodeKind.switch && settings.pfc.enabled ? 1 : 0));
    this.frameBytes = settings.packet.pauseFrame;
    this.resumeOffset = settings.pfc.resumeOffset;
  }

  pausingPorts(): number {
    let count = 0;
    for (const queues of this.pausedUpstream) if (queues !== 0) count++;
    return count;
  }

  admitted(node: number, ingress: number, queue: number, isCrowded: boolean): void {
    if (!isCrowded) return;
    const bit = 1 << queue;
    if ((this.pausedUpstream[ingress]! & bit) !== 0 || this.sends[node] === 0) return;
    this.pausedUpstream[ingress]! |= bit;
    this.pauses++;
    this.send(Kind.pause, ingress, queue);
  }

  vacated(node: number, ingress: number, queue: number): void {
    const bit = 1 << queue;
    if ((this.pausedUpstream[ingress]! & bit) === 0) return;
    const index = ingress * queuesPerPort + queue;
    const { buffer } = this;
    if (buffer.headroomBytesOf(index) !== 0) return;
    const pool = buffer.poolBytesOf(index);
    if (pool !== 0 && pool + this.resumeOffset > buffer.threshold(node)) return;
    this.pausedUpstream[ingress]! &= ~bit;
    this.resumes++;
    this.send(Kind.resume, ingress, queue);
  }

  received(frame: number, port: number): void {
    const at = frame << 3;
    const { words } = this.records;
    const queue = words[at + Word.place]!;
    const isPause = (words[at + Word.head]! & kindMask) === Kind.pause;
    this.packets.release(frame);
    this.ports.setPaused(port, queue, isPause);
    if (!isPause) this.resumed(port);
  }

  linkWentDown(port: number): void {
    for (let queues = this.pausedUpstream[port]!; queues !== 0; queues &= queues - 1) this.resumes++;
    this.pausedUpstream[port] = 0;
    if (this.ports.pausedQueues(port) === 0) return;
    for (let queue = 1; queue < queuesPerPort; queue++) this.ports.setPaused(port, queue, false);
    this.resumed(port);
  }

  /** A frame for queue `queue` out of the port it concerns; the frame itself rides in queue 0. */
  private send(kind: number, port: number, queue: number): void {
    const frame = this.packets.allocate();
    const { words } = this.records;
    const at = frame << 3;
    words[at + Word.pair] = -1;
    words[at + Word.place] = queue;
    words[at + Word.head] = kind | (this.frameBytes << bytesShift);
    this.ports.sendControl(port, frame);
  }
}
