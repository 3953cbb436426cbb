// What a packet run checks about itself, from counters that the checked code does not share.

import type { RunState, Verdict } from '../../execution/network.js';
import { formatTimePs } from '../../base/units.js';
import { mostAttempts } from './transport/restart.js';
import { longestWaitPs } from './transport/retransmission-waits.js';
import { cycleText } from '../../fabric/cycle-text.js';
import { findDeadlock } from './switch/deadlock.js';
import { Kind } from './packets.js';
import type { PacketNetworkParts } from './network-parts.js';
import { queuesPerPort } from './ports.js';
import type { PacketSettings } from './settings.js';

/** What the checks look at. */
export type PacketState = Pick<
  PacketNetworkParts,
  | 'settings'
  | 'transport'
  | 'fabric'
  | 'records'
  | 'packets'
  | 'ports'
  | 'buffer'
  | 'flowControl'
  | 'watchdog'
  | 'balancing'
  | 'inOrder'
  | 'control'
  | 'fates'
  | 'flows'
  | 'links'
  | 'largestRttPs'
>;

/**
 * Verdicts on a network at rest or stopped. Of a finished run nothing may be left anywhere; of a blocked one the cause
 * is looked for.
 */
export function packetVerdicts(network: PacketState, state: RunState): Verdict[] {
  return [
    conservation(network),
    delivered(network),
    counters(network),
    ...(network.control.sent > 0 ? [controlConservation(network)] : []),
    ...(state === 'finished'
      ? [
          emptyBuffers(network),
          ...network.flowControl.verdicts(),
          ...(network.balancing.verdicts?.() ?? []),
          ...(network.inOrder?.verdicts() ?? []),
        ]
      : []),
    ...(state === 'blocked' ? [deadlock(network)] : []),
    lossless(network),
  ];
}

function conservation({ transport, fates: { dropped, lost }, packets }: PacketState): Verdict {
  const { dataPacketsSent, dataPacketsDelivered, acknowledgementsSent, acknowledgementsDelivered } = transport.counters;
  const dataInFlight = packets.countOfKind(Kind.data);
  const acknowledgementsInFlight =
    packets.countOfKind(Kind.ack) + packets.countOfKind(Kind.nack) + packets.countOfKind(Kind.notification);
  const dataGone = dataPacketsDelivered + dropped.data + lost.data + dataInFlight;
  const acknowledgementsGone =
    acknowledgementsDelivered + dropped.acknowledgements + lost.acknowledgements + acknowledgementsInFlight;
  return {
    name: 'conservation',
    ok: dataPacketsSent === dataGone && acknowledgementsSent === acknowledgementsGone,
    detail:
      `${dataPacketsSent} data packets sent = ${dataPacketsDelivered} delivered + ${dropped.data} dropped + ` +
      `${lost.data} lost + ${dataInFlight} in flight; ${acknowledgementsSent} acknowledgements = ` +
      `${acknowledgementsDelivered} + ${dropped.acknowledgements} + ${lost.acknowledgements} + ` +
      `${acknowledgementsInFlight}`,
  };
}

/** Control packets have counters of their own. */
function controlConservation({ control: { sent, arrived, lost }, packets }: PacketState): Verdict {
  const underWay = packets.countOfKind(Kind.control);
  return {
    name: 'conservation of control packets',
    ok: sent === arrived + lost + underWay,
    detail: `${sent} sent = ${arrived} arrived + ${lost} lost + ${underWay} under way`,
  };
}

/** Why flows are unfinished although nothing is in the way, in words; empty if that is not known. */
export function blockedReason(state: PacketState): string {
  const {
    transport,
    settings,
    fates: { dropped, lost },
  } = state;
  const { retransmissionTimeout, retries, goBackTo } = settings.queuePair;
  const gone = dropped.data + dropped.acknowledgements + lost.data + lost.acknowledgements;
  if (transport.gaveUp > 0)
    return (
      'senders that gave up after ' +
      `${retransmissionTimeout === 'auto' ? `${formatTimePs((retries + 1) * longestWaitPs(state))} without progress` : `${retries} timeouts in a row`} ` +
      `(queuePair.retries)${goBackTo === 'missing-packet' ? '' : ` or sent a message ${mostAttempts} times without getting further (queuePair.goBackTo)`}: ` +
      `${transport.gaveUp}; packets lost or dropped: ${gone}`
    );
  if (retransmissionTimeout !== 0) return '';
  if (gone > 0) return `packets lost or dropped: ${gone}, and queuePair.retransmissionTimeout is 0`;
  const { retransmittedPackets } = transport.counters;
  return retransmittedPackets > 0
    ? `packets came out of order, ${retransmittedPackets} were sent again; a receiver asks for a gap once in ` +
        'queuePair.nackInterval, and queuePair.retransmissionTimeout is 0'
    : '';
}

/** Looked for only where nothing moves: in a run that was stopped pauses in a circle may still dissolve. */
function deadlock({ fabric, ports, records }: PacketState): Verdict {
  const cycle = findDeadlock(fabric, ports, records);
  return {
    name: 'no deadlock by PFC',
    ok: cycle === null,
    detail:
      cycle === null
        ? 'no cycle of paused ports'
        : `output ports that wait for each other (node:port): ${cycleText(fabric, cycle)}`,
  };
}

/** The sender's word against the receiver's. */
function delivered({ flows: { finishedEarly } }: PacketState): Verdict {
  return {
    name: 'finished flows are complete at their receivers',
    ok: finishedEarly === 0,
    detail: `${finishedEarly} flows ended before their last byte had arrived`,
  };
}

function counters({ buffer, ports }: PacketState): Verdict {
  let negative = 0;
  for (const column of [buffer.ingress, buffer.poolUsed]) for (const value of column) if (value < 0) negative++;
  for (let port = 0; port < ports.count; port++)
    for (let queue = 0; queue < queuesPerPort; queue++) if (ports.queueBytes(port, queue) < 0) negative++;
  return { name: 'no negative counter', ok: negative === 0, detail: `${negative} buffer counters below zero` };
}

function emptyBuffers({ buffer, ports, packets }: PacketState): Verdict {
  let held = 0;
  for (const column of [buffer.ingress, buffer.poolUsed]) for (const value of column) held += value;
  for (let port = 0; port < ports.count; port++)
    for (let queue = 0; queue < queuesPerPort; queue++) held += ports.queueBytes(port, queue);
  return {
    name: 'buffers empty at the end',
    ok: held === 0 && packets.live === 0,
    detail: `${held} bytes queued, ${packets.live} packets in flight`,
  };
}

/** Whoever misses a pause may overrun a buffer by right, and so may what links have done. */
function lossless({ fates: { dropped }, settings, flowControl, links, watchdog }: PacketState): Verdict {
  const drops = dropped.data + dropped.acknowledgements;
  const name = 'no drop while lossless';
  if (!flowControl.isLossless) return { name, ok: true, detail: `${drops} packets dropped; PFC is off` };
  const excuse = flowControl.excuse() ?? watchdog?.excuse() ?? links.overrunExcuse;
  return {
    name,
    ok: drops === 0 || excuse !== null,
    detail: `${drops} packets dropped with PFC on${drops === 0 ? '' : excuse === null ? hint(settings) : `; ${excuse}`}`,
  };
}

function hint({ pfc, packet }: PacketSettings): string {
  const why =
    pfc.headroom === 'cable'
      ? 'pauses that run out or are lost do not hold (pfc.pauseTime)'
      : `a headroom of ${pfc.headroomDelays} x rate x latency (pfc.headroomDelays) must cover a round trip and ` +
        `three packets of ${packet.payload + packet.header} B: pfc.headroom: cable does`;
  return `: ${why}`;
}
