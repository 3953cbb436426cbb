// Routes of any connected fabric for given traffic: ways of any length, chosen destination by destination, with lanes
// that free them of deadlock.
// Given tables that have lanes -> one destination after the other, mostly one that crosses a worst link, is taken off
// and laid anew over the cheapest ways by what links carry meanwhile -> kept unless the routes got worse. Better routes
// count as found only once lanes were found for them, no more than there are.
// Invariants: the best so far is never worse than the tables in the beginning, leads to every host as they do, and
// has lanes; ways to a destination are one tree, for every link costs something; the same seed and work give the same
// tables.
// Sources: T. Hoefler, T. Schneider and A. Lumsdaine, HOTI 2009 (weights of links that count what they carry); lanes:
// lane-layers.ts.

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { layeredLanes } from '../routing/lane-layers.js';
import type { LeafTraffic } from './leaf-traffic.js';
import type { OptimizedRoutes, OptimizerOptions } from './optimize-routes.js';
import { routeBounds, type RouteBounds } from './route-bounds.js';
import { hotLoad, type RouteScore } from './route-score.js';
import { boundTolerance } from './schedule-bound.js';
import { shortenWays } from './shorten-ways.js';
import { interSwitchPorts, loadPerTraffic, loadsOfFlows, tableLoads } from './table-loads.js';

/** Rounds without anything better after which a search ends, per destination, and at least. */
const patiencePerHost = 200;
const leastPatience = 20_000;

/** by how much a round may make the l2 norm larger, at most */
const slack = 0.002;

/** rounds between two looks at the clock */
const roundsPerLook = 16;

/**
 * Finds routes.
 * @param starts tables with at most `mostLanes` lanes by lane-layers.ts, that lead wherever there is a way; what they
 * do not carry no routes would. The search begins with those of the smallest largest load
 * @param mostLanes lanes that there are
 */
export function searchLayered(
  tree: FatTree,
  traffic: Traffic,
  starts: readonly ForwardingTables[],
  mostLanes: number,
  options: OptimizerOptions,
): OptimizedRoutes {
  return starts
    .map((start) => new LayeredSearch(tree, traffic, start, mostLanes, options))
    .reduce((best, own) => (isLower(own.score(), best.score()) ? own : best))
    .run();
}

class LayeredSearch {
  private readonly phases: readonly LeafTraffic[];
  private readonly bounds: readonly RouteBounds[];
  /** sums over the phases: of all links, and of those between switches */
  private readonly bound: number;
  private readonly netBound: number;
  private readonly links: Int32Array;
  private readonly worth: Float64Array;
  /** load of each port by phase: phase x ports + port */
  private readonly load: Float64Array;
  private readonly tables: ForwardingTables;
  private readonly random: RandomStream;
  private readonly cost: Float64Array;
  private readonly distance: Float64Array;
  private readonly settled: Uint8Array;
  private readonly before: Uint8Array;
  /** ranks that somebody sends to over links between switches */
  private readonly active: readonly number[];
  /** entries that differ from those of the limit, by rank and in all; how many may (those of the start, if more) */
  private readonly changedOf: Int32Array;
  private changed = 0;
  private readonly mostChanged: number;
  private best: ForwardingTables;
  private bestScore: RouteScore;
  private work = 0;
  private provenWork: number | null = null;
  private readonly trace = {
    work: [] as number[],
    incumbent: [] as number[],
    bound: [] as number[],
    stage: [] as string[],
  };

  constructor(
    private readonly tree: FatTree,
    traffic: Traffic,
    start: ForwardingTables,
    private readonly mostLanes: number,
    private readonly options: OptimizerOptions,
  ) {
    const { fabric } = tree;
    this.phases = traffic.phases.map(({ matrix }) => tableLoads(tree, start, matrix).traffic);
    this.bounds = this.phases.map(routeBounds);
    this.bound = this.bounds.reduce((sum, own) => sum + own.static, 0);
    this.netBound = this.bounds.reduce((sum, own) => sum + own.staticNet, 0);
    const between = interSwitchPorts(tree);
    this.links = Int32Array.from(Array.from(between, (_, port) => port).filter((port) => between[port] === 1));
    this.worth = loadPerTraffic(fabric);
    this.load = new Float64Array(this.phases.length * fabric.portCount);
    this.tables = start.copy();
    this.random = new RandomStream(options.seed, `ways and lanes ${options.place ?? 0}`);
    this.cost = new Float64Array(fabric.portCount);
    this.distance = new Float64Array(fabric.nodeCount);
    this.settled = new Uint8Array(fabric.nodeCount);
    this.before = new Uint8Array(this.tables.switches.length);
    this.active = Array.from(fabric.hosts, (_, rank) => rank).filter((rank) =>
      this.phases.some(({ offset }) => offset[rank + 1]! > offset[rank]!),
    );
    this.count();
    this.changedOf = new Int32Array(fabric.hosts.length);
    this.recountAll();
    this.mostChanged = Math.max(this.changed, options.limit?.most ?? Infinity);
    this.best = start;
    this.bestScore = this.score();
  }

  run(): OptimizedRoutes {
    const { options, active } = this;
    const patience = Math.max(leastPatience, patiencePerHost * active.length) * (options.patience ?? 1);
    let current = this.bestScore;
    this.remember();
    let idle = 0;
    for (let round = 0; active.length > 0 && !this.proven && idle < patience; idle++, round++) {
      if (this.work >= options.mostWork || (round % roundsPerLook === 0 && this.isStopped())) break;
      const rank = this.drawn(current);
      this.reroute(rank);
      this.recount(rank);
      if (this.changed > this.mostChanged) {
        this.undo(rank);
        continue;
      }
      const next = this.score();
      if (isWorse(next, current, slack * this.random.nextFraction())) {
        this.undo(rank);
        continue;
      }
      current = next;
      if (!isLower(next, this.bestScore)) continue;
      // lanes are looked for where the largest load got smaller alone: they take longer than a round
      this.work += this.tables.switches.length * active.length;
      if (layeredLanes([this.tables], this.mostLanes) === null) {
        this.goBack();
        current = this.bestScore;
        continue;
      }
      this.best = this.tables.copy();
      this.bestScore = next;
      this.remember();
      idle = 0;
    }
    this.settle(current);
    // who ends it by time or work gets what there is: the work told repeats it
    if (this.proven || idle >= patience) this.shorten();
    return {
      tables: this.best,
      score: this.bestScore,
      trace: this.trace,
      work: this.work,
      proven: this.proven,
      provenWork: this.provenWork,
    };
  }

  /** Counts which entries of a destination differ from those that most have to stay as. */
  private recount(rank: number): void {
    const { limit } = this.options;
    if (limit === undefined) return;
    const destination = this.tree.fabric.hosts[rank]!;
    let count = 0;
    for (const node of this.tables.switches)
      if (this.tables.entry(node, destination) !== limit.from.entry(node, destination)) count++;
    this.changed += count - this.changedOf[rank]!;
    this.changedOf[rank] = count;
  }

  private get proven(): boolean {
    return this.bestScore.netMaxLoad <= this.netBound * (1 + 2 * boundTolerance);
  }

  /** Routes of the same largest load that spread the rest better are taken in the end, if they have lanes. */
  private settle(current: RouteScore): void {
    if (isLower(this.bestScore, current) || current.l2 >= this.bestScore.l2) return;
    if (layeredLanes([this.tables], this.mostLanes) === null) return;
    this.best = this.tables.copy();
    this.bestScore = current;
  }

  /** At the same largest load short ways are better; where changes are limited they stay. */
  private shorten(): void {
    const { phases, mostLanes, options, bestScore } = this;
    if (options.limit !== undefined) return;
    const limits = { phases, phaseMax: bestScore.phaseMax, background: options.background ?? null, mostLanes };
    const shorter = shortenWays(this.tree, this.best, limits, () => this.isStopped());
    if (shorter === this.best) return;
    this.best = shorter;
    this.tables.entries.set(shorter.entries);
    this.count();
    this.bestScore = this.score();
  }

  private remember(): void {
    const { trace, work } = this;
    if (this.proven) this.provenWork ??= work;
    trace.work.push(work);
    trace.incumbent.push(this.bestScore.maxLoad);
    trace.bound.push(this.bound);
    trace.stage.push('ways and lanes');
  }

  private isStopped(): boolean {
    const { work, bound, provenWork } = this;
    return (
      this.options.stopped?.({
        work,
        incumbent: this.bestScore.maxLoad,
        bound,
        stage: 'ways and lanes',
        provenWork,
        best: () => this.best,
      }) === true
    );
  }

  /** A destination: mostly one whose traffic crosses a worst link, now and then any. */
  private drawn({ phaseMax }: RouteScore): number {
    const { active, random, tables, load, links } = this;
    const { fabric } = this.tree;
    const any = active[random.nextBelow(active.length)]!;
    if (random.nextBelow(4) === 0) return any;
    const phase = random.nextBelow(this.phases.length);
    const worst = links.filter((port) => load[phase * fabric.portCount + port]! >= phaseMax[phase]! * (1 - 1e-9));
    const port = worst[random.nextBelow(worst.length)];
    if (port === undefined) return any;
    const node = fabric.portNode[port]!;
    const first = random.nextBelow(active.length);
    for (let i = 0; i < active.length; i++) {
      const rank = active[(first + i) % active.length]!;
      if (tables.port(node, fabric.hosts[rank]!) === port) return rank;
    }
    return any;
  }

  /** Lays the ways to a destination anew, with what it sends taken off. */
  private reroute(rank: number): void {
    const { tables, before } = this;
    const { fabric, hostLeaf } = this.tree;
    const destination = fabric.hosts[rank]!;
    tables.switches.forEach((node, row) => {
      before[row] = tables.entry(node, destination);
    });
    this.carry(rank, -1);
    this.price(rank);
    this.layCheapest(hostLeaf[rank]!, destination);
    this.carry(rank, 1);
  }

  private undo(rank: number): void {
    const { tables, before } = this;
    this.carry(rank, -1);
    const destination = this.tree.fabric.hosts[rank]!;
    before.forEach((entry, row) => {
      tables.entries[row * tables.columns + destination] = entry;
    });
    this.carry(rank, 1);
    this.recount(rank);
  }

  private recountAll(): void {
    this.changedOf.forEach((_, rank) => this.recount(rank));
  }

  private goBack(): void {
    this.tables.entries.set(this.best.entries);
    this.count();
    this.recountAll();
  }

  /** What a link costs for a destination: the more the nearer it is to the largest load of its phase. */
  private price(rank: number): void {
    const { phases, links, load, worth, cost, random, bestScore } = this;
    const { portCount } = this.tree.fabric;
    /** relative loads are squared so many times */
    const squarings = 1 + random.nextBelow(4);
    const noise = [0, 0.05, 0.3][random.nextBelow(3)]!;
    for (const port of links) cost[port] = 0.01 * (1 + random.nextFraction());
    phases.forEach(({ offset, weight }, phase) => {
      const count = offset[rank + 1]! - offset[rank]!;
      const limit = bestScore.phaseMax[phase]!;
      if (count === 0 || limit === 0) return;
      let sum = 0;
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) sum += weight[flow]!;
      for (const port of links) {
        const relative = (load[phase * portCount + port]! + (sum / count) * worth[port]!) / limit;
        cost[port]! += squared(relative, squarings) * (1 + noise * random.nextFraction());
      }
    });
    this.work += links.length;
  }

  /** The cheapest ways of all switches to a host (Dijkstra from its switch). */
  private layCheapest(target: number, destination: number): void {
    const { tables, distance, settled, cost } = this;
    const { portOffset, portNode, portPeer } = this.tree.fabric;
    distance.fill(Infinity);
    settled.fill(0);
    distance[target] = 0;
    for (;;) {
      let node = -1;
      for (const own of tables.switches)
        if (settled[own] === 0 && distance[own]! < (node === -1 ? Infinity : distance[node]!)) node = own;
      if (node === -1) break;
      settled[node] = 1;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const back = portPeer[port]!;
        const peer = portNode[back]!;
        if (tables.rowOf[peer] === -1 || settled[peer] === 1) continue;
        const own = distance[node]! + cost[back]!;
        if (own >= distance[peer]!) continue;
        distance[peer] = own;
        tables.setPort(peer, destination, back);
      }
    }
  }

  /** Adds what is sent to a destination to the loads of its ways, or takes it off. */
  private carry(rank: number, sign: 1 | -1): void {
    const { phases, tables, load, worth } = this;
    const { fabric, hostLeaf, switches } = this.tree;
    const { portCount, hosts, portNeighbour } = fabric;
    const leaves = switches[0]!;
    const target = hostLeaf[rank]!;
    phases.forEach(({ offset, leaf, weight }, phase) => {
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++)
        for (let node = leaves[leaf[flow]!]!; node !== target;) {
          const port = tables.port(node, hosts[rank]!);
          load[phase * portCount + port]! += sign * weight[flow]! * worth[port]!;
          node = portNeighbour[port]!;
          this.work++;
        }
    });
  }

  /** Counts all loads, those of other traffic with them. */
  private count(): void {
    const { phases, load, tables } = this;
    const { background } = this.options;
    const { portCount } = this.tree.fabric;
    phases.forEach((own, phase) => {
      load.set(loadsOfFlows(tables, own), phase * portCount);
      if (background === undefined) return;
      for (let port = 0; port < portCount; port++) load[phase * portCount + port]! += background[port]!;
    });
  }

  /** What routes are worth as they are. */
  score(): RouteScore {
    const { phases, links, load, bounds, options } = this;
    const { portCount } = this.tree.fabric;
    const phaseMax: number[] = [];
    let [maxLoad, netMaxLoad, above, squares] = [0, 0, 0, 0];
    for (let phase = 0; phase < phases.length; phase++) {
      const { adaptive, adaptiveNet } = bounds[phase]!;
      const threshold = hotLoad(options.hot ?? 0.9, adaptiveNet) * (1 + 1e-12);
      let largest = 0;
      for (const port of links) {
        const own = load[phase * portCount + port]!;
        if (own > largest) largest = own;
        if (own > threshold) above++;
        squares += own * own;
      }
      phaseMax.push(largest);
      netMaxLoad += largest;
      maxLoad += Math.max(largest, adaptive > adaptiveNet ? adaptive : 0);
    }
    this.work += links.length * phases.length;
    return { maxLoad, netMaxLoad, linksAboveThreshold: above, l2: Math.sqrt(squares), phaseMax };
  }
}

const rounding = 1e-9;

function squared(value: number, times: number): number {
  let power = value;
  for (let i = 0; i < times; i++) power *= power;
  return power;
}

/** Whether the largest load between switches is lower. */
function isLower(a: RouteScore, b: RouteScore): boolean {
  return a.netMaxLoad < b.netMaxLoad * (1 - rounding);
}

/** Whether a round made routes worse: the largest load, or, if that is the same, by so much what all links carry. */
function isWorse(a: RouteScore, b: RouteScore, tolerance: number): boolean {
  if (isLower(b, a)) return true;
  return !isLower(a, b) && a.l2 > b.l2 * (1 + tolerance);
}
