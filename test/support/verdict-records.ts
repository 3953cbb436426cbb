// What the written records of a run say of flows, read by a test: who was on which link when, and what sharing it cost,
// summed over all slices of time between starts and ends. It knows nothing of how the run counts.
//   Exact where every flow is one queue pair on one way that is known from its start; else only bounds are read.

import { addTo, listsBy } from '../../src/base/lists-by-key.js';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { NodeNames } from '../../src/fabric/node-names.js';
import { switchLevels } from '../../src/fabric/switch-levels.js';
import { portGroups } from '../../src/measurement/port-groups.js';
import { rateOf } from '../../src/measurement/usual-rates.js';
import {
  FlowColumn,
  flowTable,
  HopColumn,
  hopTable,
  UnfinishedColumn,
  unfinishedTable,
} from '../../src/records/flow-records.js';
import type { MemorySink } from '../../src/records/memory-sink.js';
import type { TableSchema } from '../../src/records/schema.js';

/** A flow as the records have it. */
export interface ReadFlow {
  readonly id: number;
  /** its sender and its receiver, by node */
  readonly between: readonly number[];
  readonly startPs: number;
  /** when it ended, or the run did */
  readonly endPs: number;
  readonly isFinished: boolean;
  /** 0: not known */
  readonly idealPs: number;
  /** all links that it crossed, by output port, in the order of their rows */
  readonly ports: readonly number[];
}

/** What sharing cost a flow on a link, and its group of links that stand in for each other. */
export interface CostOnLink {
  readonly port: number;
  readonly lostPs: number;
  readonly groupLostPs: number;
}

export class VerdictRecords {
  readonly flows: readonly ReadFlow[];
  /** whether ways and times of all flows are known */
  readonly isExact: boolean;
  /** by output port: its flows */
  private readonly onPort = new Map<number, ReadFlow[]>();
  private readonly costs = new Map<number, (fromPs: number, toPs: number) => number>();
  private readonly groupOf: Int32Array;
  private readonly groups: ReadonlyMap<number, readonly number[]>;
  private readonly names: NodeNames;
  private readonly byNames = new Map<string, number[]>();
  private readonly slow = new Map<number, boolean>();
  private readonly levels: Float64Array;

  /** @param isSteady whether flows begin when their rows say, and their ways and links stay as they are */
  constructor(
    readonly fabric: Fabric,
    sink: MemorySink,
    isSteady: boolean,
  ) {
    this.names = new NodeNames(fabric);
    this.groupOf = portGroups(fabric);
    this.groups = listsBy(this.groupOf.keys(), (port) => this.groupOf[port]!);
    this.levels = switchLevels(fabric);
    const ways = waysOf(fabric, sink);
    let isExact = isSteady;
    const read = (schema: TableSchema, end: number, idealIndex: number | null): ReadFlow[] => {
      const { flow, source, destination, start } = FlowColumn;
      const [ids, from, to, starts, ends] = [flow, source, destination, start, end].map((index) =>
        sink.column(schema, index),
      ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
      const ideals = idealIndex === null ? null : sink.column(schema, idealIndex);
      return Array.from(ids, (id, row) => {
        // no row of the hops: its sender is linked to its receiver
        const direct = (): number[] => portsTo(fabric, from[row]!, to[row]!);
        const way = ways.get(id) ?? { ports: direct(), isOne: direct().length === 1 };
        if (!way.isOne) isExact = false;
        const [startPs, endPs, idealPs] = [starts[row]!, ends[row]!, ideals?.[row] ?? 0];
        const between = [from[row]!, to[row]!];
        return { id, between, startPs, endPs, isFinished: ideals !== null, idealPs, ports: way.ports };
      });
    };
    const flows = [
      ...read(flowTable, FlowColumn.finish, FlowColumn.ideal),
      // its first columns are those of flows
      ...read(unfinishedTable, UnfinishedColumn.stop, null),
    ];
    this.flows = flows;
    this.isExact = isExact;
    for (const flow of flows) for (const port of flow.ports) addTo(this.onPort, port, flow);
  }

  /** Finished flows whose time alone is known. */
  get judged(): readonly ReadFlow[] {
    return this.flows.filter(({ isFinished, idealPs }) => isFinished && idealPs > 0);
  }

  /** What a flow took beyond its time alone, picoseconds. */
  lostPs({ startPs, endPs, idealPs }: ReadFlow): number {
    return Math.max(0, endPs - startPs - idealPs);
  }

  /** Output ports between two nodes by their names. */
  portsBetween(from: string, to: string): readonly number[] {
    const { portCount, portNode, portNeighbour } = this.fabric;
    if (this.byNames.size === 0)
      for (let port = 0; port < portCount; port++)
        addTo(
          this.byNames,
          [portNode[port]!, portNeighbour[port]!].map((node) => this.names.nameOf(node)).join(),
          port,
        );
    return this.byNames.get(`${from},${to}`) ?? [];
  }

  flowsOn(port: number): readonly ReadFlow[] {
    return this.onPort.get(port) ?? [];
  }

  get crossedPorts(): number[] {
    return [...this.onPort.keys()];
  }

  /** Whether an end of a link is a host. */
  isOfHost(port: number): boolean {
    const { portNode, portNeighbour } = this.fabric;
    return this.isHost(portNode[port]!) || this.isHost(portNeighbour[port]!);
  }

  private isHost(node: number): boolean {
    return this.fabric.nodeKind[node] === NodeKind.host;
  }

  /** Whether a link is below the rate of most links between nodes of such levels, in its direction. */
  isSlow(port: number): boolean {
    const { portCount, portNode, portNeighbour, nodeKind } = this.fabric;
    if (this.slow.size === 0) {
      const kind = (own: number): string =>
        [portNode[own]!, portNeighbour[own]!].map((node) => `${nodeKind[node]} ${this.levels[node]}`).join();
      for (const ports of listsBy(Array(portCount).keys(), kind).values()) {
        const rates = listsBy(ports, (own) => rateOf(this.fabric, own));
        const [usual] = [...rates].sort(([a, m], [b, n]) => n.length - m.length || b - a)[0]!;
        for (const own of ports) this.slow.set(own, rateOf(this.fabric, own) < usual);
      }
    }
    return this.slow.get(port)!;
  }

  /**
   * Flows that were on a link at once: if who ends makes room for who begins then, and if not.
   * @param mayMove links changed: a flow may have been on any link but those of other hosts, as records have one way of it
   */
  mostAtOnce(port: number, mayMove: boolean): { readonly least: number; readonly most: number } {
    const hosts = [this.fabric.portNode[port]!, this.fabric.portNeighbour[port]!].filter((node) => this.isHost(node));
    const flows = mayMove
      ? this.flows.filter(({ between }) => hosts.every((host) => between.includes(host)))
      : this.flowsOn(port);
    const at = (first: 1 | -1): number => {
      const events = flows.flatMap(({ startPs, endPs }) => [[startPs, 1] as const, [endPs, -1] as const]);
      events.sort(([a, x], [b, y]) => a - b || first * (y - x));
      let [now, most] = [0, 0];
      for (const [, change] of events) most = Math.max(most, (now += change));
      return most;
    };
    return { least: at(-1), most: at(1) };
  }

  /** What sharing cost a flow on each link of its way, in order. Exact runs alone. */
  costsOf(flow: ReadFlow): CostOnLink[] {
    const [from, to] = [flow.startPs, flow.endPs];
    return flow.ports.map((port) => ({
      port,
      lostPs: this.costOf(port, () => [port])(from, to),
      groupLostPs: this.costOf(-1 - this.groupOf[port]!, () => this.groups.get(this.groupOf[port]!)!)(from, to),
    }));
  }

  /** The rate that a flow would have alone. */
  private demandOf(flow: ReadFlow): number {
    let rateBps = Infinity;
    for (const port of flow.ports) rateBps = Math.min(rateBps, rateOf(this.fabric, port));
    return rateBps;
  }

  /** What whoever is on some links together loses between two times: while D > R, 1 - R / D of them. */
  private costOf(key: number, portsOf: () => readonly number[]): (fromPs: number, toPs: number) => number {
    const known = this.costs.get(key);
    if (known !== undefined) return known;
    const ports = portsOf();
    const rateBps = ports.reduce((sum, port) => sum + rateOf(this.fabric, port), 0);
    const changes = ports.flatMap((port) =>
      this.flowsOn(port).flatMap((flow) => {
        const demand = this.demandOf(flow);
        return [[flow.startPs, demand] as const, [flow.endPs, -demand] as const];
      }),
    );
    changes.sort(([a], [b]) => a - b);
    const times: number[] = [];
    const sums: number[] = [];
    const slopes: number[] = [];
    let [demand, sum, last] = [0, 0, 0];
    for (const [timePs, change] of changes) {
      sum += slope(demand, rateBps) * (timePs - last);
      demand += change;
      last = timePs;
      times.push(timePs);
      sums.push(sum);
      slopes.push(slope(demand, rateBps));
    }
    const until = (timePs: number): number => {
      let [low, high] = [0, times.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= timePs) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? 0 : sums[low - 1]! + slopes[low - 1]! * (timePs - times[low - 1]!);
    };
    const cost = (fromPs: number, toPs: number): number => until(toPs) - until(fromPs);
    this.costs.set(key, cost);
    return cost;
  }
}

function slope(demandBps: number, rateBps: number): number {
  return demandBps > rateBps * (1 + 1e-9) ? 1 - rateBps / demandBps : 0;
}

interface ReadWay {
  readonly ports: readonly number[];
  /** whether it is one way of one queue pair, every port of it known */
  readonly isOne: boolean;
}

/** By flow: the links that it crossed; that from its sender is the one that leads to the first switch. */
function waysOf(fabric: Fabric, sink: MemorySink): Map<number, ReadWay> {
  const columns = (Object.keys(HopColumn) as (keyof typeof HopColumn)[]).map(
    (name) => [name, sink.column(hopTable, HopColumn[name])] as const,
  );
  const {
    flow,
    source,
    sourcePort,
    hop,
    node,
    interface: output,
  } = Object.fromEntries(columns) as Record<keyof typeof HopColumn, Float64Array>;
  const rows = new Map<number, number[]>();
  flow.forEach((id, row) => {
    const own = rows.get(id);
    if (own === undefined) rows.set(id, [row]);
    else own.push(row);
  });
  return new Map(
    [...rows].map(([id, own]) => {
      const places = new Set(own.map((row) => hop[row]!));
      const senders = new Set(own.map((row) => sourcePort[row]!));
      const first = own.filter((row) => hop[row] === 0).flatMap((row) => portsTo(fabric, source[row]!, node[row]!));
      const rest = own.map((row) => fabric.portOffset[node[row]!]! + output[row]! - 1);
      const isOne = places.size === own.length && senders.size === 1 && first.length === 1;
      return [id, { ports: [...new Set([...first, ...rest])], isOne }];
    }),
  );
}

function portsTo({ portOffset, portNeighbour }: Fabric, from: number, to: number): number[] {
  const ports: number[] = [];
  for (let port = portOffset[from]!; port < portOffset[from + 1]!; port++)
    if (portNeighbour[port] === to) ports.push(port);
  return ports;
}
