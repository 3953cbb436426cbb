// What people call the nodes of a fabric: by tier and place in it, such as `host[3]`, `leaf[2]`, `spine[0]`, `core[1]`,
// `nvswitch[4]` (`pcie[4]` where GPUs have no NVLink; `nvswitch` is understood there), and within a server or a plane:
// `server[2].gpu[1]`, `server[2].nic[0]`, `plane[1].spine[3]`.
// Invariants: brackets count from 0, in ascending order of ids; every node has exactly one name by its tier, and
// resolving it gives the node back. Tiers are levels from the hosts (switch-levels.ts), so files without names have
// them, too. Where a fabric has names, GUIDs and LIDs of InfiniBand, nodes are printed by these and found by either.

import { interfaceIndex, NodeKind, serverCount, type Fabric } from './fabric.js';
import type { FabricIdentity } from './identity.js';
import { nicNumbers, switchPlanes } from './nics.js';
import { endGuid, PortIndex, shownName } from './port-identity.js';
import { serverSwitchNames } from './server-switch.js';
import { levelWord, nvswitchLevel, switchLevels } from './switch-levels.js';

/** Nodes that share a word. */
export interface NodeTier {
  /**
   * `host`, `nvswitch` (`pcie` where GPUs have no NVLink), `leaf`, `spine`, `core`, `tier4`, ...; `switch` for those
   * that no host reaches
   */
  readonly word: string;
  /** ids, ascending */
  readonly nodes: Int32Array;
}

/** What a name stands for. */
export interface NamedNode {
  readonly node: number;
  /** port of the NIC, if the name is that of a NIC; else -1 */
  readonly port: number;
}

/** Why a name stands for nothing. */
export interface NodeNameProblem {
  readonly got: string;
  readonly wanted: string;
  /** a word that is not known, and those that would be: for "did you mean" */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
  /** what is wrong, where it is not that the name stands for nothing */
  readonly message?: string;
}

/** Words of other trades for the same tiers. */
const otherWords: Readonly<Record<string, string>> = {
  rank: 'host',
  gpu: 'host',
  tor: 'leaf',
  edge: 'leaf',
  asw: 'leaf',
  aggregation: 'spine',
  psw: 'spine',
};

const step = /^([a-z][a-z0-9]*)\[(\d{1,9})\]$/i;

/** `edge is another word for leaf`; null if no word of a text is another word for one of Weft's. */
export function otherWordsText(text: string): string | null {
  const said = new Map<string, string>();
  for (const [, word] of text.toLowerCase().matchAll(/([a-z][a-z0-9]*)\[/g))
    if (Object.hasOwn(otherWords, word!)) said.set(word!, otherWords[word!]!);
  return said.size === 0 ? null : [...said].map(([word, own]) => `${word} is another word for ${own}`).join(', ');
}

/** True of text that means a name: a word and a bracket. */
export function looksLikeNodeName(text: string): boolean {
  return /^\s*[a-z][a-z0-9]*\s*\[/i.test(text);
}

export class NodeNames {
  private tierList: readonly NodeTier[] | null = null;
  private nicOf: Int32Array | null = null;
  private identityIndex: PortIndex | null = null;
  private planes: ReturnType<typeof switchPlanes> | null = null;

  constructor(private readonly fabric: Fabric) {}

  /** All tiers: hosts, NVSwitches, then switches from the hosts up. Linear in the links, once. */
  get tiers(): readonly NodeTier[] {
    return (this.tierList ??= nodeTiers(this.fabric));
  }

  /** The name of a node: its own on InfiniBand, else by its tier, such as `leaf[2]`. */
  nameOf(node: number): string {
    const { identity } = this.fabric;
    if (identity !== undefined) return shownName(identity, node);
    for (const { word, nodes } of this.tiers) {
      const index = indexIn(nodes, node);
      if (index >= 0) return `${word}[${index}]`;
    }
    return `node ${node}`;
  }

  /**
   * A port as people read it: the name of its node and its interface, from 1: `leaf[2]:3`; on InfiniBand the number
   * of the port, `leaf02[3]`.
   */
  portName(port: number): string {
    const node = this.fabric.portNode[port]!;
    const { identity } = this.fabric;
    if (identity !== undefined) return `${shownName(identity, node)}[${identity.portNumber[port]!}]`;
    return `${this.nameOf(node)}:${interfaceIndex(this.fabric, port)}`;
  }

  /** The node that a name stands for; case counts for nothing, except in names of InfiniBand. */
  find(text: string): NamedNode | NodeNameProblem {
    const { identity } = this.fabric;
    return (identity === undefined ? null : this.identified(text, identity)) ?? this.inTiers(text);
  }

  /** The port that a text such as `leaf02[3]` stands for; null where it is none on InfiniBand. */
  findPort(text: string): NamedNode | NodeNameProblem | null {
    const { identity } = this.fabric;
    const [, name = '', digits = ''] = /^(.*\S)\s*\[(\d{1,3})\]\s*$/.exec(text) ?? [];
    if (identity === undefined || digits === '') return null;
    const nodes = this.index(identity).meant(name);
    if (nodes.length !== 1) return nodes.length === 0 ? null : severalMeant(name, nodes, identity);
    const [node] = nodes;
    const port = this.index(identity).ofGuid(identity.portGuid[node!]!, Number(digits));
    if (port !== undefined) return { node: node!, port };
    const { portOffset } = this.fabric;
    const numbers = identity.portNumber.slice(portOffset[node!], portOffset[node! + 1]).sort();
    return { got: text.trim(), wanted: `a port of ${name} with a link: ${idRanges(numbers, 8)}` };
  }

  private index(identity: FabricIdentity): PortIndex {
    return (this.identityIndex ??= new PortIndex({ fabric: this.fabric, identity }));
  }

  /** Who is meant on InfiniBand; null: nobody, and it may be a name by tier. */
  private identified(text: string, identity: FabricIdentity): NamedNode | NodeNameProblem | null {
    const nodes = this.index(identity).meant(text);
    if (nodes.length === 1) return { node: nodes[0]!, port: -1 };
    if (nodes.length > 1) return severalMeant(text, nodes, identity);
    if (looksLikeNodeName(text)) return null;
    const few = [...new Set(identity.nodeName)].slice(0, 3).map((name) => `"${name}"`);
    return {
      got: text,
      wanted: `a node of the capture: its name, such as ${few.join(', ')}, a GUID (0x…), or lid 12`,
      unknown: { word: text.toLowerCase(), known: identity.nodeName },
    };
  }

  private inTiers(text: string): NamedNode | NodeNameProblem {
    const steps = text.trim().split('.');
    const parsed = steps.map((part) => step.exec(part.trim()));
    if (parsed.length > 2 || parsed.some((match) => match === null))
      return { got: text, wanted: `a name such as ${this.examples()}, counted from 0` };
    const [first, second] = parsed.map((match) => ({ word: match![1]!.toLowerCase(), index: Number(match![2]!) }));
    if (first!.word === 'server') return this.inServer(text, first!.index, second);
    if (first!.word === 'plane') return this.inPlane(text, first!.index, second);
    const tier = this.inTier(text, this.tiers, first!);
    if (!('node' in tier) || second === undefined) return tier;
    if (second.word !== 'nic' || this.fabric.nodeKind[tier.node] !== NodeKind.host)
      return { got: text, wanted: 'host[i].nic[j] where two words follow each other' };
    return this.nic(text, [tier.node], second.index);
  }

  private inTier(
    text: string,
    tiers: readonly NodeTier[],
    { word, index }: { readonly word: string; readonly index: number },
    prefix = '',
  ): NamedNode | NodeNameProblem {
    const tier =
      tiers.find((other) => other.word === word) ??
      (word === 'nvswitch' ? tiers.find((other) => other.word === serverSwitchNames(this.fabric).word) : undefined) ??
      (Object.hasOwn(otherWords, word) ? tiers.find((other) => other.word === otherWords[word]) : undefined);
    if (tier === undefined)
      return {
        got: text,
        wanted: listed(tiers.map(({ word: known, nodes }) => rangeText(`${prefix}${known}`, nodes.length))),
        unknown: { word, known: [...tiers.map(({ word: known }) => known), ...(prefix === '' ? ['server'] : [])] },
      };
    if (index < tier.nodes.length) return { node: tier.nodes[index]!, port: -1 };
    return { got: text, wanted: rangeText(`${prefix}${word}`, tier.nodes.length) };
  }

  private inServer(
    text: string,
    server: number,
    part: { readonly word: string; readonly index: number } | undefined,
  ): NamedNode | NodeNameProblem {
    const { fabric } = this;
    const servers = serverCount(fabric);
    if (server >= servers) return { got: text, wanted: rangeText('server', servers) };
    const gpus = fabric.hosts.subarray(server * fabric.gpusPerServer, (server + 1) * fabric.gpusPerServer);
    const prefix = `server[${server}].`;
    if (part === undefined) return { got: text, wanted: `a part of the server, such as ${prefix}gpu[0]` };
    if (part.word === 'nic') return this.nic(text, gpus, part.index, prefix);
    const nvswitches = Int32Array.from(linkedNvswitches(fabric, gpus));
    const parts = [{ word: 'gpu', nodes: gpus }];
    if (nvswitches.length > 0) parts.push({ word: serverSwitchNames(fabric).word, nodes: nvswitches });
    const word = part.word === 'host' ? 'gpu' : part.word;
    const found = this.inTier(text, parts, { word, index: part.index }, prefix);
    if (!('unknown' in found) || found.unknown === undefined) return found;
    const { known } = found.unknown;
    return { ...found, wanted: `${found.wanted}, or ${prefix}nic[0]`, unknown: { word, known: [...known, 'nic'] } };
  }

  /** NIC `index` of hosts: over the hosts in turn, over their links in turn, links to NVSwitches not counted. */
  private nic(text: string, hosts: ArrayLike<number>, index: number, prefix = ''): NamedNode | NodeNameProblem {
    const { portOffset } = this.fabric;
    this.nicOf ??= nicNumbers(this.fabric);
    let count = 0;
    for (let i = 0; i < hosts.length; i++) {
      const host = hosts[i]!;
      for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
        if (this.nicOf[port]! > 0 && count++ === index) return { node: host, port };
    }
    return { got: text, wanted: count === 0 ? 'a host with NICs' : rangeText(`${prefix}nic`, count) };
  }

  private inPlane(
    text: string,
    plane: number,
    part: { readonly word: string; readonly index: number } | undefined,
  ): NamedNode | NodeNameProblem {
    this.planes ??= switchPlanes(this.fabric);
    const { planeOf, count } = this.planes;
    if (plane >= count) return { got: text, wanted: count === 0 ? 'a fabric with planes' : rangeText('plane', count) };
    const tiers = this.tiers
      .map(({ word, nodes }) => ({ word, nodes: nodes.filter((node) => planeOf[node] === plane + 1) }))
      .filter(({ nodes }) => nodes.length > 0);
    const prefix = `plane[${plane}].`;
    if (part === undefined)
      return { got: text, wanted: `a switch of the plane, such as ${prefix}${tiers[0]?.word ?? 'leaf'}[0]` };
    return this.inTier(text, tiers, part, prefix);
  }

  private examples(): string {
    return listed(this.tiers.map(({ word }) => `${word}[0]`));
  }
}

/** Several nodes have the name, or are ports of the adapter: the GUIDs that tell them apart. */
function severalMeant(text: string, nodes: readonly number[], identity: FabricIdentity): NodeNameProblem {
  const few = nodes.slice(0, 4).map((node) => {
    const lid = identity.lid[node]!;
    return `${endGuid(identity, node)}${lid === 0 ? '' : ` (lid ${lid})`}`;
  });
  const more = nodes.length - few.length;
  return {
    got: text,
    message: `${text.trim()} is what ${nodes.length} nodes are called`,
    wanted: `one of their GUIDs: ${few.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  };
}

/** Hosts, NVSwitches, switches by level, and switches that no host reaches. */
function nodeTiers(fabric: Fabric): NodeTier[] {
  const levels = switchLevels(fabric);
  const tiers: NodeTier[] = [];
  const add = (word: string, isOf: (node: number) => boolean): void => {
    const nodes = Int32Array.from(fabric.nodeKind.keys()).filter(isOf);
    if (nodes.length > 0) tiers.push({ word, nodes });
  };
  const { nodeKind } = fabric;
  add('host', (node) => nodeKind[node] === NodeKind.host);
  add(serverSwitchNames(fabric).word, (node) => levels[node] === nvswitchLevel);
  const highest = levels.reduce((most, level) => Math.max(most, level), 0);
  for (let level = 1; level <= highest; level++) add(levelWord(level), (node) => levels[node] === level);
  add('switch', (node) => nodeKind[node] === NodeKind.switch && levels[node] === 0);
  return tiers;
}

/** NVSwitches that are linked to one of the hosts, ascending. */
function linkedNvswitches({ nodeKind, portOffset, portNode, portPeer }: Fabric, hosts: Int32Array): number[] {
  const found = new Set<number>();
  for (const host of hosts)
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      if (nodeKind[peer] === NodeKind.nvswitch) found.add(peer);
    }
  return [...found].sort((a, b) => a - b);
}

/** Place of a number in an ascending list; -1 if it is not there. */
function indexIn(ascending: Int32Array, wanted: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = ascending[middle]!;
    if (value === wanted) return middle;
    if (value < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** `spine[0] to spine[7]` */
function rangeText(word: string, count: number): string {
  return count === 1 ? `${word}[0], the only one` : `${word}[0] to ${word}[${count - 1}]`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]!}`;
}

/** All names of a tier: `leaf[0..15]`, or `leaf[0]` */
export function namesText(word: string, count: number): string {
  return count === 1 ? `${word}[0]` : `${word}[0..${count - 1}]`;
}

/** Ids as ranges: `16-20, 24`. @param most ranges that are written; further ones are counted */
export function idRanges(ascending: ArrayLike<number>, most = 4): string {
  const ranges: string[] = [];
  for (let i = 0; i < ascending.length;) {
    let end = i;
    while (end + 1 < ascending.length && ascending[end + 1] === ascending[end]! + 1) end++;
    ranges.push(end === i ? String(ascending[i]) : `${ascending[i]}-${ascending[end]}`);
    i = end + 1;
  }
  const more = ranges.length - most;
  return more > 0 ? `${ranges.slice(0, most).join(', ')}, and ${more} more ranges` : ranges.join(', ');
}
