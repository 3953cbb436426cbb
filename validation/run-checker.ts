// What a run's records must satisfy, recomputed from fabric, transfers and settings alone; nothing of the engine, the
// routes or the measurement is used. Returns what is wrong, in words.

import { NodeKind, type Fabric } from '#weft/fabric/fabric.js';
import type { PacketSettings } from '#weft/backends/packet/settings.js';
import type { PacketCounters } from '#weft/backends/packet/packet-counters.js';
import type { FlowRow, HopRow, Transfer } from './engine-run.js';
import { leastSpreadPs, type SpreadPath, spreadPathOf } from './spread-paths.js';

export interface CheckedRun {
  readonly fabric: Fabric;
  readonly transfers: readonly Transfer[];
  readonly settings: PacketSettings;
  readonly flows: readonly FlowRow[];
  readonly hops: readonly HopRow[];
  readonly counters: PacketCounters;
  /** per-packet: packets choose for themselves, and several ports may stand at one hop; left out: fixed */
  readonly paths?: 'fixed' | 'per-packet';
  /**
   * A controller that takes time places the queue pairs of a flow one after the other, and may give one the source port
   * of another that has ended; left out: each has a port of its own
   */
  readonly portsComeBack?: boolean;
}

/** Packets of a transfer and what they take of a link: headers and gaps included. */
function packetsOf(
  sizeBytes: number,
  { packet }: PacketSettings,
): { count: number; wireBytes: number; leastPacketBytes: number } {
  const count = Math.ceil(sizeBytes / packet.payload);
  const overheadBytes = packet.header + packet.gap;
  return {
    count,
    wireBytes: sizeBytes + count * overheadBytes,
    leastPacketBytes: overheadBytes + (sizeBytes - (count - 1) * packet.payload),
  };
}

/** Part of a flow that one of its queue pairs carries: over which output ports, and how much. */
interface Part {
  readonly path: readonly number[];
  readonly sizeBytes: number;
  /** where packets choose; `path` then has the length of each of their ways, and no ports */
  readonly spread?: SpreadPath;
}

/**
 * Bytes of each queue pair of a transfer: its packets are dealt out in turn, the short one to the last that gets as few
 * as any. With `auto` there are one or two, one for each port of the sender that was used.
 */
function partsOf(sizeBytes: number, settings: PacketSettings, used: number): number[] {
  const { count } = packetsOf(sizeBytes, settings);
  const { perFlow } = settings.queuePair;
  const packets = Array.from(
    { length: Math.min(count, perFlow === 'auto' ? Math.max(1, Math.min(2, used)) : perFlow) },
    () => 0,
  );
  for (let packet = 0; packet < count; packet++) packets[packet % packets.length]!++;
  const short = count * settings.packet.payload - sizeBytes;
  return packets.map((own, i) => own * settings.packet.payload - (i === packets.length - 1 ? short : 0));
}

/** Rows of each queue pair of a flow, told apart by port, and where a port may come back by the path's beginning. */
function byQueuePair(rows: readonly HopRow[], portsComeBack: boolean): HopRow[][] {
  const pairs: HopRow[][] = [];
  const last = new Map<number, HopRow[]>();
  for (const row of rows) {
    const own = last.get(row.sourcePort);
    if (own !== undefined && !(portsComeBack && row.hop === 0)) {
      own.push(row);
      continue;
    }
    const begun = [row];
    last.set(row.sourcePort, begun);
    pairs.push(begun);
  }
  return pairs;
}

/** Everything that is wrong with the records of a run; empty if nothing is. */
export function problemsOf(run: CheckedRun): string[] {
  const problems: string[] = [];
  const parts = new Map<number, Part[]>();
  const { fabric, transfers } = run;
  const finished = new Set(run.flows.map(({ flow }) => flow));
  for (const [id, [source, destination, sizeBytes]] of transfers.entries()) {
    const rows = run.hops.filter(({ flow }) => flow === id);
    // the run ended before it started
    if (rows.length === 0 && !finished.has(id)) continue;
    // packets that choose for themselves have many rows of one hop: there a port that came back cannot be told apart
    const used = byQueuePair(rows, run.portsComeBack === true && run.paths !== 'per-packet');
    const shares = partsOf(sizeBytes, run.settings, used.length);
    // a link from host to host has no switch, and so no row
    const pairs = rows.length === 0 ? shares.map((): HopRow[] => []) : used;
    // what chooses for itself is recorded as it goes: of a flow that has not finished, not all of it
    if (run.paths === 'per-packet' && !finished.has(id)) continue;
    if (run.paths === 'per-packet' && run.portsComeBack === true && pairs.length < shares.length) continue;
    if (pairs.length !== shares.length)
      problems.push(`flow ${id} has ${pairs.length} queue pairs instead of ${shares.length}`);
    const own: Part[] = [];
    for (const [i, nodes] of pairs.entries()) {
      nodes.sort((a, b) => a.hop - b.hop);
      if (run.paths === 'per-packet') {
        const spread = spreadPathOf(fabric, source, destination, nodes);
        if (typeof spread === 'string') problems.push(`flow ${id}: ${spread}`);
        else own.push({ path: Array.from({ length: spread.switches + 1 }, () => -1), sizeBytes: shares[i]!, spread });
        continue;
      }
      const path = pathOf(fabric, source, destination, nodes);
      if (typeof path === 'string') problems.push(`flow ${id}: ${path}`);
      else own.push({ path, sizeBytes: shares[i]! });
    }
    if (own.length === shares.length) parts.set(id, own);
  }
  const seen = new Set<number>();
  let lastFinishPs = 0;
  for (const row of run.flows) {
    const transfer = transfers[row.flow];
    if (transfer === undefined || seen.has(row.flow)) {
      problems.push(`flow ${row.flow} is unknown or finished twice`);
      continue;
    }
    seen.add(row.flow);
    const [source, destination, sizeBytes, startPs = 0] = transfer;
    if (
      row.source !== source ||
      row.destination !== destination ||
      row.sizeBytes !== sizeBytes ||
      row.startPs !== startPs
    )
      problems.push(`flow ${row.flow} is not the transfer that was given`);
    if (row.finishPs < lastFinishPs) problems.push(`flow ${row.flow} is recorded after one that finished later`);
    lastFinishPs = row.finishPs;
    const own = parts.get(row.flow);
    if (own === undefined) continue;
    const least =
      run.paths === 'per-packet'
        ? leastOfSpread(run, row, own)
        : Math.max(
            ...own.map(({ path, sizeBytes: partBytes }) =>
              leastPs(fabric, path, { ...row, sizeBytes: partBytes }, run.settings),
            ),
          );
    if (row.finishPs - row.startPs < least)
      problems.push(`flow ${row.flow} took ${row.finishPs - row.startPs} ps; nothing is faster than ${least} ps`);
  }
  if (run.paths !== 'per-packet') problems.push(...overfullLinks(run, parts));
  problems.push(...wrongCounters(run, parts));
  return problems;
}

/**
 * The output ports of a path, from the switches that the records name.
 * The sending NIC is not recorded: of several links to the first switch, one is taken; nothing below depends on which.
 */
function pathOf(fabric: Fabric, source: number, destination: number, hops: readonly HopRow[]): number[] | string {
  const { portOffset, portNode, portPeer, nodeKind } = fabric;
  const first = hops.length === 0 ? destination : hops[0]!.node;
  let nic = -1;
  for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++) {
    if (portNode[portPeer[port]!] === first) nic = port;
  }
  if (nic < 0) return `no NIC leads from host ${source} to node ${first}`;
  const path = [nic];
  let node = first;
  for (const [i, hop] of hops.entries()) {
    if (hop.hop !== i) return `hop ${i} is missing or there twice`;
    if (hop.node !== node) return `hop ${i} is node ${hop.node}, but the link leads to node ${node}`;
    if (nodeKind[node] === NodeKind.host) return `hop ${i} is host ${node}: hosts do not forward`;
    const port = portOffset[node]! + hop.interface - 1;
    if (hop.interface < 1 || port >= portOffset[node + 1]!) return `node ${node} has no interface ${hop.interface}`;
    path.push(port);
    node = portNode[portPeer[port]!]!;
  }
  return node === destination ? path : `the path ends at node ${node} instead of host ${destination}`;
}

/**
 * All bytes over the slowest link, the last packet over the others, light to the receiver, and light back the quickest
 * way there is.
 */
function leastPs(
  fabric: Fabric,
  path: readonly number[],
  { source, destination, sizeBytes }: FlowRow,
  settings: PacketSettings,
): number {
  const { wireBytes, leastPacketBytes, count } = packetsOf(sizeBytes, settings);
  const links = path.map((port) => ({
    rateBps: fabric.linkRateBps[fabric.portLink[port]!]!,
    latencyPs: fabric.linkLatencyPs[fabric.portLink[port]!]!,
  }));
  // which of several NICs to the first switch was taken is not recorded: the best of all of them is a bound for each
  links[0] = bestNic(fabric, source, fabric.portNode[fabric.portPeer[path[0]!]!]!);
  const bottleneckBps = Math.min(...links.map(({ rateBps }) => rateBps));
  let timePs = ((wireBytes - leastPacketBytes) * 8e12) / bottleneckBps;
  for (const { rateBps, latencyPs } of links) timePs += (leastPacketBytes * 8e12) / rateBps + latencyPs;
  // each serialisation is rounded to whole picoseconds
  return Math.floor(timePs + quickestLatencyPs(fabric, destination, source)) - count - path.length;
}

/** The same where packets choose: what all their ports can carry together, and light there and back. */
function leastOfSpread({ fabric, settings }: CheckedRun, row: FlowRow, own: readonly Part[]): number {
  const sizes = own.map(({ sizeBytes }) => packetsOf(sizeBytes, settings));
  const wireBytes = sizes.reduce((sum, size) => sum + size.wireBytes, 0);
  const timePs = leastSpreadPs(
    fabric,
    own.map(({ spread }) => spread!),
    wireBytes,
    Math.min(...sizes.map(({ leastPacketBytes }) => leastPacketBytes)),
  );
  const lightPs =
    quickestLatencyPs(fabric, row.source, row.destination) + quickestLatencyPs(fabric, row.destination, row.source);
  // each serialisation is rounded to whole picoseconds
  return Math.floor(timePs + lightPs) - sizes.reduce((sum, { count }) => sum + count, 0) - own[0]!.path.length;
}

/** The highest rate and the least latency of the links from a host to a node. */
function bestNic(
  { portOffset, portNode, portPeer, portLink, linkRateBps, linkLatencyPs }: Fabric,
  host: number,
  node: number,
): { rateBps: number; latencyPs: number } {
  const best = { rateBps: 0, latencyPs: Infinity };
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
    if (portNode[portPeer[port]!] !== node) continue;
    best.rateBps = Math.max(best.rateBps, linkRateBps[portLink[port]!]!);
    best.latencyPs = Math.min(best.latencyPs, linkLatencyPs[portLink[port]!]!);
  }
  return best;
}

/** Least sum of latencies from a host to a host through switches (Bellman and Ford). */
function quickestLatencyPs(fabric: Fabric, from: number, to: number): number {
  const least = new Float64Array(fabric.nodeCount).fill(Infinity);
  least[from] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let port = 0; port < fabric.portCount; port++) {
      const node = fabric.portNode[port]!;
      if (node !== from && fabric.nodeKind[node] === NodeKind.host) continue;
      const peer = fabric.portNode[fabric.portPeer[port]!]!;
      const latencyPs = least[node]! + fabric.linkLatencyPs[fabric.portLink[port]!]!;
      if (latencyPs < least[peer]!) {
        least[peer] = latencyPs;
        changed = true;
      }
    }
  }
  return least[to]!;
}

/** In no span of time does a link carry more of the flows that lie wholly within the span than its rate allows. */
function overfullLinks({ fabric, flows, settings }: CheckedRun, parts: ReadonlyMap<number, readonly Part[]>): string[] {
  const users = new Map<number, { startPs: number; finishPs: number; wireBytes: number }[]>();
  for (const { flow, startPs, finishPs } of flows) {
    // the first link may be one of several parallel ones
    for (const { path, sizeBytes } of parts.get(flow) ?? []) {
      const use = { startPs, finishPs, wireBytes: packetsOf(sizeBytes, settings).wireBytes };
      for (const port of path.slice(1)) {
        const own = users.get(port);
        if (own === undefined) users.set(port, [use]);
        else own.push(use);
      }
    }
  }
  const problems: string[] = [];
  for (const [port, uses] of users) {
    const rateBps = fabric.linkRateBps[fabric.portLink[port]!]!;
    // a flow may have many parts: by the time of its end, what began late enough adds up
    uses.sort((a, b) => a.finishPs - b.finishPs);
    for (const fromPs of new Set(uses.map(({ startPs }) => startPs))) {
      let bytes = 0;
      for (const [i, { startPs, finishPs, wireBytes }] of uses.entries()) {
        if (startPs >= fromPs) bytes += wireBytes;
        if (uses[i + 1]?.finishPs === finishPs || bytes === 0) continue;
        if (bytes * 8e12 > (finishPs - fromPs + bytes) * rateBps)
          problems.push(`port ${port}: ${bytes} B from ${fromPs} ps to ${finishPs} ps, more than ${rateBps} bit/s`);
      }
    }
  }
  return problems;
}

/** Data packets that an acknowledgement answers at most, where nothing is lost. */
function packetsPerAnswer({ transport: { algorithm }, queuePair, packet, own }: PacketSettings): number {
  if (algorithm === 'go-back-n') return queuePair.acknowledgementInterval;
  if (algorithm !== 'uec') return 1;
  // fewer bytes than the interval wait, so the packet that fills it is the last of them
  const intervalBytes = Number(own['uec']?.['acknowledgementInterval'] ?? 0);
  return Math.max(1, Math.ceil(intervalBytes / (packet.payload + packet.header)));
}

/** Totals that follow from the transfers alone when every flow has finished. */
function wrongCounters(run: CheckedRun, parts: ReadonlyMap<number, readonly Part[]>): string[] {
  const { transfers, flows, settings, counters } = run;
  const problems: string[] = [];
  const wrong = (name: string, got: number, wanted: number): void => {
    if (got !== wanted) problems.push(`${name} is ${got} instead of ${wanted}`);
  };
  if (flows.length < transfers.length) return problems;
  wrong(
    'payloadBytesDelivered',
    counters.payloadBytesDelivered,
    transfers.reduce((sum, [, , sizeBytes]) => sum + sizeBytes, 0),
  );
  // after a loss, or a timeout shorter than a round trip through full queues, packets go twice
  if (counters.packetsLost + counters.packetsDropped + counters.timeouts > 0) return problems;
  // packets that overtake others are sent again, too
  if (run.paths === 'per-packet' && counters.retransmittedBytes > 0) return problems;
  let packets = 0;
  let packetHops = 0;
  for (const [id, [, , sizeBytes]] of transfers.entries()) {
    const { count } = packetsOf(sizeBytes, settings);
    packets += count;
    // shortest paths: the way back has as many links
    for (const part of parts.get(id) ?? [])
      packetHops += 2 * packetsOf(part.sizeBytes, settings).count * part.path.length;
  }
  wrong('retransmittedBytes', counters.retransmittedBytes + 0, 0);
  for (const name of ['dataPacketsSent', 'dataPacketsDelivered'] as const) wrong(name, counters[name], packets);
  wrong('acknowledgementsDelivered', counters.acknowledgementsDelivered, counters.acknowledgementsSent);
  const { algorithm } = settings.transport;
  const acknowledgementInterval = packetsPerAnswer(settings);
  const hasNotifications = algorithm !== 'uec' && settings.queuePair.notificationDelay > 0;
  const acknowledgements = counters.acknowledgementsSent - (hasNotifications ? counters.notifications : 0);
  const hasCredits = algorithm === 'uec' && ['rccc', 'both'].includes(String(settings.own['uec']?.['control']));
  let least = packets;
  if (acknowledgementInterval > 1) {
    // at least one for every so many packets of a queue pair, and at most one for each
    least = 0;
    for (const own of parts.values())
      for (const { sizeBytes } of own)
        least += Math.ceil(packetsOf(sizeBytes, settings).count / acknowledgementInterval);
  }
  // a receiver grants no more packets than its senders have told it of
  const most = hasCredits ? 2 * packets : packets;
  if (acknowledgements < least || acknowledgements > most)
    problems.push(`${acknowledgements} acknowledgements instead of ${least} to ${most}`);
  // where ports came back the way of some packets is not known
  const knowsWays = parts.size === transfers.length;
  if (knowsWays && acknowledgements === packets && acknowledgements === counters.acknowledgementsSent) {
    // messages of source flow control are packets, too: from a switch to one before it, or to the sender; so is what
    // the receiver's switch tells the sender's under ConWeave, at most two packets for each of the data
    const messages =
      Number((counters as unknown as Record<string, unknown>)['sfcMessages'] ?? 0) +
      (settings.balancing === 'conweave' ? 2 * packets : 0);
    const longest = Math.max(...[...parts.values()].flatMap((own) => own.map(({ path }) => path.length)));
    const most = packetHops + messages * longest;
    if (counters.packetHops < packetHops || counters.packetHops > most)
      problems.push(`packetHops is ${counters.packetHops} instead of ${packetHops} to ${most}`);
  }
  return problems;
}
