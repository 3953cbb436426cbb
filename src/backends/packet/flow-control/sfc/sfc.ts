// Source flow control: a congested queue tells the sources of what comes to it to pause. Decision, message and reaction
// are three parts: congestion-points.ts, control packets with what sfc-messages.ts keeps of them, and one of the
// reactions at host or edge switch. This file is the way between them: t1, the journey, t2.
// Invariants: every message that was begun is sent, lost or without a route; every pause ends at its time or before;
// no promise that nothing is dropped: PFC beside it gives one.
// Source: IEEE P802.1Qdw as in L. Chen, L. Lv, "Source Flow Control computation & simulation"; the encoding of messages
// is Weft's own (docs/formats/sfc-message.md). Not modelled: limits of the table of flows in a switch.

import type { Alarm } from '../../../../engine/alarms.js';
import type { Verdict } from '../../../../execution/network.js';
import { NodeKind } from '../../../../fabric/fabric.js';
import { Kind, kindMask, PacketWord } from '../../packets.js';
import type { FlowControlParts } from '../../parts.js';
import type { FlowControl, PacketStops } from '../../plug-ins.js';
import { CongestionPoints, type MessageBuilder } from './congestion-points.js';
import { EdgeQueues } from './edge-queues.js';
import { FlowHolds } from './flow-holds.js';
import { EndStationHolds } from './port-holds.js';
import { ProxyPauses } from './proxy-pauses.js';
import type { Reaction, ReactionParts } from './reaction.js';
import { SfcMessages } from './sfc-messages.js';
import type { SfcSettings } from './sfc-settings.js';

/** The settings name whole nanoseconds in a message; a pause is at least one. */
const nanosecondPs = 1000;

export class SourceFlowControl implements FlowControl, MessageBuilder {
  readonly isLossless = false;
  readonly stops: PacketStops | null;
  private sent = 0;
  private local = 0;
  private resumesSent = 0;
  private obeyed = 0;
  private lostMessages = 0;
  private withoutRoute = 0;
  private readonly messages = new SfcMessages();
  private readonly points: CongestionPoints;
  private readonly reaction: Reaction;
  private readonly build: Alarm;
  private readonly react: Alarm;

  constructor(
    private readonly parts: FlowControlParts,
    private readonly settings: SfcSettings,
  ) {
    const { alarms } = parts;
    this.points = new CongestionPoints(parts, settings, this.messages, this);
    this.reaction = reactionOf({ ...parts, messages: this.messages }, settings);
    this.stops = this.reaction instanceof EdgeQueues ? this.reaction : null;
    this.build = alarms.register('a source flow control message is built', (message) => this.built(message));
    this.react = alarms.register('a source flow control message is obeyed', (message) => this.obey(message));
  }

  get counters(): Record<string, number> {
    const { counts, counters } = this.reaction;
    return {
      sfcMessages: this.sent + this.local,
      sfcMessagesLost: this.lostMessages + this.withoutRoute,
      sfcRefreshes: this.points.refreshes,
      sfcResumes: this.resumesSent,
      sfcPauses: counts.begun,
      sfcPausesResumed: counts.resumed,
      ...counters,
    };
  }

  excuse(): null {
    return null;
  }

  verdicts(): Verdict[] {
    const { counts } = this.reaction;
    const { pauses, overdue, packets } = this.reaction.standing();
    const { sent, local, obeyed, lostMessages } = this;
    const underWay = sent + local - obeyed - lostMessages;
    return [
      {
        name: 'source pauses ended',
        ok: counts.begun === counts.ended + pauses && overdue === 0 && packets === 0,
        detail: `${counts.begun} pauses, ${counts.ended} ended, ${pauses} not over yet, ${overdue} beyond their time, ${packets} packets held`,
      },
      {
        name: 'source flow control messages obeyed',
        ok: underWay >= 0 && underWay <= this.messages.live,
        detail: `${sent} sent, ${local} within a switch, ${obeyed} obeyed, ${lostMessages} lost, ${underWay} under way`,
      },
    ];
  }

  admitted(packet: number, node: number, ingress: number, egress: number, queue: number): void {
    // what is stopped does not come to the queue of its output port
    if (this.stops !== null && this.stops.stops(packet, ingress)) return;
    this.points.admitted(packet, node, ingress, egress, queue);
  }

  vacated(_packet: number, _node: number, ingress: number, egress: number, queue: number): void {
    this.points.vacated(ingress, egress, queue);
  }

  begin(message: number): void {
    this.build.at(this.parts.clock.nowPs + this.settings.buildTime, message);
  }

  /** The edge switch that reacts takes a message that is on its way to the source. */
  intercepts(packet: number, port: number): boolean {
    const { messages, reaction } = this;
    const { fabric, records } = this.parts;
    const message = records.words[(packet << 3) + PacketWord.sequence]!;
    return reaction.placeOf(messages.hostPort[message]!) === fabric.portNode[port];
  }

  received(packet: number, port: number): void {
    const { records, packets, clock } = this.parts;
    const at = packet << 3;
    if ((records.words[at + PacketWord.head]! & kindMask) !== Kind.control) {
      this.reaction.frameArrived!(packet, port);
      return;
    }
    const message = records.words[at + PacketWord.sequence]!;
    packets.release(packet);
    this.react.at(clock.nowPs + this.settings.reactionTime, message);
  }

  lost(packet: number): void {
    const { records, packets } = this.parts;
    const at = packet << 3;
    if ((records.words[at + PacketWord.head]! & kindMask) !== Kind.control) {
      this.reaction.frameLost!(packet);
      return;
    }
    this.lostMessages++;
    this.messages.release(records.words[at + PacketWord.sequence]!);
    packets.release(packet);
  }

  linkWentDown(port: number): void {
    this.reaction.linkWentDown?.(port);
  }

  /** The time to build a message is over: the switch sends it, or, if it is the edge switch that reacts, keeps it. */
  private built(message: number): void {
    const { messages, points } = this;
    const { fabric, clock, flowOf, control, records, signature } = this.parts;
    if (flowOf(messages.pair[message]!) !== messages.flow[message]) {
      messages.release(message);
      return;
    }
    const isResume = messages.isResume[message] === 1;
    const pausePs = isResume ? 0 : this.pauseOf(message);
    messages.pausePs[message] = pausePs;
    const node = fabric.portNode[messages.point[message]! >> 3]!;
    const place = this.reaction.placeOf(messages.hostPort[message]!);
    if (place === node) {
      this.local++;
      this.react.at(clock.nowPs + this.settings.reactionTime, message);
    } else {
      const packet = control.make(signature, this.addressOf(message, place), this.settings.message);
      records.words[(packet << 3) + PacketWord.sequence] = message;
      if (!control.send(packet, node)) {
        this.withoutRoute++;
        messages.release(message);
        return;
      }
      this.sent++;
    }
    if (isResume) this.resumesSent++;
    else points.sent(message);
  }

  /**
   * The source of the flow. Where its ports lead to several switches they have an address each: then the one of the
   * port's switch stands for it, as routes of data lead to hosts and not to ports.
   */
  private addressOf(message: number, place: number): number {
    const { portNode, portOffset, portPeer, nodeKind } = this.parts.fabric;
    const host = portNode[this.messages.hostPort[message]!]!;
    if (place === host) return host;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      const neighbour = portNode[portPeer[port]!]!;
      if (neighbour !== place && nodeKind[neighbour] === NodeKind.switch) return place;
    }
    return host;
  }

  private obey(message: number): void {
    this.obeyed++;
    this.reaction.act(message);
    this.messages.release(message);
  }

  /** Whole nanoseconds, as a message carries them. */
  private pauseOf(message: number): number {
    const { pause } = this.settings;
    if (pause !== 'auto') return Math.max(nanosecondPs, Math.round(pause / nanosecondPs) * nanosecondPs);
    const bytes = this.points.bytesOf(this.messages.point[message]!);
    const rateBps = this.parts.ports.rateBps[this.messages.egress[message]!]!;
    return Math.max(1, Math.ceil((bytes * 8e9) / rateBps)) * nanosecondPs;
  }
}

function reactionOf(parts: ReactionParts, { reaction, per, bridgeShare }: SfcSettings): Reaction {
  if (reaction === 'proxy') return new ProxyPauses(parts);
  if (reaction === 'bridge') return new EdgeQueues(parts, per, bridgeShare);
  return per === 'flow' ? new FlowHolds(parts) : new EndStationHolds(parts, per);
}
