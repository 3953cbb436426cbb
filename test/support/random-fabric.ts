// Random fabrics and traces for property tests: any connected graph of switches, hosts with one or more NICs on any of
// them, servers with NVSwitches, parallel links, rates and latencies of every link its own, node ids in any order.

import * as fc from 'fast-check';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import type { Transfer } from './engine-run.js';

/** What a random fabric is made of; the fabric is built from it, so a counterexample prints as this. */
export interface FabricRecipe {
  readonly switches: number;
  /** link of switch i + 1 to one of the switches before it */
  readonly tree: readonly LinkRecipe[];
  /** further links between switches: their first ends, and the rest */
  readonly extra: readonly (readonly [from: number, link: LinkRecipe])[];
  /** the NICs of each host */
  readonly hosts: readonly (readonly LinkRecipe[])[];
  readonly gpusPerServer: number;
  /** NVSwitches per server, 0 for none */
  readonly nvswitches: number;
  /** the order of the node ids */
  readonly shuffle: number;
}

interface LinkRecipe {
  readonly to: number;
  readonly rate: number;
  readonly latency: number;
  readonly errorRate: number;
}

export interface FabricLimits {
  /** bit/s to choose from */
  readonly ratesBps: readonly number[];
  readonly latenciesPs: readonly number[];
  readonly errorRates?: readonly number[];
  readonly mostSwitches?: number;
  readonly mostHosts?: number;
  /** links between switches beyond a tree; they make cycles, in which PFC can deadlock */
  readonly mostExtraLinks?: number;
  readonly nvswitches?: boolean;
}

export function fabricRecipe(limits: FabricLimits): fc.Arbitrary<FabricRecipe> {
  const {
    ratesBps,
    latenciesPs,
    errorRates = [0],
    mostSwitches = 7,
    mostHosts = 10,
    mostExtraLinks = 8,
    nvswitches = true,
  } = limits;
  const link = fc.record({
    to: fc.nat(1000),
    rate: fc.constantFrom(...ratesBps),
    latency: fc.constantFrom(...latenciesPs),
    errorRate: fc.constantFrom(...errorRates),
  });
  return fc.record({
    switches: fc.integer({ min: 1, max: mostSwitches }),
    tree: fc.array(link, { minLength: mostSwitches, maxLength: mostSwitches }),
    extra: fc.array(fc.tuple(fc.nat(1000), link), { maxLength: mostExtraLinks }),
    hosts: fc.array(fc.array(link, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: mostHosts }),
    gpusPerServer: fc.integer({ min: 1, max: 4 }),
    nvswitches: nvswitches ? fc.nat(2) : fc.constant(0),
    shuffle: fc.nat(2 ** 31 - 1),
  });
}

export function buildFabric(recipe: FabricRecipe): Fabric {
  const servers = Math.ceil(recipe.hosts.length / recipe.gpusPerServer);
  const kinds: NodeKind[] = [
    ...recipe.hosts.map((): NodeKind => NodeKind.host),
    ...Array.from({ length: servers * recipe.nvswitches }, (): NodeKind => NodeKind.nvswitch),
    ...Array.from({ length: recipe.switches }, (): NodeKind => NodeKind.switch),
  ];
  const order = shuffled(kinds.length, recipe.shuffle);
  const builder = new FabricBuilder(recipe.gpusPerServer);
  // ids are places in `order`; hosts fill the servers in ascending order of their ids
  const idOf = new Map<number, number>();
  const hostIds: number[] = [];
  for (const item of order) {
    const id = builder.addNode(kinds[item]!);
    idOf.set(item, id);
    if (kinds[item] === NodeKind.host) hostIds.push(id);
  }
  const firstNvswitch = recipe.hosts.length;
  const switchId = (index: number): number =>
    idOf.get(firstNvswitch + servers * recipe.nvswitches + (index % recipe.switches))!;
  hostIds.forEach((host, rank) => {
    for (let n = 0; n < recipe.nvswitches; n++) {
      const { rate, latency } = recipe.hosts[rank]![0]!;
      builder.addLink(
        host,
        idOf.get(firstNvswitch + Math.floor(rank / recipe.gpusPerServer) * recipe.nvswitches + n)!,
        rate * 2,
        latency,
      );
    }
    for (const { to, rate, latency, errorRate } of recipe.hosts[rank]!)
      builder.addLink(host, switchId(to), rate, latency, errorRate);
  });
  for (let i = 1; i < recipe.switches; i++) {
    const { to, rate, latency, errorRate } = recipe.tree[i]!;
    builder.addLink(switchId(i), switchId(to % i), rate, latency, errorRate);
  }
  for (const [from, { to, rate, latency, errorRate }] of recipe.extra) {
    if (from % recipe.switches !== to % recipe.switches)
      builder.addLink(switchId(from), switchId(to), rate, latency, errorRate);
  }
  return builder.build();
}

/** A permutation of 0 .. count - 1 from a number. */
function shuffled(count: number, from: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  let state = from;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Transfers between hosts of a fabric, as numbers that fit any fabric: see `transfersIn`. */
export function transferRecipe(
  sizes: fc.Arbitrary<number>,
  maxLength: number,
  starts: fc.Arbitrary<number> = fc.oneof(fc.constant(0), fc.nat(20_000_000)),
): fc.Arbitrary<readonly (readonly [number, number, number, number])[]> {
  return fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), sizes, starts), { minLength: 1, maxLength });
}

export function transfersIn(
  fabric: Fabric,
  recipe: readonly (readonly [number, number, number, number])[],
): Transfer[] {
  const { hosts } = fabric;
  return recipe.map(([from, step, size, start]) => {
    const source = from % hosts.length;
    return [hosts[source]!, hosts[(source + 1 + (step % (hosts.length - 1))) % hosts.length]!, size, start];
  });
}

/** The transfers, most of them turned to one receiver: all but those that it sends itself and every `keep`th. */
export function incastOf(transfers: readonly Transfer[], receiver: number, keep: number): Transfer[] {
  return transfers.map((transfer, i): Transfer =>
    i % keep === 0 || transfer[0] === receiver ? transfer : [transfer[0], receiver, transfer[2], transfer[3] ?? 0],
  );
}
