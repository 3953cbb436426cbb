// AFAR, adaptive flow-aware routing: starts from given tables and moves the traffic of one destination at a time from
// the hottest link to the least loaded other port of the same switch, greedily.
// Sources: S. Smith, C. Cromey, D. Lowenthal, J. Domke, N. Jain, J. Thiagarajan, A. Bhatele, "Mitigating inter-job
// interference using adaptive flow-aware routing", SC 2018; with the changes of Taffet's dissertation
// (docs/SOURCES.md), section 3.5.4: tapered trees, ports that face down, and going on with the next hottest link where
// the hottest is stuck. Written from their descriptions; the authors' code was not at hand.
// Invariant: it only looks at the two ports that it moves between, as published, so a move may heat a link further on;
// the best tables that were met are returned. It ends when no link can be relieved, or by its limits.

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { interSwitchPorts } from './table-loads.js';
import { MovableRoutes } from './movable-routes.js';

export interface AfarResult {
  readonly tables: ForwardingTables;
  readonly moves: number;
  /** true if no link could be relieved any more */
  readonly finished: boolean;
}

export interface AfarOptions {
  readonly mostMoves: number;
  /** ends it after as many moves without a smaller largest load */
  readonly patience: number;
  /** asked every few hundred moves; true ends it with the best tables so far */
  readonly stopped?: (moves: number, largestLoad: number, best: ForwardingTables) => boolean;
}

/** How often rounding is taken out of the loads, and `stopped` is asked. */
const movesPerRecount = 256;

/** Runs AFAR from `start`, which is left as it is. */
export function routeAfar(start: ForwardingTables, traffic: LeafTraffic, options: AfarOptions): AfarResult {
  return new Afar(start, traffic).run(options);
}

class Afar {
  private readonly routes: MovableRoutes;
  private readonly between: Uint8Array;
  private readonly minimal: MinimalPorts;
  /** 1 for ports on minimal paths to a leaf, by leaf (node); made when first asked for */
  private readonly allowed = new Map<number, Uint8Array>();
  private readonly stuck: Uint8Array;

  constructor(
    start: ForwardingTables,
    private readonly traffic: LeafTraffic,
  ) {
    this.routes = new MovableRoutes(start, traffic);
    this.between = interSwitchPorts(traffic.tree);
    this.minimal = new MinimalPorts(traffic.tree);
    this.stuck = new Uint8Array(this.between.length);
  }

  run({ mostMoves, patience, stopped }: AfarOptions): AfarResult {
    const { routes } = this;
    let best = routes.tables.copy();
    let bestLoad = this.largest();
    let moves = 0;
    let bestMoves = 0;
    let finished = false;
    while (moves < mostMoves && moves - bestMoves < patience) {
      const hot = this.hottest();
      if (hot === -1) {
        finished = true;
        break;
      }
      if (!this.relieve(hot)) {
        this.stuck[hot] = 1;
        continue;
      }
      moves++;
      const largest = this.largest();
      if (largest < bestLoad * (1 - 1e-12)) {
        bestLoad = largest;
        bestMoves = moves;
        best = routes.tables.copy();
      }
      if (moves % movesPerRecount !== 0) continue;
      routes.recount();
      if (stopped?.(moves, bestLoad, best) === true) break;
    }
    return { tables: best, moves, finished };
  }

  private largest(): number {
    const { load } = this.routes;
    let largest = 0;
    for (let port = 0; port < load.length; port++)
      if (this.between[port] === 1 && load[port]! > largest) largest = load[port]!;
    return largest;
  }

  /** The hottest link between switches that is not stuck; -1 if there is none with traffic. */
  private hottest(): number {
    const { load } = this.routes;
    let hot = -1;
    let most = 0;
    for (let port = 0; port < load.length; port++) {
      if (this.between[port] === 0 || this.stuck[port] === 1 || load[port]! <= most) continue;
      most = load[port]!;
      hot = port;
    }
    return hot;
  }

  /**
   * Moves the heaviest destination on a link that another port takes with less than the link has now.
   * @returns false if there is none
   */
  private relieve(hot: number): boolean {
    const { routes } = this;
    const { tree } = this.traffic;
    const node = tree.fabric.portNode[hot]!;
    const flows: { rank: number; weight: number }[] = [];
    tree.fabric.hosts.forEach((host, rank) => {
      if (routes.tables.port(node, host) !== hot) return;
      const weight = routes.weightThrough(node, rank);
      if (weight > 0) flows.push({ rank, weight });
    });
    flows.sort((a, b) => b.weight - a.weight || a.rank - b.rank);
    for (const { rank, weight } of flows) {
      const other = this.leastLoaded(node, hot, this.portsTowards(tree.hostLeaf[rank]!));
      if (other === -1 || routes.load[other]! + weight >= routes.load[hot]! * (1 - 1e-12)) continue;
      this.release(node, rank);
      routes.move(node, rank, other, weight);
      this.release(node, rank);
      return true;
    }
    return false;
  }

  /** What a link can be relieved of depends on its switch alone: those on the way of a move may be relieved again. */
  private release(from: number, rank: number): void {
    const { tables } = this.routes;
    const { fabric } = this.traffic.tree;
    const destination = fabric.hosts[rank]!;
    for (let node = from; node !== destination;) {
      this.stuck.fill(0, fabric.portOffset[node], fabric.portOffset[node + 1]);
      const port = tables.port(node, destination);
      if (port === -1) return;
      node = fabric.portNeighbour[port]!;
    }
  }

  private portsTowards(leaf: number): Uint8Array {
    let ports = this.allowed.get(leaf);
    if (ports === undefined) {
      this.minimal.towards(leaf);
      ports = new Uint8Array(this.between.length);
      for (const port of this.minimal.ports.subarray(0, this.minimal.offset[this.minimal.offset.length - 1]))
        ports[port] = 1;
      this.allowed.set(leaf, ports);
    }
    return ports;
  }

  private leastLoaded(node: number, except: number, allowed: Uint8Array): number {
    const { routes } = this;
    const { fabric } = this.traffic.tree;
    let least = -1;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      if (allowed[port] === 1 && port !== except && (least === -1 || routes.load[port]! < routes.load[least]!))
        least = port;
    }
    return least;
  }
}
