// Links of a subnet, one after the other, each with both its ends -> the records of subnet-records.ts. Some tools print
// links (ibnetdiscover -p, ibdiagnet), not nodes with their ports.
// Invariants: a link may come twice, once from each side; a port has one link at most, else it is a mistake with its
// place; a link counts with the slowest of the rates that are said of it.

import { FileProblems, type Position } from '../base/diagnostics.js';
import { maxNodes } from '../fabric/fabric.js';
import { guidText, maxLid, maxRadix } from '../fabric/identity.js';
import { fabricOfRecords, type IdentifiedFabric, type PortRecord } from './subnet-records.js';

/** A node as an end of a link says it. */
export interface SubnetNode {
  /** `SW`, `CA` or `RT` */
  readonly kind: string;
  /** tells nodes apart */
  readonly guid: bigint;
  /** of port 0 of a switch, where it is known */
  readonly portGuid?: bigint;
  /** "" if it is not known */
  readonly description: string;
  /** number of ports; 0 if it is not known: then the highest that has a link */
  readonly radix: number;
  /** of a switch; 0 if it is not known */
  readonly lid: number;
  /** of a switch; 0 if it is not known */
  readonly lmc?: number;
}

/** One end of a link. */
export interface SubnetEnd {
  readonly node: SubnetNode;
  readonly port: number;
  /** of an adapter's port; null if it is not known */
  readonly portGuid: bigint | null;
  /** of an adapter's port; 0 if it is not known */
  readonly portLid: number;
  /** of an adapter's port; 0 if it is not known */
  readonly portLmc?: number;
}

interface Draft {
  node: SubnetNode;
  radix: number;
  readonly at: Position;
  readonly ports: Map<number, PortRecord>;
}

/** Collects links of one file. */
export class SubnetLinks extends FileProblems {
  private readonly nodes = new Map<string, Draft>();

  /** Adds a link, or the other side of one that is there. @param rateBps of both directions */
  add(a: SubnetEnd, b: SubnetEnd, rateBps: number, at: Position): void {
    for (const { node, port, portLid } of [a, b]) {
      if (port < 1 || port > maxRadix || node.radix > maxRadix || (node.radix > 0 && port > node.radix)) {
        const most = node.radix > 0 && node.radix <= maxRadix ? node.radix : maxRadix;
        this.refuse('port-beyond-radix', at, `${nameOf(node)} has no such port`, String(port), `1 to ${most}`);
        return;
      }
      if (Math.max(node.lid, portLid) > maxLid) {
        this.refuse('bad-lid', at, 'the LID is out of range', String(Math.max(node.lid, portLid)), `0 to ${maxLid}`);
        return;
      }
    }
    if (this.nodes.size >= maxNodes) {
      this.refuse('too-large', at, `more than ${maxNodes} nodes`, '', '');
      return;
    }
    this.half(a, b, rateBps, at);
    this.half(b, a, rateBps, at);
  }

  /** The fabric of all links; null after mistakes. */
  build(): IdentifiedFabric | null {
    if (this.failed) return null;
    const records = [...this.nodes].map(([name, { node, radix, at, ports }]) => {
      const { kind, guid, portGuid, description, lid, lmc } = node;
      const isSwitch = kind === 'SW';
      return [
        name,
        {
          name,
          isSwitch,
          isRouter: kind === 'RT',
          radix,
          description: description === '' ? name : description,
          guid,
          ...(isSwitch && portGuid !== undefined ? { portGuid } : {}),
          lid: isSwitch ? lid : 0,
          lmc: isSwitch ? (lmc ?? 0) : 0,
          at,
          ports,
        },
      ] as const;
    });
    return fabricOfRecords(new Map(records), this);
  }

  private half(own: SubnetEnd, other: SubnetEnd, rateBps: number, at: Position): void {
    const name = keyOf(own.node);
    let draft = this.nodes.get(name);
    if (draft === undefined) this.nodes.set(name, (draft = { node: own.node, radix: 0, at, ports: new Map() }));
    if (draft.node.description === '' && own.node.description !== '') draft.node = own.node;
    draft.radix = Math.max(draft.radix, own.node.radix, own.port);
    const there = draft.ports.get(own.port);
    const remoteName = keyOf(other.node);
    if (there !== undefined && (there.remoteName !== remoteName || there.remotePort !== other.port)) {
      this.refuse(
        'contradicting-link',
        at,
        `port ${own.port} of ${nameOf(own.node)} has another link on line ${there.at.line}`,
        `${nameOf(other.node)}[${other.port}]`,
        'one link of a port',
      );
      return;
    }
    const lidBefore = own.node.kind === 'SW' ? draft.node.lid : (there?.lid ?? 0);
    const lidNow = own.node.kind === 'SW' ? own.node.lid : own.portLid;
    if (lidBefore > 0 && lidNow > 0 && lidBefore !== lidNow) {
      this.refuse(
        'contradicting-lid',
        at,
        `${nameOf(own.node)} has another LID on line ${(there ?? draft).at.line}`,
        String(lidNow),
        String(lidBefore),
      );
      return;
    }
    draft.ports.set(own.port, {
      number: own.port,
      guid: own.portGuid ?? there?.guid ?? null,
      remoteName,
      remotePort: other.port,
      lid: own.node.kind === 'SW' ? 0 : Math.max(own.portLid, there?.lid ?? 0),
      lmc: own.node.kind === 'SW' ? 0 : Math.max(own.portLmc ?? 0, there?.lmc ?? 0),
      rateBps: Math.min(rateBps, there?.rateBps ?? Infinity),
      at: there?.at ?? at,
    });
  }

  private refuse(code: string, at: Position, message: string, got: string, wanted: string): void {
    this.error(code, at, message, got === '' ? {} : { got, wanted });
  }
}

function keyOf({ guid }: SubnetNode): string {
  return guidText(guid);
}

function nameOf(node: SubnetNode): string {
  return node.description === '' ? keyOf(node) : node.description;
}
