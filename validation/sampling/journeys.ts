// Packets on their ways through a fabric, told to a sampler without a simulation: what an estimate has to come to is then
// known exactly, and hundreds of seeds take a second.
// Each host sends to one other host. A packet's path is drawn among the equal-cost ways, and every link is congested for a
// packet with a probability of its own; both by a stream that is no part of sampling, so that all seeds of the sampler
// meet the same packets.

import { RandomStream } from '#weft/base/random.js';
import { settingDefaults } from '#weft/base/settings.js';
import { EventRecords } from '#weft/engine/event-records.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { interfaceIndex } from '#weft/fabric/fabric.js';
import type { Batch, RecordSink } from '#weft/records/schema.js';
import type { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';
import { PacketSampler, type SamplingSummary } from '#weft/sampling/packet-sampler.js';
import { LinkSampleColumn } from '#weft/sampling/sample-records.js';
import { samplingSettings, type SamplingSettings } from '#weft/sampling/sampling-settings.js';

/** Packets, one after the other, in columns. */
export interface Journeys {
  readonly fabric: Fabric;
  readonly routes: EqualCostRoutes;
  readonly packets: number;
  readonly source: Int32Array;
  readonly destination: Int32Array;
  /** ports[first[p] .. first[p + 1] - 1] are its output ports; congested beside it */
  readonly first: Int32Array;
  readonly ports: Int32Array;
  readonly congested: Uint8Array;
}

/** Packets of every host to another one, `perHost` each, host after host in turns. */
export function drawJourneys(routes: EqualCostRoutes, perHost: number, seed: number): Journeys {
  const { fabric } = routes;
  const random = new RandomStream(seed, 'journeys');
  const { hosts } = fabric;
  const shift = 1 + random.nextBelow(hosts.length - 1);
  const share = Float64Array.from({ length: fabric.portCount }, () => random.nextFraction());
  const tracer = new PathTracer(routes);
  const packets = perHost * hosts.length;
  const source = new Int32Array(packets);
  const destination = new Int32Array(packets);
  const first = new Int32Array(packets + 1);
  const ports = new Int32Array(packets * tracer.maxLength);
  const congested = new Uint8Array(ports.length);
  for (let packet = 0; packet < packets; packet++) {
    const host = packet % hosts.length;
    source[packet] = hosts[host]!;
    destination[packet] = hosts[(host + shift) % hosts.length]!;
    const at = first[packet]!;
    const length = tracer.trace(source[packet]!, destination[packet]!, random.nextBelow(65_536), 100, ports, at);
    for (let i = at; i < at + length; i++) congested[i] = random.nextFraction() < share[ports[i]!]! ? 1 : 0;
    first[packet + 1] = at + length;
  }
  return { fabric, routes, packets, source, destination, first, ports, congested };
}

/** What a sampler made of them, by port. */
export interface Estimates {
  readonly traffic: Float64Array;
  readonly trafficError: Float64Array;
  readonly congested: Float64Array;
  readonly congestedError: Float64Array;
  readonly tested: Float64Array;
  readonly noise: Float64Array;
  readonly summary: SamplingSummary;
}

/** Tells a sampler of all journeys. */
export function sampleJourneys(journeys: Journeys, changes: Partial<SamplingSettings>, seed: number): Estimates {
  const { fabric, routes, packets, source, destination, first, ports, congested } = journeys;
  const settings: SamplingSettings = { ...settingDefaults(samplingSettings), ...changes };
  const columns = new EstimateSink(fabric);
  const sampler = new PacketSampler({
    fabric,
    settings,
    seed,
    records: new EventRecords(),
    routes: () => routes,
    describe: null,
    sink: columns,
  });
  const record = 7;
  for (let packet = 0; packet < packets; packet++) {
    const from = first[packet]!;
    sampler.departs(record, ports[from]!, congested[from] === 1);
    for (let i = from + 1; i < first[packet + 1]!; i++)
      if (sampler.passes(record, ports[i]!))
        sampler.congestion(record, ports[i]!, 1000 + congested[i]! > sampler.limitBytes(1000));
    sampler.arrives(record, 0, source[packet]!, destination[packet]!, 0, packet);
  }
  sampler.finish(packets);
  return { ...columns, summary: sampler.summary() };
}

/** Rows of the table of samples added up by port. */
class EstimateSink implements RecordSink {
  readonly full = false;
  readonly traffic: Float64Array;
  readonly trafficError: Float64Array;
  readonly congested: Float64Array;
  readonly congestedError: Float64Array;
  readonly tested: Float64Array;
  readonly noise: Float64Array;

  constructor(private readonly fabric: Fabric) {
    const column = (): Float64Array => new Float64Array(fabric.portCount);
    this.traffic = column();
    this.trafficError = column();
    this.congested = column();
    this.congestedError = column();
    this.tested = column();
    this.noise = column();
  }

  put({ schema, rows, columns }: Batch): void {
    if (schema.name !== 'link_samples') return;
    for (let row = 0; row < rows; row++) {
      const port = this.portOf(columns[LinkSampleColumn.node]![row]!, columns[LinkSampleColumn.interface]![row]!);
      this.traffic[port]! += columns[LinkSampleColumn.traffic]![row]!;
      this.congested[port]! += columns[LinkSampleColumn.congested]![row]!;
      this.tested[port]! += columns[LinkSampleColumn.tested]![row]!;
      for (const [into, column] of [
        [this.trafficError, LinkSampleColumn.trafficError],
        [this.congestedError, LinkSampleColumn.congestedError],
        [this.noise, LinkSampleColumn.noise],
      ] as const)
        into[port] = Math.hypot(into[port]!, columns[column]![row]!);
    }
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  private portOf(node: number, index: number): number {
    const { portOffset } = this.fabric;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
      if (interfaceIndex(this.fabric, port) === index) return port;
    throw new Error(`node ${node} has no interface ${index}`);
  }
}

/** What is true of links, by port. */
export interface LinkTruth {
  /** packets that took it (N), and those for which it was congested (M) */
  readonly packets: Float64Array;
  readonly congested: Float64Array;
  /** packets that may have taken it (Q) */
  readonly possible: Float64Array;
  /** sums of the links of their paths: over N, over M; of the squares: over Q */
  readonly lengths: Float64Array;
  readonly congestedLengths: Float64Array;
  readonly possibleSquares: Float64Array;
}

/** The truth of every link that a packet took or may have taken, by port. */
export function truthOf(
  journeys: Journeys,
  possible: (source: number, destination: number) => Iterable<number>,
): LinkTruth {
  const { fabric, packets, source, destination, first, ports, congested } = journeys;
  const column = (): Float64Array => new Float64Array(fabric.portCount);
  const truth = {
    packets: column(),
    congested: column(),
    possible: column(),
    lengths: column(),
    congestedLengths: column(),
    possibleSquares: column(),
  };
  for (let packet = 0; packet < packets; packet++) {
    const length = first[packet + 1]! - first[packet]!;
    for (let i = first[packet]!; i < first[packet + 1]!; i++) {
      const port = ports[i]!;
      truth.packets[port]!++;
      truth.lengths[port]! += length;
      if (congested[i] === 0) continue;
      truth.congested[port]!++;
      truth.congestedLengths[port]! += length;
    }
    for (const port of possible(source[packet]!, destination[packet]!)) {
      truth.possible[port]!++;
      truth.possibleSquares[port]! += length * length;
    }
  }
  return truth;
}
