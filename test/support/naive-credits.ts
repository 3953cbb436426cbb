// Credit-based flow control once more, as simply as can be: objects, a sorted list of events, credits that are events of
// their own, and after each event a look at every port. Nothing of the backend is used.
// What two events do that happen to one port at one instant may depend on their order, which is nobody's promise:
// `isAmbiguous` tells of that.

import type { Fabric } from '../../src/fabric/fabric.js';

export interface NaiveFlow {
  readonly startPs: number;
  /** on each link of the path */
  readonly lanes: readonly number[];
  readonly path: readonly number[];
  /** bytes of each packet on the link */
  readonly packets: readonly number[];
}

export interface NaiveRules {
  readonly lanes: number;
  readonly bufferBytes: number;
  readonly returnLatencyPs: number;
  readonly cutsThrough: boolean;
  readonly acceptsAtOutput: boolean;
  /** what a port has accepted, and what it has sent and no credit is back for, share a buffer */
  readonly sharesBuffer: boolean;
  readonly headerBytes: number;
}

interface Packet {
  readonly flow: number;
  readonly bytes: number;
  hop: number;
  /** port and lane whose credits it holds */
  holds: [port: number, lane: number] | null;
  accepted: boolean;
  tailPs: number;
}

interface Port {
  busyUntilPs: number;
  turn: number;
  readonly queues: Packet[][];
  readonly rings: number[][];
  readonly credits: number[];
}

/**
 * By flow: when its last packet arrives, in picoseconds (Infinity: never). By port and lane: bytes on the link; by port:
 * how long it was free and had packets, and by lane how long it was held back. And whether the order of events of an instant may matter.
 */
export function naiveCredits(fabric: Fabric, flows: readonly NaiveFlow[], rules: NaiveRules) {
  const latencyOf = (port: number): number => fabric.linkLatencyPs[fabric.portLink[port]!]!;
  const behindPs = (port: number): number =>
    latencyOf(port) + fabric.nodeLatencyPs[fabric.portNode[fabric.portPeer[port]!]!]!;
  const timeOf = (port: number, bytes: number): number =>
    Math.round((bytes * 8e12) / fabric.linkRateBps[fabric.portLink[port]!]!);
  const perLane = <T>(make: () => T): T[] => Array.from({ length: rules.lanes }, make);
  const ports = Array.from({ length: fabric.portCount }, (): Port => ({
    busyUntilPs: 0,
    turn: 0,
    queues: perLane(() => []),
    rings: perLane(() => []),
    credits: perLane(() => rules.bufferBytes),
  }));
  // `where` is the port to which it happens, -1 if to none
  const events: { atPs: number; where: number; enters: boolean; run: () => void }[] = [];
  const at = (atPs: number, where: number, run: () => void, enters = false): void =>
    void events.push({ atPs, where, enters, run });
  const sent = flows.map(() => 0);
  const arrived = flows.map(() => 0);
  const arrivalPs = flows.map(() => Infinity);
  const sentBytes = ports.map(() => perLane(() => 0));
  const waitedPs = ports.map(() => 0);
  /** by lane: passed over by its free port since credits came back last; how long that lasted in all */
  const isHeld = ports.map(() => perLane(() => false));
  const heldPs = ports.map(() => perLane(() => 0));
  let nowPs = 0;
  let isAmbiguous = false;

  const giveBack = (packet: Packet, fromPs: number): void => {
    if (packet.holds === null) return;
    const [port, lane] = packet.holds;
    packet.holds = null;
    const back = (): void => {
      ports[port]!.credits[lane]! += packet.bytes;
      isHeld[port]![lane] = false;
      acceptAll(port, lane);
    };
    at(fromPs + latencyOf(port) + rules.returnLatencyPs, port, back);
  };
  const acceptAll = (port: number, lane: number): void => {
    if (!rules.acceptsAtOutput) return;
    const { queues, credits } = ports[port]!;
    for (const packet of queues[lane]!) {
      if (packet.accepted) continue;
      const held = queues[lane]!.filter(({ accepted }) => accepted).reduce((sum, { bytes }) => sum + bytes, 0);
      if (held + packet.bytes > (rules.sharesBuffer ? credits[lane]! : rules.bufferBytes)) return;
      packet.accepted = true;
      giveBack(packet, nowPs);
    }
  };
  const arrive = (packet: Packet): void => {
    const { path, lanes, packets } = flows[packet.flow]!;
    packet.hop++;
    if (packet.hop === path.length) {
      giveBack(packet, nowPs);
      if (++arrived[packet.flow]! === packets.length) arrivalPs[packet.flow] = nowPs;
      return;
    }
    const [port, lane] = [path[packet.hop]!, lanes[packet.hop]!];
    packet.accepted = false;
    ports[port]!.queues[lane]!.push(packet);
    acceptAll(port, lane);
  };
  const trySending = (number: number): boolean => {
    const port = ports[number]!;
    if (nowPs < port.busyUntilPs) return false;
    for (let i = 0; i < rules.lanes; i++) {
      const lane = (port.turn + i) % rules.lanes;
      const queue = port.queues[lane]!;
      const ring = port.rings[lane]!;
      let packet = queue[0];
      if (packet === undefined) {
        if (ring.length === 0) continue;
        const flow = ring[0]!;
        packet = { flow, bytes: flows[flow]!.packets[sent[flow]!]!, hop: 0, holds: null, accepted: true, tailPs: 0 };
      }
      if (port.credits[lane]! < packet.bytes) {
        isHeld[number]![lane] = true;
        continue;
      }
      isHeld[number]![lane] = false;
      if (queue.length > 0) {
        queue.shift();
        if (!rules.sharesBuffer) acceptAll(number, lane);
      } else {
        ring.shift();
        if (++sent[packet.flow]! < flows[packet.flow]!.packets.length) ring.push(packet.flow);
      }
      port.credits[lane]! -= packet.bytes;
      sentBytes[number]![lane]! += packet.bytes;
      port.turn = (lane + 1) % rules.lanes;
      const ownPs = timeOf(number, packet.bytes);
      const endPs = Math.max(nowPs + ownPs, packet.tailPs);
      port.busyUntilPs = endPs;
      giveBack(packet, endPs);
      packet.holds = [number, lane];
      packet.tailPs = endPs + behindPs(number);
      const headPs = nowPs + Math.min(ownPs, timeOf(number, rules.headerBytes)) + behindPs(number);
      const next = flows[packet.flow]!.path[packet.hop + 1];
      const moving = packet;
      at(rules.cutsThrough && next !== undefined ? headPs : packet.tailPs, next ?? -1, () => arrive(moving), true);
      at(endPs, number, () => {});
      return true;
    }
    return false;
  };

  for (const [flow, { startPs, path, lanes }] of flows.entries())
    at(startPs, path[0]!, () => ports[path[0]!]!.rings[lanes[0]!]!.push(flow), true);
  while (events.length > 0) {
    events.sort((a, b) => a.atPs - b.atPs);
    const { atPs, where, enters, run } = events.shift()!;
    for (const other of events) {
      if (other.atPs > atPs) break;
      // with one lane only the order of packets matters
      if (where >= 0 && other.where === where && (rules.lanes > 1 || (enters && other.enters))) isAmbiguous = true;
    }
    nowPs = atPs;
    run();
    for (let moved = true; moved;) {
      moved = false;
      for (let port = 0; port < ports.length; port++) if (trySending(port)) moved = true;
    }
    const untilPs = Math.min(nowPs + 1e15, ...events.map((event) => event.atPs));
    for (const [number, { busyUntilPs, queues, rings }] of ports.entries())
      if (nowPs >= busyUntilPs && [...queues, ...rings].some((own) => own.length > 0))
        waitedPs[number]! += untilPs - nowPs;
    for (const [number, lanes] of isHeld.entries())
      for (const [lane, isNow] of lanes.entries()) if (isNow) heldPs[number]![lane]! += untilPs - nowPs;
  }
  return { arrivalPs, sentBytes, waitedPs, heldPs, isAmbiguous };
}
