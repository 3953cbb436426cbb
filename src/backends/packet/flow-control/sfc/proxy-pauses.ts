// The proxy: the edge switch of the source takes the message, and pauses the host by a PFC frame with what is left of
// the pause, for hosts that know PFC alone. A pause that is longer than a frame can say is repeated at half its time.
// Invariants: a frame's pause is whole quanta of its link; frames for a priority that still wait at a port become one;
// a frame that is lost costs one pause, and nothing is held for it.
// Source: IEEE P802.1Qdw's proxy mode as Chen and Lv describe it; the frame is that of IEEE 802.1Qbb.

import type { Alarm } from '../../../../engine/alarms.js';
import { bytesShift, Kind, kindMask, PacketWord } from '../../packets.js';
import { queuesPerPort } from '../../ports.js';
import { mostPauseQuanta, pauseQuanta, quantaPs } from '../pause-timers.js';
import { PortHolds } from './port-holds.js';
import type { PauseCounts, Reaction, ReactionParts, Standing } from './reaction.js';

const { pair: PAIR, place: PLACE, head: HEAD, sequence: SEQUENCE } = PacketWord;

export class ProxyPauses implements Reaction {
  private frames = 0;
  private framesLost = 0;
  private readonly holds: PortHolds;
  /**
   * by the edge switch's port x 8 + queue: until when the host is to pause, what asked for it, the output port behind
   */
  private readonly untilPs: Float64Array;
  private readonly point: Int32Array;
  private readonly egress: Int32Array;
  private readonly alarm: Alarm;

  constructor(private readonly parts: ReactionParts) {
    const indices = parts.fabric.portCount * queuesPerPort;
    this.holds = new PortHolds(parts);
    this.untilPs = new Float64Array(indices);
    this.point = new Int32Array(indices);
    this.egress = new Int32Array(indices);
    this.alarm = parts.alarms.register('repeat the pause of a proxy', (index) => this.repeat(index));
  }

  get counts(): PauseCounts {
    return this.holds.counts;
  }

  get counters(): Record<string, number> {
    return { sfcPauseFrames: this.frames, sfcPauseFramesLost: this.framesLost };
  }

  placeOf(hostPort: number): number {
    const { portNode, portPeer } = this.parts.fabric;
    return portNode[portPeer[hostPort]!]!;
  }

  act(message: number): void {
    const { messages, clock, fabric } = this.parts;
    const index = fabric.portPeer[messages.hostPort[message]!]! * queuesPerPort + messages.queue[message]!;
    const point = messages.point[message]!;
    if (messages.isResume[message] === 1) {
      if (this.untilPs[index]! <= clock.nowPs || this.point[index] !== point) return;
      this.untilPs[index] = 0;
      this.send(index, Kind.resume, 0);
      return;
    }
    const untilPs = clock.nowPs + messages.pausePs[message]!;
    if (untilPs <= this.untilPs[index]!) return;
    this.untilPs[index] = untilPs;
    this.point[index] = point;
    this.egress[index] = messages.egress[message]!;
    this.pause(index);
  }

  frameArrived(frame: number, port: number): void {
    const { records, packets, ports, clock, fabric } = this.parts;
    const { words } = records;
    const at = frame << 3;
    const queue = words[at + PLACE]!;
    const quanta = words[at + SEQUENCE]!;
    const isPause = (words[at + HEAD]! & kindMask) === Kind.pause;
    packets.release(frame);
    if (!isPause) {
      this.holds.resume(port, queue, -1);
      return;
    }
    const index = fabric.portPeer[port]! * queuesPerPort + queue;
    const untilPs = clock.nowPs + quantaPs(quanta, ports.rateBps[port]!);
    this.holds.hold(port, queue, untilPs, this.point[index]!, this.egress[index]!);
  }

  frameLost(frame: number): void {
    this.framesLost++;
    this.parts.packets.release(frame);
  }

  linkWentDown(port: number): void {
    for (let queue = 1; queue < queuesPerPort; queue++) {
      this.untilPs[port * queuesPerPort + queue] = 0;
      this.holds.resume(port, queue, -1);
    }
  }

  standing(): Standing {
    return this.holds.standing();
  }

  /** Sends a frame for what is left of a pause; more than it can say follows in time. */
  private pause(index: number): void {
    const { ports, clock } = this.parts;
    const rateBps = ports.rateBps[index >> 3]!;
    const quanta = pauseQuanta(this.untilPs[index]! - clock.nowPs, rateBps);
    const carried = Math.min(mostPauseQuanta, quanta);
    this.send(index, Kind.pause, carried);
    if (carried < quanta) this.alarm.at(clock.nowPs + Math.floor(quantaPs(carried, rateBps) / 2), index);
  }

  private repeat(index: number): void {
    if (this.untilPs[index]! > this.parts.clock.nowPs) this.pause(index);
  }

  private send(index: number, kind: number, quanta: number): void {
    const { ports, packets, records, signature, settings } = this.parts;
    const [port, queue] = [index >> 3, index & 7];
    const waiting = ports.waitingControl(port, queue, signature);
    const frame = waiting >= 0 ? waiting : packets.allocate();
    const { words } = records;
    const at = frame << 3;
    words[at + PAIR] = signature;
    words[at + PLACE] = queue;
    words[at + SEQUENCE] = quanta;
    words[at + HEAD] = kind | (settings.packet.pauseFrame << bytesShift);
    if (waiting >= 0) return;
    this.frames++;
    ports.sendControl(port, frame);
  }
}
