// Queues of switches that tell sources to pause. A queue is congested from its threshold on until it is below it by the
// hysteresis. Whose packet comes to a congested queue is told, once in the minimum interval; with refresh, all that
// were told are told again when a pause is over and the queue still congested; with early resume, they may go on as
// soon as it is not.
// Invariants: only switches, only data from hosts, never queue 0; a queue in which nothing has moved refreshes nothing,
// so that a network that stands still comes to an end; memory is a byte by port and priority, and what was told.
// Source: Chen and Lv, "Source Flow Control computation & simulation"; options are IEEE P802.1Qdw's discussion.

import { Float64List, Int32List } from '../../../../base/columns.js';
import { NodeKind } from '../../../../fabric/fabric.js';
import type { Alarm } from '../../../../engine/alarms.js';
import { Kind, kindMask, PacketWord } from '../../packets.js';
import type { FlowControlParts } from '../../parts.js';
import { queuesPerPort } from '../../ports.js';
import { PairWord } from '../../queue-pairs.js';
import { longestPacketBytes } from '../../switch/headroom.js';
import { QuietFlows } from './quiet-flows.js';
import type { SfcMessages } from './sfc-messages.js';
import type { SfcSettings } from './sfc-settings.js';

const { pair: PAIR, head: HEAD } = PacketWord;
const DATA = Kind.data;
const { host: HOST, switch: SWITCH } = NodeKind;

/** Flows that a congested queue has told to pause. */
class ToldFlows {
  readonly pairs = new Int32List();
  readonly flows = new Float64List();
  /** output port of the packet that was told about last */
  egress = -1;

  add(pair: number, flow: number): void {
    for (let i = 0; i < this.pairs.length; i++)
      if (this.pairs.values[i] === pair && this.flows.values[i] === flow) return;
    this.pairs.push(pair);
    this.flows.push(flow);
  }

  clear(): void {
    this.pairs.length = 0;
    this.flows.length = 0;
  }
}

/** Who sends the messages that congestion points decide on. */
export interface MessageBuilder {
  /** A message is to be built, of which all is known but the pause. */
  begin(message: number): void;
}

export class CongestionPoints {
  /** messages because a queue was still congested after a pause */
  refreshes = 0;
  private readonly isCongested: Uint8Array;
  private readonly isEgress: boolean;
  private readonly thresholdBytes: number;
  private readonly resumeBytes: number;
  private intervalPs = -1;
  private readonly quiet = new QuietFlows();
  /** null: nobody wants to know later */
  private readonly told: Map<number, ToldFlows> | null;
  /** by queue, with refresh: an alarm is set; a packet has left since the last one */
  private readonly isTimed: Uint8Array;
  private readonly hasMoved: Uint8Array;
  private readonly refreshAlarm: Alarm;

  constructor(
    private readonly parts: FlowControlParts,
    private readonly settings: SfcSettings,
    private readonly messages: SfcMessages,
    private readonly builder: MessageBuilder,
  ) {
    const { threshold, hysteresis, at, refresh, earlyResume } = settings;
    const indices = parts.fabric.portCount * queuesPerPort;
    this.isCongested = new Uint8Array(indices);
    this.isEgress = at === 'egress';
    this.thresholdBytes = threshold;
    this.resumeBytes = Math.max(1, threshold - hysteresis);
    this.told = refresh || earlyResume ? new Map() : null;
    this.isTimed = new Uint8Array(refresh ? indices : 0);
    this.hasMoved = new Uint8Array(refresh ? indices : 0);
    this.refreshAlarm = parts.alarms.register('a source pause is over at its congestion point', (point) =>
      this.refreshDue(point),
    );
  }

  /** Bytes of a queue that may be congested (port x 8 + priority). */
  bytesOf(point: number): number {
    const { ports, buffer } = this.parts;
    return this.isEgress
      ? ports.queueBytes(point >> 3, point & 7)
      : buffer.bytesOf(point) + buffer.headroomBytesOf(point);
  }

  admitted(packet: number, node: number, ingress: number, egress: number, queue: number): void {
    const point = ((this.isEgress ? egress : ingress) << 3) + queue;
    const bytes = this.bytesOf(point);
    if (bytes < this.thresholdBytes && (this.isCongested[point] === 0 || bytes < this.resumeBytes)) return;
    const { fabric, records, pairs } = this.parts;
    if (fabric.nodeKind[node] !== SWITCH) return;
    this.isCongested[point] = 1;
    if ((records.words[(packet << 3) + HEAD]! & kindMask) !== DATA) return;
    const pair = records.words[(packet << 3) + PAIR]!;
    if (fabric.nodeKind[pairs.source[pair]!] !== HOST) return;
    const flow = this.parts.flowOf(pair);
    if (flow >= 0) this.tell(point, egress, pair, flow);
  }

  vacated(ingress: number, egress: number, queue: number): void {
    const point = ((this.isEgress ? egress : ingress) << 3) + queue;
    if (this.isCongested[point] === 0) return;
    if (this.settings.refresh) this.hasMoved[point] = 1;
    if (this.bytesOf(point) >= this.resumeBytes) return;
    this.isCongested[point] = 0;
    const told = this.told?.get(point);
    if (told === undefined) return;
    if (this.settings.earlyResume)
      for (let i = 0; i < told.pairs.length; i++)
        this.make(point, egress, told.pairs.values[i]!, told.flows.values[i]!, true);
    told.clear();
  }

  /** A message about a queue is being sent: it is looked at again when the pause is over. */
  sent(message: number): void {
    const { pair, point, pausePs } = this.messages;
    const { buildTime } = this.settings;
    this.lookAgain(point[message]!, Math.max(1, pausePs[message]! - buildTime, this.interval(pair[message]!)));
  }

  private lookAgain(point: number, waitPs: number): void {
    if (!this.settings.refresh || this.isTimed[point] === 1 || this.isCongested[point] === 0) return;
    this.isTimed[point] = 1;
    this.hasMoved[point] = 0;
    this.refreshAlarm.at(this.parts.clock.nowPs + waitPs, point);
  }

  private tell(point: number, egress: number, pair: number, flow: number): void {
    const { nowPs } = this.parts.clock;
    if (!this.quiet.take(point, pair, flow, nowPs, nowPs + this.interval(pair))) return;
    this.make(point, egress, pair, flow, false);
    if (this.told === null) return;
    let told = this.told.get(point);
    if (told === undefined) this.told.set(point, (told = new ToldFlows()));
    told.egress = egress;
    told.add(pair, flow);
  }

  private make(point: number, egress: number, pair: number, flow: number, isResume: boolean): void {
    const { messages } = this;
    const { pairs, flowOf } = this.parts;
    if (flowOf(pair) !== flow) return;
    const message = messages.take();
    messages.pair[message] = pair;
    messages.flow[message] = flow;
    messages.hostPort[message] = pairs.words[(pair << 4) + PairWord.nicPort]!;
    messages.queue[message] = pairs.words[(pair << 4) + PairWord.priority]!;
    messages.point[message] = point;
    messages.egress[message] = egress;
    messages.isResume[message] = isResume ? 1 : 0;
    this.builder.begin(message);
  }

  private refreshDue(point: number): void {
    this.isTimed[point] = 0;
    const told = this.told!.get(point);
    if (this.isCongested[point] === 0 || this.hasMoved[point] === 0 || told === undefined) return;
    const { nowPs } = this.parts.clock;
    for (let i = 0; i < told.pairs.length; i++) {
      const [pair, flow] = [told.pairs.values[i]!, told.flows.values[i]!];
      if (this.parts.flowOf(pair) !== flow) continue;
      const intervalPs = this.interval(pair);
      if (this.quiet.take(point, pair, flow, nowPs, nowPs + intervalPs)) {
        this.refreshes++;
        this.make(point, told.egress, pair, flow, false);
      } else this.lookAgain(point, Math.max(1, intervalPs));
    }
  }

  /** Within this time a message cannot have worked: what is under way still comes, and a packet that had begun. */
  private interval(pair: number): number {
    const { minimumInterval, buildTime, reactionTime } = this.settings;
    if (minimumInterval !== 'auto') return minimumInterval;
    const { largestRttPs, settings, pairs } = this.parts;
    if (this.intervalPs < 0) this.intervalPs = largestRttPs() + buildTime + reactionTime;
    const longest = longestPacketBytes(settings) + settings.packet.gap;
    return this.intervalPs + Math.ceil((longest * 8e12) / pairs.lineRateBps[pair]!);
  }
}
