// Nodes and ports as files of InfiniBand tools say them -> Fabric and identity. What the tools print differs
// (ibnetdiscover, ibdiagnet); what it has to fulfil does not.
// Invariants: every link stands on both its sides and both say the same; every host of the fabric is one linked port of
// an adapter. Hosts come first, then switches, each in the natural order of their names (node9 before node10), so that
// ranks do not depend on where the discovery began. Not kept: vendor and device ids, system image GUIDs, chassis.

import { FileProblems, wholeFile, type Position } from '../base/diagnostics.js';
import { maxLinks, FabricBuilder, NodeKind, type Fabric } from '../fabric/fabric.js';
import { guidText, maxLid, maxLmc, type AttachedPort, type FabricIdentity } from '../fabric/identity.js';
import { compareNaturally } from './natural-order.js';

/** A fabric with its identity. */
export interface IdentifiedFabric {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity;
}

/** Delay of every link: a few metres of cable and two transceivers; the file does not say. */
const assumedLatencyPs = 100_000;
const assumedRateBps = 100e9;

/** A linked port as a file says it. */
export interface PortRecord {
  readonly number: number;
  readonly guid: bigint | null;
  readonly remoteName: string;
  readonly remotePort: number;
  readonly lid: number;
  /** of an adapter's port: it has 2^lmc LIDs */
  readonly lmc: number;
  /** LID of the other end as this line says it; 0 or left out if it does not */
  readonly remoteLid?: number;
  readonly rateBps: number | null;
  readonly at: Position;
}

/** A node as a file says it. */
export interface NodeRecord {
  readonly name: string;
  readonly isSwitch: boolean;
  readonly isRouter: boolean;
  readonly radix: number;
  readonly description: string;
  readonly guid: bigint;
  /** of port 0 of a switch, where it is not the GUID of the node */
  readonly portGuid?: bigint;
  readonly lid: number;
  /** of a switch: it has 2^lmc LIDs */
  readonly lmc: number;
  readonly at: Position;
  readonly ports: Map<number, PortRecord>;
}

/** An end port: a switch, or a linked port of an adapter. */
interface End {
  readonly node: NodeRecord;
  readonly port: PortRecord | null;
}

/**
 * What switches of NVIDIA that reduce data on the way call the adapter within them; spines and cores have one as well.
 */
const aggregationNode = /\bAggregation Node\b/;

/**
 * Makes a fabric of what a file says of its nodes.
 * @param nodes by their names; ports name the other end by these
 * @param problems receives every mistake, and warnings about what was left out
 * @returns null if the records contradict each other
 */
export function fabricOfRecords(
  nodes: ReadonlyMap<string, NodeRecord>,
  problems: FileProblems,
): IdentifiedFabric | null {
  return new RecordsLayout(nodes, problems).build();
}

class RecordsLayout extends FileProblems {
  /** the other ends, in the order of nodes and their ports: nodes, and their ports */
  private readonly remoteNodes: NodeRecord[] = [];
  private readonly remotePorts: PortRecord[] = [];

  constructor(
    private readonly nodes: ReadonlyMap<string, NodeRecord>,
    { file, diagnostics }: FileProblems,
  ) {
    super(file, diagnostics);
  }

  build(): IdentifiedFabric | null {
    this.checkPeers();
    if (this.failed) return null;
    const ends: End[] = [];
    const attached: End[] = [];
    for (const node of this.nodes.values()) {
      if (node.isSwitch) ends.push({ node, port: null });
      else if (node.ports.size === 0)
        this.warning('unlinked-host', node.at, `${node.description} has no linked port and is left out`);
      else if (
        aggregationNode.test(node.description) &&
        [...node.ports.values()].every(({ remoteName }) => this.nodes.get(remoteName)!.isSwitch)
      )
        for (const port of node.ports.values()) attached.push({ node, port });
      else {
        if (node.isRouter)
          this.warning('router', node.at, `the router ${node.description} is taken for a host`, {
            hint: "OpenSM's own ftree gives routers no entry in any table",
          });
        for (const port of node.ports.values()) ends.push({ node, port });
      }
    }
    ends.sort(
      (a, b) =>
        Number(a.node.isSwitch) - Number(b.node.isSwitch) ||
        compareNaturally(a.node.description, b.node.description) ||
        (a.node.guid < b.node.guid ? -1 : a.node.guid > b.node.guid ? 1 : 0) ||
        (a.port?.number ?? 0) - (b.port?.number ?? 0),
    );
    if (ends.length + attached.length > maxLid) {
      this.error('too-large', wholeFile, 'the fabric has more end ports than there are LIDs', {
        got: String(ends.length + attached.length),
        wanted: `at most ${maxLid}`,
      });
      return null;
    }
    if (!ends.some(({ port }) => port !== null)) {
      this.error('no-host', wholeFile, 'there is no linked host in the file', { hint: 'is it complete?' });
      return null;
    }
    const hostLmc = this.checkLmc([...ends, ...attached]);
    if (this.failed) return null;
    this.checkUnique([...ends, ...attached]);
    if (attached.length > 0)
      this.warning(
        'aggregation-node',
        attached[0]!.node.at,
        `${attached.length} ports of aggregation nodes take no part in traffic: they are reached as their switches are`,
        { hint: "OpenSM's ftree refuses them, unless it is told roots and compute nodes (-a, -u)" },
      );
    return this.failed ? null : this.layOut(ends, attached, hostLmc);
  }

  /** Every port that is named at the other end stands there, and names this one. */
  private checkPeers(): void {
    let ports = 0;
    for (const node of this.nodes.values()) {
      for (const port of node.ports.values()) {
        ports++;
        const remote = this.nodes.get(port.remoteName);
        if (remote === undefined) {
          this.error(
            'unknown-node',
            port.at,
            `port ${port.number} of ${node.description} leads to a node that is not in the file`,
            { got: port.remoteName, hint: 'is the file cut off?' },
          );
          continue;
        }
        const back = remote.ports.get(port.remotePort);
        if (back === undefined) {
          const [code, message] =
            port.remotePort > remote.radix || port.remotePort < 1
              ? (['port-beyond-radix', `${remote.description} has ${remote.radix} ports`] as const)
              : ([
                  'one-sided-link',
                  `${remote.description} does not name the link at its port ${port.remotePort}`,
                ] as const);
          this.error(code, port.at, message, {
            got: `${port.remoteName}[${port.remotePort}]`,
            hint: 'is the file cut off or edited on one side only?',
          });
        } else if (back.remoteName !== node.name || back.remotePort !== port.number) {
          this.error(
            'contradicting-link',
            port.at,
            `port ${port.remotePort} of ${remote.description} leads elsewhere`,
            {
              got: `${back.remoteName}[${back.remotePort}] there, on line ${back.at.line}`,
              wanted: `${node.name}[${port.number}]`,
            },
          );
        } else {
          this.remoteNodes.push(remote);
          this.remotePorts.push(back);
          this.checkRemoteLid(port, remote, remote.isSwitch ? remote : back);
        }
      }
    }
    if (ports > 2 * maxLinks) this.error('too-large', wholeFile, `more than ${maxLinks} links`);
  }

  /** What a line says of the LID at the other end is what stands there. */
  private checkRemoteLid(
    { remoteLid = 0, at }: PortRecord,
    remote: NodeRecord,
    { lid, at: there }: { readonly lid: number; readonly at: Position },
  ): void {
    if (remoteLid === 0 || lid === 0 || remoteLid === lid) return;
    this.warning('contradicting-lid', at, `${remote.description} has another LID on its own line, which counts`, {
      got: String(remoteLid),
      wanted: `${lid}, as on line ${there.line}`,
      hint: 'is the file of one moment?',
    });
  }

  /** All hosts have one LMC, switches that or none, base LIDs fit it. @returns the hosts' */
  private checkLmc(ends: readonly End[]): number {
    const first = ends.find(({ port }) => port !== null)!;
    const { lmc } = first.port!;
    for (const { node, port } of ends) {
      const { lid, lmc: own, at } = port ?? node;
      if (own === (port === null ? 0 : lmc) || (own === lmc && lmc > 0)) {
        if (own <= maxLmc && lid % (1 << own) !== 0)
          this.error('bad-lid', at, `the base LID of ${node.description} does not fit its LMC`, {
            got: `lid ${lid} lmc ${own}`,
            wanted: `a multiple of ${1 << own}`,
          });
        else if (own <= maxLmc && lid + (1 << own) - 1 > maxLid)
          this.error('bad-lid', at, `the last LID of ${node.description} is out of range`, {
            got: `lid ${lid} lmc ${own}`,
            wanted: `at most ${maxLid}`,
          });
        if (own <= maxLmc) continue;
        this.error('several-lids', at, 'ports with so many LIDs are not supported', {
          got: `lmc ${own}`,
          wanted: `lmc 0 to ${maxLmc}`,
        });
        return 0;
      }
      this.error('different-lmc', at, `${node.description} has not the LMC of ${first.node.description}`, {
        got: `lmc ${own}`,
        wanted: port === null && lmc > 0 ? `lmc ${lmc} or 0` : `lmc ${lmc}`,
        hint: `that of ${first.node.description} is on line ${first.port!.at.line}`,
      });
      return 0;
    }
    return lmc;
  }

  private checkUnique(ends: readonly End[]): void {
    const lids = new Map<number, NodeRecord>();
    const guids = new Map<bigint, NodeRecord>();
    for (const { node, port } of ends) {
      const { lid: base, lmc } = port ?? node;
      const guid = portGuidOf(node, port);
      const last = base === 0 ? -1 : base + (1 << Math.min(lmc, maxLmc)) - 1;
      for (let lid = base; lid <= last; lid++) {
        if (lids.has(lid)) {
          this.error(
            'duplicate-lid',
            port?.at ?? node.at,
            `${node.description} has ${lmc > 0 ? 'a' : 'the'} LID of ${lids.get(lid)!.description}`,
            { got: lmc > 0 ? `${lid} of ${base} to ${last}` : String(lid) },
          );
          break;
        }
        lids.set(lid, node);
      }
      if (guids.has(guid))
        this.error(
          'duplicate-guid',
          port?.at ?? node.at,
          `${node.description} has the GUID of ${guids.get(guid)!.description}`,
          { got: guidText(guid) },
        );
      guids.set(guid, node);
    }
  }

  private layOut(ends: readonly End[], attached: readonly End[], hostLmc: number): IdentifiedFabric {
    const apart = new Set(attached.map(({ node }) => node));
    const builder = new FabricBuilder();
    /** of a switch itself, of an adapter's port */
    const idOf = new Map<NodeRecord | PortRecord, number>();
    for (const { node, port } of ends)
      idOf.set(port ?? node, builder.addNode(port === null ? NodeKind.switch : NodeKind.host));
    const numbers: number[] = [];
    let place = 0;
    for (const node of this.nodes.values()) {
      for (const port of node.ports.values()) {
        const remote = this.remoteNodes[place]!;
        const there = this.remotePorts[place++]!;
        if (apart.size > 0 && (apart.has(node) || apart.has(remote))) continue;
        const own = idOf.get(node.isSwitch ? node : port)!;
        const other = idOf.get(remote.isSwitch ? remote : there)!;
        if (own === other) {
          if (port.number <= port.remotePort)
            this.warning('loopback', port.at, `a cable from ${node.description} to itself is left out`);
          continue;
        }
        if (own > other) continue;
        const rateBps = Math.min(port.rateBps ?? Infinity, there.rateBps ?? Infinity);
        if (port.rateBps !== null && there.rateBps !== null && port.rateBps !== there.rateBps)
          this.warning(
            'contradicting-rate',
            port.at,
            `the two ends of the link from ${node.description} to ${remote.description} have not the same speed: the slower one is taken`,
            { hint: `the other end is on line ${there.at.line}` },
          );
        builder.addLink(own, other, rateBps === Infinity ? assumedRateBps : rateBps, assumedLatencyPs);
        numbers.push(port.number, port.remotePort);
      }
    }
    const fabric = builder.build(numbers);
    const portNumber = new Uint8Array(fabric.portCount);
    for (let end = 0; end < numbers.length; end++) portNumber[fabric.linkPorts[end]!] = numbers[end]!;
    return {
      fabric,
      identity: {
        nodeName: ends.map(({ node }) => node.description),
        nodeGuid: BigUint64Array.from(ends, ({ node }) => node.guid),
        portGuid: BigUint64Array.from(ends, ({ node, port }) => portGuidOf(node, port)),
        lid: Uint16Array.from(ends, ({ node, port }) => (port === null ? node.lid : port.lid)),
        ...(hostLmc > 0 ? { lmc: Uint8Array.from(ends, ({ node, port }) => (port ?? node).lmc) } : {}),
        radix: Uint8Array.from(ends, ({ node }) => node.radix),
        portNumber,
        ...(attached.length > 0
          ? {
              attached: attached.map(({ node, port }): AttachedPort => ({
                name: node.description,
                nodeGuid: node.guid,
                portGuid: portGuidOf(node, port),
                lid: port!.lid,
                ownPort: port!.number,
                switchNode: idOf.get(this.nodes.get(port!.remoteName)!)!,
                switchPort: port!.remotePort,
              })),
            }
          : {}),
      },
    };
  }
}

/** The GUID of an end port; an adapter that does not say counts its ports from its own GUID. */
function portGuidOf(node: NodeRecord, port: PortRecord | null): bigint {
  return port === null
    ? (node.portGuid ?? node.guid)
    : (port.guid ?? BigInt.asUintN(64, node.guid + BigInt(port.number)));
}
