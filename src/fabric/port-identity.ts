// Which node or port of an InfiniBand network is meant, and how it is called: one answer for all readers and printers.
// Invariants: a port is found by the GUID of its node, by that of its end port, or by a LID, each with its number; where
// several nodes share a name, the GUID of the end port stands behind it.

import { addTo, listsBy } from '../base/lists-by-key.js';
import type { Fabric } from './fabric.js';
import { guidText, lidCount, type FabricIdentity } from './identity.js';

/** A fabric whose nodes have names, GUIDs and LIDs. */
interface Identified {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity;
}

/** A port as all JSON has it. */
export interface PortIdentity {
  /** GUID of its node, and of the end port: that of the port itself on adapters, of port 0 on switches */
  readonly guid: string;
  readonly portGuid: string;
  readonly lid: number;
  /** what the node is called; several may be called alike */
  readonly name: string;
  /** number of the port on its node, from 1; null where nobody knows it */
  readonly port: number | null;
}

/** Ports by what files call them. */
export class PortIndex {
  private readonly nodesOfGuid = new Map<bigint, number[]>();
  private readonly nodeOfPortGuid = new Map<bigint, number>();
  private readonly nodeOfLid = new Map<number, number>();
  /** made when a name is looked up */
  private nodesOfName: ReadonlyMap<string, readonly number[]> | null = null;

  constructor(private readonly source: Identified) {
    const { fabric, identity } = source;
    for (let node = 0; node < fabric.nodeCount; node++) {
      const guid = identity.nodeGuid[node]!;
      addTo(this.nodesOfGuid, guid, node);
      this.nodeOfPortGuid.set(identity.portGuid[node]!, node);
      const lid = identity.lid[node]!;
      if (lid === 0) continue;
      for (let own = lid; own < lid + lidCount(identity, node); own++) this.nodeOfLid.set(own, node);
    }
  }

  /** The port of that number on the node, or the end port, of that GUID; undefined if there is none with a link. */
  ofGuid(guid: bigint, number: number): number | undefined {
    for (const node of this.nodesOfGuid.get(guid) ?? []) {
      const port = this.numbered(node, number);
      if (port !== undefined) return port;
    }
    return this.numbered(this.nodeOfPortGuid.get(guid), number);
  }

  /** The port of that number on the node of that LID; undefined if there is none with a link. */
  ofLid(lid: number, number: number): number | undefined {
    return this.numbered(this.nodeOfLid.get(lid), number);
  }

  /**
   * Nodes that people may mean: by name, by what {@link shownName} prints, by the GUID of the node or of its end port
   * (`0x…`), or by a LID (`lid 12`). Several have one name, or are ports of one adapter.
   */
  meant(text: string): readonly number[] {
    const { identity } = this.source;
    const own = text.trim();
    const lid = /^lid (\d{1,5})$/i.exec(own);
    if (lid !== null) return listed(this.nodeOfLid.get(Number(lid[1])));
    if (/^0x[0-9a-f]{1,16}$/i.test(own)) {
      const end = this.nodeOfPortGuid.get(BigInt(own));
      return this.nodesOfGuid.get(BigInt(own)) ?? listed(end);
    }
    this.nodesOfName ??= listsBy(identity.nodeName.keys(), (node) => identity.nodeName[node]!);
    const named = this.nodesOfName.get(own);
    if (named !== undefined) return named;
    const [, name = '', guid = ''] = /^(.*\S)\s+(0x[0-9a-f]{1,16})$/i.exec(own) ?? [];
    return guid === '' ? [] : this.meant(guid).filter((node) => identity.nodeName[node] === name);
  }

  /** Whether a node or an end port of the fabric has this GUID. */
  hasGuid(guid: bigint): boolean {
    return this.nodesOfGuid.has(guid) || this.nodeOfPortGuid.has(guid);
  }

  /** Whether a node of the fabric has this LID. */
  hasLid(lid: number): boolean {
    return this.nodeOfLid.has(lid);
  }

  private numbered(node: number | undefined, number: number): number | undefined {
    if (node === undefined) return undefined;
    const { portOffset } = this.source.fabric;
    const { portNumber } = this.source.identity;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
      if (portNumber[port] === number) return port;
    return undefined;
  }
}

function listed(node: number | undefined): readonly number[] {
  return node === undefined ? [] : [node];
}

/** What a node is called, and a port of it. @param port of the fabric; null = none is meant */
export function portIdentity({ identity }: Identified, node: number, port: number | null): PortIdentity {
  return {
    guid: guidText(identity.nodeGuid[node]!),
    portGuid: guidText(identity.portGuid[node]!),
    lid: identity.lid[node]!,
    name: identity.nodeName[node]!,
    port: port === null ? null : identity.portNumber[port]!,
  };
}

/** GUID of the end port of a node, as OpenSM's files have it. */
export function endGuid({ portGuid }: FabricIdentity, node: number): string {
  return guidText(portGuid[node]!);
}

/** names that several nodes have, by the list of names */
const shared = new WeakMap<readonly string[], ReadonlySet<string>>();

/** What people read: the name of a node, with the GUID of its end port if other nodes have that name as well. */
export function shownName(identity: FabricIdentity, node: number): string {
  const name = identity.nodeName[node]!;
  return isShared(identity.nodeName, name) ? `${name} ${endGuid(identity, node)}` : name;
}

/** The same of all nodes. */
export function shownNames(identity: FabricIdentity): string[] {
  return identity.nodeName.map((_, node) => shownName(identity, node));
}

/** Whether several of the nodes are called so. @param names of all nodes */
export function isShared(names: readonly string[], name: string): boolean {
  let doubles = shared.get(names);
  if (doubles === undefined) {
    const seen = new Set<string>();
    doubles = new Set(names.filter((own) => seen.size === seen.add(own).size));
    shared.set(names, doubles);
  }
  return doubles.has(name);
}
