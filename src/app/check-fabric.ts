// What stands in a fabric, what is odd about its cables, and what changed since an earlier capture: `weft topology
// check`.
// Invariant: every cable is named by both its ends, with GUIDs where the file has them.

import { InputError, type Diagnostic } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import { fabricDifference, type FabricDifference } from '../fabric/fabric-difference.js';
import { findFaults, type FoundLink } from '../fabric/fabric-findings.js';
import { interfaceIndex, type Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { NodeNames } from '../fabric/node-names.js';
import { portIdentity } from '../fabric/port-identity.js';
import { summariseFabric, type FabricSummary } from '../fabric/summary.js';
import type {
  Cable,
  CableEnd,
  FabricChanges,
  FabricFindingReport,
  FabricHealth,
  FoundCable,
  NodeChange,
} from '../report/fabric-check-text.js';
import { unroutedFabric, type FabricRequest, type UnroutedFabric } from './routes/fabric-input.js';

export type {
  Cable,
  CableEnd,
  FabricChanges,
  FabricFindingReport,
  FabricHealth,
  FoundCable,
  NodeChange,
} from '../report/fabric-check-text.js';

/** Which fabric, and which earlier capture. */
export interface FabricCheckRequest extends Pick<FabricRequest, 'fabric' | 'guid2lid'> {
  readonly against?: FabricRequest['fabric'];
}

/** What was found. */
export interface FabricCheck extends FabricHealth {
  readonly name: string;
  readonly fabric: Fabric;
  readonly summary: FabricSummary;
  readonly warnings: readonly Diagnostic[];
  /** there is a fault, a difference to the earlier capture, or hosts that cannot reach each other */
  readonly isOdd: boolean;
  /** ports of cables at fault, with the kind of finding */
  readonly faultPorts: ReadonlyMap<number, FabricFindingReport['kind']>;
}

/** Checks a fabric. @throws InputError, HostFileError */
export async function checkFabric({ fabric, guid2lid, against }: FabricCheckRequest, host: Host): Promise<FabricCheck> {
  const read = await unroutedFabric(host, fabric, guid2lid);
  return checkRead(read, against === undefined ? null : await unroutedFabric(host, against));
}

/** Checks a fabric that was read. @param earlier capture of it, if there is one @throws InputError */
export function checkRead(
  { name, fabric, identity, warnings }: UnroutedFabric,
  earlier: UnroutedFabric | null,
): FabricCheck {
  const end = endsOf(fabric, identity);
  const numberOf = (port: number): number => identity?.portNumber[port] ?? interfaceIndex(fabric, port);
  const foundEnd = (link: FoundLink, i: 0 | 1): CableEnd => {
    const known = end(link.nodes[i], link.ports[i]);
    return link.ports[i] === null ? { ...known, port: link.expectedPorts?.[i] ?? null } : known;
  };
  const found = (link: FoundLink): FoundCable => ({
    ends: [foundEnd(link, 0), foundEnd(link, 1)],
    rateBps: link.rateBps,
    usualRateBps: link.usualRateBps,
  });
  const faults = findFaults(fabric, numberOf);
  const findings = faults.map(({ kind, isFault, links }) => ({ kind, isFault, links: links.map(found) }));
  const changes = earlier === null ? null : changesSince({ name, fabric, identity }, earlier);
  const summary = summariseFabric(fabric);
  const { unreachable } = summary;
  const isChanged = changes !== null && Object.values(changes).some((list: readonly unknown[]) => list.length > 0);
  return {
    name,
    fabric,
    identity,
    summary,
    findings,
    changes,
    warnings: [...warnings, ...(earlier?.warnings ?? [])],
    isOdd: isChanged || unreachable !== null || findings.some(({ isFault }) => isFault),
    apart: unreachable === null ? null : [end(unreachable.from, null), end(unreachable.to, null)],
    faultPorts: new Map(
      faults
        .filter(({ isFault }) => isFault)
        .flatMap(({ kind, links }) =>
          links.flatMap(({ ports }) => ports.flatMap((port) => (port === null ? [] : [[port, kind] as const]))),
        ),
    ),
  };
}

/** How ends of cables of a fabric are told. */
function endsOf(fabric: Fabric, identity: FabricIdentity | null): (node: number, port: number | null) => CableEnd {
  if (identity !== null) return (node, port) => portIdentity({ fabric, identity }, node, port);
  const names = new NodeNames(fabric);
  return (node, port) => ({
    guid: null,
    portGuid: null,
    lid: null,
    name: names.nameOf(node),
    port: port === null ? null : interfaceIndex(fabric, port),
  });
}

/** A capture by name. */
interface Capture {
  readonly name: string;
  readonly fabric: Fabric;
  readonly identity: FabricIdentity | null;
}

function changesSince(now: Capture, before: Capture): FabricChanges {
  const identified = [now, before].map(({ name, fabric, identity }) => {
    if (identity === null)
      throw InputError.about('no-guids', name, 'captures are compared by the GUIDs of their nodes, and this has none', {
        wanted: 'what ibnetdiscover or ibdiagnet prints',
        hint: 'weft topology generate … --format ibnetdiscover writes a plan with GUIDs',
      });
    return { fabric, identity };
  });
  const [own, other] = [identified[0]!, identified[1]!];
  const [end, endBefore] = [endsOf(own.fabric, own.identity), endsOf(other.fabric, other.identity)];
  const cableOf =
    ({ portNode, portPeer, portLink, linkRateBps }: Fabric, ends: typeof end) =>
    (port: number): Cable => {
      const peer = portPeer[port]!;
      return {
        ends: [ends(portNode[port]!, port), ends(portNode[peer]!, peer)],
        rateBps: linkRateBps[portLink[port]!]!,
      };
    };
  const [cable, cableBefore] = [cableOf(own.fabric, end), cableOf(other.fabric, endBefore)];
  const difference: FabricDifference = fabricDifference(own, other);
  const nodes = (pairs: FabricDifference['replaced']): NodeChange[] =>
    pairs.map((pair) => ({ now: end(pair.now, null), before: endBefore(pair.before, null) }));
  return {
    added: difference.added.map(cable),
    removed: difference.removed.map(cableBefore),
    moved: difference.moved.map((pair) => Object.assign(cable(pair.now), { before: cableBefore(pair.before).ends })),
    changedRate: difference.changedRate.map((pair) =>
      Object.assign(cable(pair.now), { beforeRateBps: cableBefore(pair.before).rateBps }),
    ),
    addedNodes: difference.addedNodes.map((node) => end(node, null)),
    removedNodes: difference.removedNodes.map((node) => endBefore(node, null)),
    replaced: nodes(difference.replaced),
    renumbered: nodes(difference.renumbered),
    renamed: nodes(difference.renamed),
  };
}
