// Hosts that take what arrives more slowly than their link brings it, from a receive buffer of their own, and pause
// their leaf with PFC frames while it is full. Frames are real packets, as those of switches are; the leaf's port
// stands still as any port that is paused.
// Invariants: what is in a buffer leaves it in the order in which it came; a pause is followed by a resume once the
// buffer has drained; the host's own transport sees a packet when it has been taken out. Queue 0 is never paused.
// Source: IEEE 802.1Qbb, whose headroom is that of switch/headroom.ts. Not modelled: pause times of such frames.

import type { Alarm } from '../../../engine/alarms.js';
import type { Verdict } from '../../../execution/network.js';
import type { LinkStates } from '../../../fabric/link-states.js';
import { bytesShift, Kind, kindMask, PacketWord, queueShift } from '../packets.js';
import type { PacketParts } from '../parts.js';
import type { FlowControl, FlowControlCounters, PortOwner } from '../plug-ins.js';
import { queuesPerPort } from '../ports.js';
import type { ReceiveBuffer } from '../settings.js';
import { cableHeadroomBytes } from '../switch/headroom.js';
import type { Nic } from './nic.js';

export interface SlowReceiverParts extends PacketParts {
  readonly nic: Nic;
  readonly owner: PortOwner;
  readonly signature: number;
}

const { next: NEXT, port: PORT, head: HEAD, pair: PAIR, place: PLACE, sequence: SEQUENCE } = PacketWord;

/** As a flow control it gets back the frames that its hosts send; switches it leaves alone. */
export class SlowReceivers implements FlowControl {
  readonly isLossless = false;
  pauses = 0;
  resumes = 0;
  framesLost = 0;
  peakBytes = 0;
  /** bytes beyond what a buffer needs for what still arrives after its pause, at the worst */
  private overrunBytes = 0;
  /** by port: first and last packet that wait; bits of the queues whose leaf is paused */
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private readonly paused: Uint8Array;
  /** by port x 8 + queue: bytes that wait */
  private readonly bytes: Float64Array;
  private readonly links: LinkStates;
  private readonly drains: Alarm;

  constructor(private readonly parts: SlowReceiverParts) {
    const { portCount } = parts.fabric;
    this.first = new Int32Array(portCount).fill(-1);
    this.last = new Int32Array(portCount).fill(-1);
    this.paused = new Uint8Array(portCount);
    this.bytes = new Float64Array(portCount * queuesPerPort);
    this.links = parts.links;
    this.drains = parts.alarms.register('a slow receiver takes a packet', (port) => this.drained(port));
  }

  get counters(): FlowControlCounters {
    return {
      receiverPauseFrames: this.pauses,
      receiverResumeFrames: this.resumes,
      receiverPauseFramesLost: this.framesLost,
      receiveBufferPeakBytes: this.peakBytes,
    };
  }

  excuse(): string | null {
    return null;
  }

  verdicts(): Verdict[] {
    const held = this.paused.reduce((count, queues) => count + (queues === 0 ? 0 : 1), 0);
    const full = this.first.reduce((count, packet) => count + (packet < 0 ? 0 : 1), 0);
    const excuse = this.framesLost > 0 ? 'frames were lost' : this.links.overrunExcuse;
    return [
      {
        name: 'slow receivers let their leaves go on',
        ok: held === 0 && full === 0 && this.pauses === this.resumes,
        detail: `${this.pauses} pauses, ${this.resumes} resumes, ${held} ports still paused, ${full} buffers not empty`,
      },
      {
        name: 'receive buffers within their headroom',
        ok: this.overrunBytes === 0 || excuse !== null,
        detail: `${this.overrunBytes} B beyond threshold and headroom, peak ${this.peakBytes} B${excuse === null ? '' : `; ${excuse}`}`,
      },
    ];
  }

  /** A data or acknowledgement packet has reached its host; it is the NIC's, now or when its turn comes. */
  receive(packet: number): void {
    const { fabric, nic, records, settings } = this.parts;
    const at = packet << 3;
    const { words } = records;
    const port = fabric.portPeer[words[at + PORT]!]!;
    const buffer = settings.receiveBuffers.get(fabric.portNode[port]!);
    if (buffer === undefined) {
      nic.receive(packet);
      return;
    }
    words[at + NEXT] = -1;
    // draining sets an alarm: records may have moved after it
    const head = words[at + HEAD]!;
    if (this.first[port]! < 0) {
      this.first[port] = packet;
      this.drainNext(port, packet, buffer);
    } else words[(this.last[port]! << 3) + NEXT] = packet;
    this.last[port] = packet;
    const queue = (head >> queueShift) & 7;
    const index = port * queuesPerPort + queue;
    const bytes = (this.bytes[index]! += head >> bytesShift);
    if (bytes > this.peakBytes) this.peakBytes = bytes;
    if (queue === 0 || bytes < buffer.sizeBytes) return;
    this.overrunBytes = Math.max(this.overrunBytes, bytes - buffer.sizeBytes - this.headroom(port));
    if ((this.paused[port]! & (1 << queue)) !== 0) return;
    this.paused[port]! |= 1 << queue;
    this.pauses++;
    this.send(Kind.pause, port, queue);
  }

  /** A frame of a host has reached its leaf. */
  received(frame: number, port: number): void {
    const { ports, packets, owner, records } = this.parts;
    const at = frame << 3;
    const queue = records.words[at + PLACE]!;
    const isPause = (records.words[at + HEAD]! & kindMask) === Kind.pause;
    packets.release(frame);
    ports.setPaused(port, queue, isPause);
    if (!isPause) owner.resume(port);
  }

  /** A lost frame is sent again if it still says what holds; after a failure of the link nothing is paused. */
  lost(frame: number): void {
    const { packets, fabric, records } = this.parts;
    const at = frame << 3;
    const [port, queue] = [records.words[at + PORT]!, records.words[at + PLACE]!];
    const isPause = (records.words[at + HEAD]! & kindMask) === Kind.pause;
    this.framesLost++;
    packets.release(frame);
    const holds = ((this.paused[port]! >> queue) & 1) === (isPause ? 1 : 0);
    if (holds && this.links.isUp[fabric.portLink[port]!] === 1)
      this.send(isPause ? Kind.pause : Kind.resume, port, queue);
  }

  admitted(): void {}

  vacated(): void {}

  linkWentDown(port: number): void {
    const { ports, owner, fabric, settings } = this.parts;
    const { receiveBuffers: buffers } = settings;
    if (buffers.has(fabric.portNode[port]!)) {
      for (let queue = 1; queue < queuesPerPort; queue++) {
        if ((this.paused[port]! & (1 << queue)) === 0) continue;
        const waiting = ports.waitingControl(port, queue, this.parts.signature);
        if (waiting >= 0) this.write(waiting, Kind.resume, queue);
        this.resumes++;
      }
      this.paused[port] = 0;
    } else if (buffers.has(fabric.portNode[fabric.portPeer[port]!]!) && ports.pausedQueues(port) !== 0) {
      for (let queue = 1; queue < queuesPerPort; queue++) ports.setPaused(port, queue, false);
      owner.resume(port);
    }
  }

  /** The host has taken the first packet out of a port's buffer. */
  private drained(port: number): void {
    const { fabric, nic, records, settings } = this.parts;
    const buffer = settings.receiveBuffers.get(fabric.portNode[port]!)!;
    const packet = this.first[port]!;
    const head = records.words[(packet << 3) + HEAD]!;
    const next = records.words[(packet << 3) + NEXT]!;
    this.first[port] = next;
    const queue = (head >> queueShift) & 7;
    const bytes = (this.bytes[port * queuesPerPort + queue]! -= head >> bytesShift);
    if (
      (this.paused[port]! & (1 << queue)) !== 0 &&
      (bytes === 0 || bytes + settings.pfc.resumeOffset <= buffer.sizeBytes)
    ) {
      this.paused[port]! &= ~(1 << queue);
      this.resumes++;
      this.send(Kind.resume, port, queue);
    }
    if (next >= 0) this.drainNext(port, next, buffer);
    nic.receive(packet);
  }

  /** Drains the packet that is now the first one: at the share of the link's rate, its gap included. */
  private drainNext(port: number, packet: number, { speed }: ReceiveBuffer): void {
    const { fabric, ports, clock, records } = this.parts;
    const linkBytes = (records.words[(packet << 3) + HEAD]! >> bytesShift) + ports.gapBytes;
    const rateBps = ports.rateBps[fabric.portPeer[port]!]! * speed;
    this.drains.at(clock.nowPs + Math.floor((linkBytes * 8e12) / rateBps + 0.5), port);
  }

  private headroom(port: number): number {
    const { fabric, settings } = this.parts;
    const link = fabric.portLink[port]!;
    return cableHeadroomBytes(settings, fabric.linkRateBps[link]!, fabric.linkLatencyPs[link]!, 0, 1);
  }

  /** A frame for a queue of the leaf; of those that wait for one queue there is at most one. */
  private send(kind: number, port: number, queue: number): void {
    const { ports, packets, signature } = this.parts;
    const waiting = ports.waitingControl(port, queue, signature);
    const frame = waiting >= 0 ? waiting : packets.allocate();
    this.write(frame, kind, queue);
    if (waiting < 0) ports.sendControl(port, frame);
  }

  private write(frame: number, kind: number, queue: number): void {
    const { records, settings, signature } = this.parts;
    const { words } = records;
    const at = frame << 3;
    words[at + PAIR] = signature;
    words[at + PLACE] = queue;
    words[at + SEQUENCE] = -1;
    words[at + HEAD] = kind | (settings.packet.pauseFrame << bytesShift);
  }
}
