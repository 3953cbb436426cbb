// The adaptive bound of trees that are not whole: traffic is spread over all minimal paths so that the largest load
// between switches is as small as possible. It comes with a proof from below, so that the optimum of the linear
// programme is known to lie between two values. For a target T a little above what is proven, the sum over links of
// max(0, load - T)^2 is minimised, destination after destination: every switch divides the traffic that comes to it
// anew over its ports, by their marginal costs up to the destination (R. Gallager, "A minimum delay routing algorithm
// using distributed computation", IEEE Trans. Communications 25, 1977; steps scaled by second derivatives as in D.
// Bertsekas, E. Gafni, R. Gallager, IEEE Trans. Communications 32, 1984), and the step towards that has the length that
// is best along the line. Below: for weights y of links, no division has a largest load below (sum over flows of amount
// x shortest way by y x load per traffic) / (sum of y): duality of linear programmes. With y = max(0, load - T) that is
// above T once the sum above cannot get smaller; T follows it.
// Invariants: what comes to a switch leaves it; `upper` is the largest load of a division that exists, `lower` never
// above the optimum, by more than rounding. Costs per pass: the ports of all graphs. Not modelled: links of hosts,
// which no division changes.

import { destinationGraphs, type DestinationGraphs } from './destination-graphs.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { loadPerTraffic } from './table-loads.js';

/** Between which values the adaptive bound between switches lies. */
export interface BoundInterval {
  readonly lower: number;
  readonly upper: number;
}

export interface AdaptiveDivision extends BoundInterval {
  readonly passes: number;
  /** ports looked at */
  readonly work: number;
  /** load of every link, by sending port; those of hosts are 0 */
  readonly load: Float64Array;
}

export interface SpreadOptions {
  /** ends when upper is at most lower x (1 + tolerance) */
  readonly tolerance: number;
  /** ends after about as many ports were looked at; 100 million are about two seconds */
  readonly mostWork: number;
  /** ends after as many passes over all destinations: small trees that converge slowly */
  readonly mostPasses: number;
}

/** How often loads are added up anew, and the bound from below is looked at. */
const passesPerCheck = 4;
/** What a link below the target counts as its second derivative to those above it in the graph. */
const idleCurvature = 0.01;
const bisections = 30;

/**
 * The most ports of graphs that are looked at: 24 bytes each. Three-level trees of some 10,000 hosts have more if all
 * send to all.
 */
const mostPorts = 4_000_000;

/** What reports use: about a second at most for 3,072 hosts, mostly far less. */
const reportLimits: SpreadOptions = { tolerance: 1e-6, mostWork: 100_000_000, mostPasses: 2000 };

/**
 * Between which values the adaptive bound of some traffic lies.
 * @param cuts what cuts prove
 * @returns null if the fabric is too large for it
 */
export function adaptiveInterval(flows: LeafTraffic, cuts: number): BoundInterval | null {
  if (cuts === 0) return { lower: 0, upper: 0 };
  const graphs = destinationGraphs(flows, mostPorts);
  return graphs === null ? null : spreadAdaptively(graphs, cuts, reportLimits);
}

/** Spreads traffic. @param lower a bound from below to begin with, above 0: that of the cuts */
export function spreadAdaptively(graphs: DestinationGraphs, lower: number, options: SpreadOptions): AdaptiveDivision {
  return new AdaptiveSpread(graphs, lower, options).run();
}

class AdaptiveSpread {
  private readonly load: Float64Array;
  private readonly worth: Float64Array;
  /** traffic by port of the graphs, and what the next step goes towards */
  private readonly flow: Float64Array;
  private readonly wanted: Float64Array;
  /**
   * by node, for the destination that is looked at: what comes in, the cheapest way on, and how fast that becomes
   * dearer
   */
  private readonly inflow: Float64Array;
  private readonly price: Float64Array;
  private readonly stiffness: Float64Array;
  private work = 0;
  private target: number;

  constructor(
    private readonly graphs: DestinationGraphs,
    private lower: number,
    private readonly options: SpreadOptions,
  ) {
    const { fabric } = graphs.tree;
    this.worth = loadPerTraffic(fabric);
    this.load = new Float64Array(fabric.portCount);
    this.flow = new Float64Array(graphs.port.length);
    this.wanted = new Float64Array(graphs.port.length);
    this.inflow = new Float64Array(fabric.nodeCount);
    this.price = new Float64Array(fabric.nodeCount);
    this.stiffness = new Float64Array(fabric.nodeCount);
    this.target = this.above(lower);
    for (let port = 0; port < this.flow.length; port++) this.flow[port] = 1 / this.worth[graphs.port[port]!]!;
  }

  run(): AdaptiveDivision {
    const { tolerance, mostWork, mostPasses } = this.options;
    const destinations = this.graphs.switchOffset.length - 1;
    let passes = 0;
    let upper = this.recount();
    let best = { upper, load: this.load.slice() };
    while (best.upper > this.lower * (1 + tolerance) && this.work < mostWork && passes < mostPasses) {
      for (let destination = 0; destination < destinations; destination++) this.improve(destination);
      passes++;
      if (passes % passesPerCheck !== 0 && this.largest() > this.target) continue;
      upper = this.recount();
      if (upper < best.upper) best = { upper, load: this.load.slice() };
      this.raise();
    }
    return { lower: this.lower, upper: Math.max(this.lower, best.upper), passes, work: this.work, load: best.load };
  }

  private above(bound: number): number {
    return bound * (1 + this.options.tolerance / 2);
  }

  private largest(): number {
    const { load } = this;
    let most = 0;
    for (let port = 0; port < load.length; port++) if (load[port]! > most) most = load[port]!;
    return most;
  }

  /**
   * Makes the flows meet what comes in, in the proportions they have, and adds loads up anew.
   * @returns the largest load
   */
  private recount(): number {
    const { inflow, flow, worth, load } = this;
    const { switchOffset, node, injected, portOffset, port, next } = this.graphs;
    load.fill(0);
    for (let destination = 0; destination + 1 < switchOffset.length; destination++) {
      this.clear(destination);
      for (let at = switchOffset[destination]!; at < switchOffset[destination + 1]!; at++) {
        const first = portOffset[at]!;
        const last = portOffset[at + 1]!;
        const total = inflow[node[at]!]! + injected[at]!;
        let before = 0;
        for (let i = first; i < last; i++) before += flow[i]!;
        for (let i = first; i < last; i++) {
          flow[i] = before > 0 ? (flow[i]! * total) / before : total / (last - first);
          inflow[next[i]!]! += flow[i]!;
          load[port[i]!]! += flow[i]! * worth[port[i]!]!;
        }
      }
    }
    this.work += port.length;
    return this.largest();
  }

  /** Forgets what was known of the nodes of a destination; the destination itself costs nothing. */
  private clear(destination: number): void {
    const { inflow, price, stiffness } = this;
    const { switchOffset, node, portOffset, next } = this.graphs;
    const first = switchOffset[destination]!;
    const last = switchOffset[destination + 1]!;
    for (let at = first; at < last; at++) inflow[node[at]!] = 0;
    for (let i = portOffset[first]!; i < portOffset[last]!; i++) {
      inflow[next[i]!] = 0;
      price[next[i]!] = 0;
      stiffness[next[i]!] = 0;
    }
  }

  /** What a unit of traffic more costs on a port, up to the destination. */
  private cost(i: number): number {
    const own = this.graphs.port[i]!;
    const over = this.load[own]! - this.target;
    return (over > 0 ? over * this.worth[own]! : 0) + this.price[this.graphs.next[i]!]!;
  }

  /** Prices of all nodes of a destination, nearest first. @returns what its traffic costs at least, in all */
  private setPrices(destination: number): number {
    const { price, stiffness, worth, load, target } = this;
    const { switchOffset, node, injected, entries, portOffset, port, next } = this.graphs;
    let total = 0;
    for (let at = switchOffset[destination + 1]! - 1; at >= switchOffset[destination]!; at--) {
      let least = Infinity;
      let give = 0;
      for (let i = portOffset[at]!; i < portOffset[at + 1]!; i++) {
        const perTraffic = worth[port[i]!]!;
        least = Math.min(least, this.cost(i));
        give += 1 / ((load[port[i]!]! > target ? 1 : idleCurvature) * perTraffic * perTraffic + stiffness[next[i]!]!);
      }
      price[node[at]!] = least;
      // all that send to it may lean on it at once
      stiffness[node[at]!] = entries[at]! / give;
      total += least * injected[at]!;
    }
    return total;
  }

  /** One step for one destination. */
  private improve(destination: number): void {
    const { switchOffset, node, injected, portOffset } = this.graphs;
    const first = switchOffset[destination]!;
    const last = switchOffset[destination + 1]!;
    this.clear(destination);
    this.setPrices(destination);
    this.work += portOffset[last]! - portOffset[first]!;
    let changed = false;
    for (let at = first; at < last; at++) changed = this.divide(at, this.inflow[node[at]!]! + injected[at]!) || changed;
    if (changed) this.step(portOffset[first]!, portOffset[last]!);
  }

  /** Divides what comes to a switch over its ports. @returns whether that changes anything */
  private divide(at: number, total: number): boolean {
    const { flow, wanted, inflow, price, target } = this;
    const { node, portOffset, next } = this.graphs;
    const first = portOffset[at]!;
    const last = portOffset[at + 1]!;
    const least = price[node[at]!]!;
    let before = 0;
    let dearest = least;
    for (let i = first; i < last; i++) {
      before += flow[i]!;
      if (flow[i]! > 0) dearest = Math.max(dearest, this.cost(i));
    }
    const kept = before > 0 && dearest - least <= 1e-9 * target;
    const level = kept || total === 0 ? 0 : this.fillLevel(first, last, total, least, dearest);
    let sum = before;
    if (!kept && total > 0) sum = this.answers(first, last, level);
    for (let i = first; i < last; i++) {
      wanted[i] = total === 0 ? 0 : ((kept ? flow[i]! : this.answer(i, level)) * total) / sum;
      inflow[next[i]!]! += wanted[i]!;
    }
    return !kept || Math.abs(total - before) > 1e-12 * total;
  }

  /** The marginal cost at which the ports of a switch take as much as there is, by bisection. */
  private fillLevel(first: number, last: number, total: number, least: number, dearest: number): number {
    let low = least;
    let high = dearest + 1e-12 * this.target;
    while (this.answers(first, last, high) < total) high = 2 * high + 1e-9 * this.target;
    for (let i = 0; i < bisections; i++) {
      const middle = (low + high) / 2;
      if (this.answers(first, last, middle) < total) low = middle;
      else high = middle;
    }
    this.work += bisections * (last - first);
    return high;
  }

  private answers(first: number, last: number, level: number): number {
    let sum = 0;
    for (let i = first; i < last; i++) sum += this.answer(i, level);
    return sum;
  }

  /**
   * How much a port takes at a marginal cost: its link costs nothing up to the target, what comes after it grows from
   * its price.
   */
  private answer(i: number, level: number): number {
    const { price, stiffness, flow, worth, load, target } = this;
    const { port, next } = this.graphs;
    const perTraffic = worth[port[i]!]!;
    const stiff = stiffness[next[i]!]!;
    const over = load[port[i]!]! - target;
    const left = level - price[next[i]!]!;
    // below the target `-over / perTraffic` more traffic is free of cost on the link itself
    if (left > (-over / perTraffic) * stiff)
      return Math.max(0, flow[i]! + (left - perTraffic * over) / (perTraffic * perTraffic + stiff));
    if (stiff > 0) return Math.max(0, flow[i]! + left / stiff);
    return left < 0 ? 0 : Math.max(0, flow[i]! - over / perTraffic);
  }

  /** Goes from the flows of a destination towards those wanted, as far as the sum of squares falls. */
  private step(first: number, last: number): void {
    const { flow, wanted, worth, load } = this;
    const { port } = this.graphs;
    let share = 1;
    if (this.slope(first, last, 1) > 0) {
      let high = 1;
      share = 0;
      for (let i = 0; i < 8; i++) {
        const middle = (share + high) / 2;
        if (this.slope(first, last, middle) > 0) high = middle;
        else share = middle;
      }
      this.work += 8 * (last - first);
    }
    this.work += 2 * (last - first);
    for (let i = first; i < last; i++) {
      const more = (wanted[i]! - flow[i]!) * share;
      flow[i]! += more;
      load[port[i]!]! += more * worth[port[i]!]!;
    }
  }

  /**
   * Derivative of the sum of squares along the step. A port stands once in a graph, so its load is its own part and a
   * fixed rest.
   */
  private slope(first: number, last: number, share: number): number {
    const { flow, wanted, worth, load, target } = this;
    const { port } = this.graphs;
    let sum = 0;
    for (let i = first; i < last; i++) {
      const more = (wanted[i]! - flow[i]!) * worth[port[i]!]!;
      const over = load[port[i]!]! + share * more - target;
      if (more !== 0 && over > 0) sum += over * more;
    }
    return sum;
  }

  /** Raises what is proven from below, and the target with it, by the loads above the target as weights. */
  private raise(): void {
    const { load, target } = this;
    const { switchOffset, port } = this.graphs;
    let weights = 0;
    for (let i = 0; i < load.length; i++) if (load[i]! > target) weights += load[i]! - target;
    if (weights === 0) return;
    let cost = 0;
    for (let destination = 0; destination + 1 < switchOffset.length; destination++) {
      this.clear(destination);
      cost += this.setPrices(destination);
    }
    this.work += port.length;
    if (cost <= weights * this.lower) return;
    this.lower = cost / weights;
    this.target = this.above(this.lower);
  }
}
