// How fast each flow would have got on if one cause after the other had been away.
//   On a link with rate R and demands D (of each flow the rate of its hosts' links) a flow makes min(1, R / D) of
//   its progress alone; the mean of that over its life is its progress there, and the least of its links is that of its
//   way. Five worlds, each without one cause more:
//     shared   as it was: all demands, the rates that links have
//     whole    every link has the rate that is usual in its tier: no slow part
//     own      the flow's job is alone: no traffic of others
//     spread   links between switches that stand in for each other are one: no unlucky routes; where switches of one
//              level are linked, as in a torus, all shortest ways are taken alike
//     hosts    the links of hosts alone: no interior
//   What a flow takes beside its bytes, its latency, it takes in every world: progress is that of its bytes. What a flow
//   really made of its time without latency is its progress `made`; where that is less than `shared`, no sharing
//   explains it.
// Invariant: made <= shared <= whole <= own <= spread <= hosts <= 1 for every flow.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { isOfHost } from '../fabric/link-tiers.js';
import { portGroups } from '../measurement/port-groups.js';
import { SharedPlaces } from '../measurement/shared-places.js';
import { switchLevels } from '../fabric/switch-levels.js';
import { SpreadWays } from './spread-ways.js';
import { rateOf, usualTierRates } from '../measurement/usual-rates.js';
import type { ObservedFlows } from './observed-flows.js';

/** The worlds, each without one cause more than the one before. */
export const worlds = ['made', 'shared', 'whole', 'own', 'spread', 'hosts'] as const;
export type World = (typeof worlds)[number];

/** By world and flow: progress, 0 to 1; and the output port on which it was least, -1: on none. */
export interface FlowProgress {
  readonly progress: Readonly<Record<World, Float64Array>>;
  readonly narrowest: Readonly<Record<World, Int32Array>>;
  /** by flow: what it would take alone beside its bytes where every link had its usual rate; 0, too, if not known */
  readonly latencyPs: Float64Array;
}

/** A flow that makes this share of what sharing leaves it is explained: windows and acknowledgements cost some. */
export const explained = 0.85;

/**
 * Follows all flows through time.
 * @param jobs number of jobs @param rateBps by output port: what it really has, its host's receive speed included, bit/s
 */
export function flowProgress(fabric: Fabric, flows: ObservedFlows, jobs: number, rateBps: Float64Array): FlowProgress {
  const follower = new Follower(fabric, flows, jobs, rateBps);
  const { count, startPs, finishPs } = flows;
  const byStart = Int32Array.from({ length: count }, (_, i) => i).sort((a, b) => startPs[a]! - startPs[b]! || a - b);
  const byFinish = Int32Array.from({ length: count }, (_, i) => i).sort((a, b) => finishPs[a]! - finishPs[b]! || a - b);
  for (let begun = 0, ended = 0; ended < count;) {
    const next = begun < count ? byStart[begun]! : -1;
    // who ends when another begins has not met it
    if (next !== -1 && startPs[next]! < finishPs[byFinish[ended]!]!) {
      follower.begin(next);
      begun++;
    } else follower.end(byFinish[ended++]!);
  }
  return follower;
}

/** What a flow lost between two worlds, in picoseconds. @param to null: the world in which it is alone */
export function lostBetween(
  flows: ObservedFlows,
  found: FlowProgress,
  flow: number,
  from: World,
  to: World | null,
): number {
  return lifeIn(flows, found, flow, from) - lifeIn(flows, found, flow, to);
}

/** How long a flow takes in a world, in picoseconds. @param world null: the one in which it is alone */
export function lifeIn(
  { startPs, finishPs }: ObservedFlows,
  { progress, latencyPs }: FlowProgress,
  flow: number,
  world: World | null,
): number {
  const bytesPs = (finishPs[flow]! - startPs[flow]! - latencyPs[flow]!) * progress.made[flow]!;
  return latencyPs[flow]! + (world === null ? bytesPs : bytesPs / progress[world][flow]!);
}

/** A world's account of demands: at which places a flow stands in it, and for how much of it. */
interface Account {
  readonly shared: SharedPlaces;
  /** places of a flow, the share of it that each gets, and its place on the way: those of one place are alternatives */
  readonly stands: (flow: number) => Stand;
}

interface Stand {
  readonly places: Int32Array;
  readonly shares: ArrayLike<number>;
  readonly steps: ArrayLike<number>;
  /** output ports that the places are */
  readonly ports: Int32Array;
}

/** Of two places that cost nearly the same that of a host counts: no path avoids it. */
const nearly = 0.98;

class Follower implements FlowProgress {
  readonly progress: Record<World, Float64Array>;
  readonly narrowest: Record<World, Int32Array>;
  readonly latencyPs: Float64Array;
  private readonly usualBps: Float64Array;
  private readonly isOfHost: Uint8Array;
  private readonly demandBps: Float64Array;
  /** by flow: what its bytes take at the rate of its hosts */
  private readonly bytesPs: Float64Array;
  private readonly accounts: readonly Account[];
  /** by account and flow under way: what had been lost at its places when it came */
  private readonly before: (Float64Array | null)[][];

  constructor(
    private readonly fabric: Fabric,
    private readonly flows: ObservedFlows,
    jobs: number,
    rateBps: Float64Array,
  ) {
    const { portCount } = fabric;
    const filled = (): Float64Array => new Float64Array(flows.count).fill(1);
    const none = (): Int32Array => new Int32Array(flows.count).fill(-1);
    this.progress = Object.fromEntries(worlds.map((world) => [world, filled()])) as Record<World, Float64Array>;
    this.narrowest = Object.fromEntries(worlds.map((world) => [world, none()])) as Record<World, Int32Array>;
    this.latencyPs = new Float64Array(flows.count);
    this.demandBps = new Float64Array(flows.count);
    this.bytesPs = new Float64Array(flows.count);
    this.usualBps = Float64Array.from(usualTierRates(fabric), (rateBps, port) =>
      Math.max(rateBps, rateOf(fabric, port)),
    );
    this.isOfHost = Uint8Array.from({ length: portCount }, (_, port) => (isOfHost(fabric, port) ? 1 : 0));
    const shared = new SharedPlaces(portCount);
    const whole = new SharedPlaces(portCount);
    for (let port = 0; port < portCount; port++) {
      shared.rateBps[port] = rateBps[port]!;
      whole.rateBps[port] = this.usualBps[port]!;
    }
    this.accounts = [
      { shared, stands: (flow) => this.links(flow, 0) },
      { shared: whole, stands: (flow) => this.links(flow, 0) },
      { shared: this.perJob(jobs, null), stands: (flow) => this.links(flow, flows.job[flow]! + 1) },
      this.spreadAccount(jobs),
    ];
    this.before = this.accounts.map(() => Array.from<Float64Array | null>({ length: flows.count }).fill(null));
  }

  begin(flow: number): void {
    const { flows, fabric } = this;
    const { offsets, ports } = flows;
    const nowPs = flows.startPs[flow]!;
    let [demandBps, slowestBps] = [Infinity, Infinity];
    for (let entry = offsets[flow]!; entry < offsets[flow + 1]!; entry++) {
      const port = ports[entry]!;
      // what its hosts can do: where switches have slower links that is what they cost
      if (this.isOfHost[port] === 1) demandBps = Math.min(demandBps, this.usualBps[port]!);
      slowestBps = Math.min(slowestBps, rateOf(fabric, port));
    }
    if (demandBps === Infinity) return;
    const lifePs = Math.max(1, flows.finishPs[flow]! - nowPs);
    const wirePs = (bps: number): number => (8e12 * flows.wireBytes[flow]!) / bps;
    this.bytesPs[flow] = Math.min(lifePs, wirePs(demandBps));
    // alone its bytes take what its slowest link needs
    const latencyPs = Math.min(Math.max(0, flows.idealPs[flow]! - wirePs(slowestBps)), lifePs - this.bytesPs[flow]!);
    this.latencyPs[flow] = latencyPs;
    this.demandBps[flow] = demandBps;
    this.accounts.forEach(({ shared, stands }, account) => {
      const { places, shares } = stands(flow);
      this.before[account]![flow] = Float64Array.from(places, (place) => shared.lostUntil(place, nowPs));
      places.forEach((place, i) => shared.add(place, demandBps * shares[i]!));
    });
  }

  end(flow: number): void {
    const { flows, progress, narrowest } = this;
    const lifePs = Math.max(1, flows.finishPs[flow]! - flows.startPs[flow]!);
    const found = this.accounts.map((_, account) => this.leave(flow, account, lifePs));
    const hosts = this.leastOf(found[2]!.kept.filter(({ port }) => this.isOfHost[port] === 1));
    // routes do not change what hosts have
    const spread = this.leastOf([hosts, found[3]!.least]);
    const leasts = [found[0]!.least, found[1]!.least, found[2]!.least, spread, hosts];
    let floor = leasts[0]!.progress;
    if (flows.idealPs[flow]! > 0) {
      const [latencyPs, bytesPs] = [this.latencyPs[flow]!, this.bytesPs[flow]!];
      const made = bytesPs > 0 ? bytesPs / (lifePs - latencyPs) : 1;
      const isExplained = explained * lifePs <= latencyPs + bytesPs / floor;
      floor = isExplained ? Math.max(floor, made) : made;
    }
    progress.made[flow] = floor;
    narrowest.made[flow] = leasts[0]!.port;
    leasts.forEach((own, i) => {
      floor = Math.max(floor, own.progress);
      progress[worlds[i + 1]!][flow] = floor;
      narrowest[worlds[i + 1]!][flow] = own.port;
    });
  }

  /** A flow leaves the places of an account. @returns its progress at each step of its way, and the least of them */
  private leave(flow: number, account: number, lifePs: number): { readonly kept: Step[]; readonly least: Step } {
    const { shared, stands } = this.accounts[account]!;
    const before = this.before[account]![flow] ?? null;
    const kept: Step[] = [];
    if (before === null) return { kept, least: { port: -1, progress: 1 } };
    this.before[account]![flow] = null;
    const nowPs = this.flows.finishPs[flow]!;
    const { places, shares, steps, ports } = stands(flow);
    let [sum, part, worst, worstPort] = [0, 0, 2, -1];
    places.forEach((place, i) => {
      const own = 1 - (shared.lostUntil(place, nowPs) - before[i]!) / lifePs;
      shared.add(place, -this.demandBps[flow]! * shares[i]!);
      sum += shares[i]! * own;
      part += shares[i]!;
      if (own < worst) [worst, worstPort] = [own, ports[i]!];
      if (i + 1 < places.length && steps[i + 1] === steps[i]) return;
      kept.push({ port: worstPort, progress: Math.min(1, sum / part) });
      [sum, part, worst, worstPort] = [0, 0, 2, -1];
    });
    return { kept, least: this.leastOf(kept) };
  }

  private leastOf(steps: readonly Step[]): Step {
    let least: Step = { port: -1, progress: 1 };
    for (const step of steps) {
      if (step.port === -1 || step.progress >= 1 - 1e-9) continue;
      const isHost = this.isOfHost[step.port] === 1;
      const wasHost = least.port !== -1 && this.isOfHost[least.port] === 1;
      const margin = isHost && !wasHost ? 1 / nearly : wasHost && !isHost ? nearly : 1;
      if (step.progress < least.progress * margin)
        least = { port: step.port, progress: Math.min(step.progress, least.progress) };
    }
    return least;
  }

  /** The links of a flow. @param job whose copy of the links is meant, from 0 */
  private links(flow: number, job: number): Stand {
    const { offsets, ports, places, shares } = this.flows;
    const [from, to] = [offsets[flow]!, offsets[flow + 1]!];
    const own = ports.subarray(from, to);
    const base = job * this.fabric.portCount;
    return {
      places: job === 0 ? own : own.map((port) => base + port),
      shares: shares.subarray(from, to),
      steps: places.subarray(from, to),
      ports: own,
    };
  }

  /** Places for each job: links with their usual rates, or groups of them. @param groupOf null: links */
  private perJob(jobs: number, groupOf: Int32Array | null): SharedPlaces {
    const { portCount } = this.fabric;
    const count = groupOf === null ? portCount : groupOf.reduce((most, group) => Math.max(most, group + 1), 0);
    const places = new SharedPlaces(count * (jobs + 1));
    for (let job = 0; job <= jobs; job++)
      for (let port = 0; port < portCount; port++)
        places.rateBps[job * count + (groupOf?.[port] ?? port)]! += this.usualBps[port]!;
    return places;
  }

  /** Links between switches as if routes were the best there are: groups of a tree, all shortest ways elsewhere. */
  private spreadAccount(jobs: number): Account {
    const { fabric, flows } = this;
    const levels = switchLevels(fabric);
    const isTree = fabric.portNode.every((node, port) => {
      const peer = fabric.portNeighbour[port]!;
      return levels[node] !== levels[peer] || fabric.nodeKind[node] !== NodeKind.switch;
    });
    if (isTree) {
      const groupOf = portGroups(fabric);
      const groups = groupOf.reduce((most, group) => Math.max(most, group + 1), 0);
      return {
        shared: this.perJob(jobs, groupOf),
        stands: (flow) => {
          const own = this.links(flow, 0);
          const base = (flows.job[flow]! + 1) * groups;
          return { ...own, places: own.ports.map((port) => base + groupOf[port]!) };
        },
      };
    }
    const ways = new SpreadWays(fabric);
    const { portNode } = fabric;
    return {
      shared: this.perJob(jobs, null),
      stands: (flow) => {
        const [first, last] = [flows.offsets[flow]!, flows.offsets[flow + 1]! - 1];
        const base = (flows.job[flow]! + 1) * fabric.portCount;
        if (last <= first) return { places: none, shares: none, steps: none, ports: none };
        const way = ways.between(portNode[flows.ports[first + 1]!]!, portNode[flows.ports[last]!]!);
        return {
          places: way.ports.map((port) => base + port),
          shares: way.shares,
          steps: way.distances,
          ports: way.ports,
        };
      },
    };
  }
}

const none = new Int32Array(0);

/** A step of a flow's way: its progress there, and the port on which it was least. */
interface Step {
  readonly port: number;
  readonly progress: number;
}
