// What a fabric is made of, and what that costs: switches, ports by speed, cables by kind, watts and a price.
// Invariants: every link outside servers is one cable; nothing is priced by a price for something else: what a price
// list lacks is named, and the cost is then unknown, not too small.
// Not modelled: servers, NICs, racks, spares, discounts, labour, and the lengths of cables beyond copper or not.

import { formatRateBps } from '../base/units.js';
import { type Fabric, NodeKind } from './fabric.js';

/** What one thing costs and draws. */
export interface Price {
  readonly price: number;
  readonly watts: number;
}

/** A switch that can be bought. */
export interface SwitchPrice extends Price {
  readonly name: string;
  readonly rateBps: number;
  readonly ports: number;
  /** into how many slower ports one port can be split; 1: none */
  readonly split: number;
}

/** A list of prices (docs/formats/prices.md). */
export interface Prices {
  /** where they come from: `built in`, or the path of a file */
  readonly name: string;
  readonly currency: string;
  /** of when the prices are, as it was written */
  readonly date: string;
  readonly serversPerRack: number;
  readonly switches: readonly SwitchPrice[];
  /** by rate in bit/s: a cable with both its ends */
  readonly copper: ReadonlyMap<number, Price>;
  readonly optics: ReadonlyMap<number, Price>;
}

/** Cables of one kind and rate. */
interface CableCount {
  readonly kind: 'copper' | 'optics';
  readonly rateBps: number;
  readonly cables: number;
}

/** The bill of a fabric. */
export interface Bill {
  readonly switches: number;
  /** switches by the model that the price list offers for them; model null: it offers none */
  readonly models: readonly { readonly model: string | null; readonly switches: number; readonly ports: number }[];
  /** ports of switches that have a cable, by rate */
  readonly ports: readonly { readonly rateBps: number; readonly ports: number }[];
  readonly cables: readonly CableCount[];
  /** null: something has no price */
  readonly cost: number | null;
  readonly watts: number | null;
  /** what has no price, in words; empty: everything has one */
  readonly unknown: readonly string[];
}

/** One price for each kind of part, in whatever currency: the block `cost` of a scenario. */
export interface PartPrices {
  /** a switch outside servers */
  readonly switch: number;
  /** a port of such a switch that has a cable */
  readonly port: number;
  /** a cable outside servers with both its ends */
  readonly cable: number;
  /** a GPU with its part of a server */
  readonly gpu: number;
}

/** What the parts of a fabric cost: of its network, and of its GPUs. */
export interface PartCosts {
  readonly network: number;
  readonly gpus: number;
}

const noPrices: Prices = {
  name: '',
  currency: '',
  date: '',
  serversPerRack: 1,
  switches: [],
  copper: new Map(),
  optics: new Map(),
};

/** What a fabric costs by one price for each kind of part, in the currency of the prices. Linear in the links. */
export function partCosts(fabric: Fabric, prices: PartPrices): PartCosts {
  const { switches, ports, cables } = billOf(fabric, noPrices);
  const ends = ports.reduce((sum, own) => sum + own.ports, 0);
  const lines = cables.reduce((sum, own) => sum + own.cables, 0);
  return {
    network: switches * prices.switch + ends * prices.port + lines * prices.cable,
    gpus: fabric.hosts.length * prices.gpu,
  };
}

/** Counts what a fabric is made of and prices it. Linear in the links. */
export function billOf(fabric: Fabric, prices: Prices): Bill {
  const { nodeCount, nodeKind, nodeServer, portOffset, portLink, portNode, portPeer, linkRateBps } = fabric;
  const rackOf = racksOf(fabric, prices.serversPerRack);
  const ports = new Map<number, number>();
  const cables = new Map<string, { kind: CableCount['kind']; rateBps: number; cables: number }>();
  const models = new Map<string, { model: SwitchPrice | null; switches: number; ports: number; fastestBps: number }>();
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] === NodeKind.nvswitch) continue;
    const own = new Map<number, number>();
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      const rateBps = linkRateBps[portLink[port]!]!;
      if (nodeKind[peer] === NodeKind.nvswitch) continue;
      // two hosts cabled to each other have a cable and no port of a switch
      if (nodeKind[node] === NodeKind.switch) own.set(rateBps, (own.get(rateBps) ?? 0) + 1);
      if (port > portPeer[port]!) continue;
      if (nodeKind[node] === NodeKind.host && nodeServer[node] === nodeServer[peer]) continue;
      const isHostLink = nodeKind[node] === NodeKind.host || nodeKind[peer] === NodeKind.host;
      const kind = isHostLink && rackOf[node] === rackOf[peer] ? 'copper' : 'optics';
      const key = `${kind} ${rateBps}`;
      const known = cables.get(key);
      if (known === undefined) cables.set(key, { kind, rateBps, cables: 1 });
      else known.cables++;
    }
    if (nodeKind[node] !== NodeKind.switch) continue;
    for (const [rateBps, count] of own) ports.set(rateBps, (ports.get(rateBps) ?? 0) + count);
    const used = [...own.values()].reduce((sum, count) => sum + count, 0);
    const key = [...own].map(([rateBps, count]) => `${count}x${rateBps}`).join(' ');
    const same = models.get(key);
    if (same === undefined)
      models.set(key, {
        model: cheapestSwitch(own, prices),
        switches: 1,
        ports: used,
        fastestBps: Math.max(0, ...own.keys()),
      });
    else same.switches++;
  }
  const counted = [...cables.values()];
  counted.sort((a, b) => (a.kind === b.kind ? a.rateBps - b.rateBps : a.kind === 'copper' ? -1 : 1));
  const unknown: string[] = [];
  let [cost, watts] = [0, 0];
  const add = (price: Price | null | undefined, count: number, what: string): void => {
    if (price === null || price === undefined) unknown.push(what);
    else {
      cost += price.price * count;
      watts += price.watts * count;
    }
  };
  const byModel = new Map<string | null, { model: string | null; switches: number; ports: number }>();
  for (const { model, switches, ports: used, fastestBps } of models.values()) {
    add(model, switches, `a switch of ${used} ports, the fastest of ${formatRateBps(fastestBps)}`);
    const name = model === null ? null : model.name;
    const known = byModel.get(name);
    if (known === undefined) byModel.set(name, { model: name, switches, ports: used * switches });
    else {
      known.switches += switches;
      known.ports += used * switches;
    }
  }
  for (const { kind, rateBps, cables: count } of counted)
    add(prices[kind].get(rateBps), count, `${kind} of ${formatRateBps(rateBps)}`);
  const isKnown = unknown.length === 0;
  return {
    switches: [...models.values()].reduce((sum, { switches }) => sum + switches, 0),
    models: [...byModel.values()],
    ports: [...ports].map(([rateBps, count]) => ({ rateBps, ports: count })).sort((a, b) => a.rateBps - b.rateBps),
    cables: counted,
    cost: isKnown ? cost : null,
    watts: isKnown ? watts : null,
    unknown: [...new Set(unknown)],
  };
}

/**
 * The rack of every node, -1 for switches without hosts. Servers fill racks in order; a switch with hosts stands in the
 * rack with most of its links to hosts, in the first of these if there are several.
 */
function racksOf(fabric: Fabric, serversPerRack: number): Int32Array {
  const { nodeCount, nodeKind, nodeServer, portOffset, portNode, portPeer, hosts } = fabric;
  const rackOf = new Int32Array(nodeCount).fill(-1);
  for (const host of hosts) rackOf[host] = Math.floor(nodeServer[host]! / serversPerRack);
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] !== NodeKind.switch) continue;
    const links = new Map<number, number>();
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      if (nodeKind[peer] === NodeKind.host) links.set(rackOf[peer]!, (links.get(rackOf[peer]!) ?? 0) + 1);
    }
    let most = 0;
    for (const [rack, count] of links)
      if (count > most || (count === most && rack < rackOf[node]!)) [most, rackOf[node]] = [count, rack];
  }
  return rackOf;
}

/** The cheapest model that has all ports; null if none has. @param needed how many ports of each rate */
function cheapestSwitch(needed: ReadonlyMap<number, number>, { switches }: Prices): SwitchPrice | null {
  return switches.reduce<SwitchPrice | null>((best, model) => {
    let taken = 0;
    for (const [rateBps, count] of needed)
      taken += Math.ceil(count / Math.min(model.split, Math.floor(model.rateBps / rateBps)));
    // a rate above the model's makes the sum infinite
    return taken <= model.ports && (best === null || model.price < best.price) ? model : best;
  }, null);
}
