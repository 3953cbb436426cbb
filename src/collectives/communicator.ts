// A communicator: the ranks of one group on a fabric, and what an algorithm wants to know of them: who shares a server,
// who has a NIC, which NVSwitches a server has. Rank r of a job is the r-th host of the fabric; place p of a
// communicator is the p-th rank of its group.
// Invariants: servers are numbered in the order in which the group names them; the places of a server keep the order of
// the group.

import { addTo } from '../base/lists-by-key.js';
import { fail } from '../base/fail.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { canSumInServer } from '../fabric/gpu-types.js';
import { lacksNvlink } from '../fabric/gpus-without-nvlink.js';
import { isMesh } from '../fabric/server-mesh.js';

/** Where the places of a communicator are, as far as algorithms need it. */
export interface Placement {
  readonly rankCount: number;
  /** by place: which of the communicator's servers, and which of its ranks there */
  readonly serverOf: Int32Array;
  readonly localOf: Int32Array;
  /** by place: which GPU of its server, whoever else is in the communicator: its rail */
  readonly railOf: Int32Array;
  /** by server: its places */
  readonly servers: readonly Int32Array[];
  /** by server: places whose GPU has a link to the network beyond NVLink */
  readonly nicOwners: readonly Int32Array[];
  /** by server: places of its NVSwitches, rankCount and up; PCIe switches are none */
  readonly switches: readonly Int32Array[];
  readonly switchCount: number;
  /** whether those NVSwitches sum (NVLS) */
  readonly sumsInSwitches: boolean;
  /** whether each two GPUs of a server are cabled to each other, and some server has several */
  readonly isMeshed: boolean;
}

export class Communicator implements Placement {
  readonly rankCount: number;
  readonly serverOf: Int32Array;
  readonly localOf: Int32Array;
  readonly railOf: Int32Array;
  readonly servers: readonly Int32Array[];
  readonly nicOwners: readonly Int32Array[];
  readonly switches: readonly Int32Array[];
  readonly switchCount: number;
  readonly sumsInSwitches: boolean;
  readonly isMeshed: boolean;
  /** node of each place: the host of a rank, or an NVSwitch */
  readonly nodes: Int32Array;

  /** @param ranks of the job, each once */
  constructor(
    readonly fabric: Fabric,
    readonly ranks: Int32Array,
  ) {
    const { hosts, nodeServer, gpusPerServer } = fabric;
    const count = ranks.length;
    const hostNodes = Array.from(ranks, (rank) => hosts[rank] ?? fail(`rank ${rank} of ${hosts.length} hosts`));
    if (new Set(hostNodes).size !== count) fail('a communicator with a rank twice');
    this.rankCount = count;
    const placesOf = new Map<number, number[]>();
    hostNodes.forEach((host, place) => {
      const server = nodeServer[host]!;
      addTo(placesOf, server, place);
    });
    this.servers = Array.from(placesOf.values(), (places) => Int32Array.from(places));
    this.serverOf = new Int32Array(count);
    this.localOf = new Int32Array(count);
    this.railOf = Int32Array.from(ranks, (rank) => rank % gpusPerServer);
    this.servers.forEach((places, server) => {
      places.forEach((place, local) => {
        this.serverOf[place] = server;
        this.localOf[place] = local;
      });
    });
    const placeOfSwitch = new Map<number, number>();
    const hasNvlink = !lacksNvlink(fabric.gpuType);
    this.switches = this.servers.map((places) => {
      if (!hasNvlink) return new Int32Array(0);
      const shared = sharedNvswitches(
        fabric,
        Array.from(places, (place) => hostNodes[place]!),
      );
      for (const node of shared) if (!placeOfSwitch.has(node)) placeOfSwitch.set(node, count + placeOfSwitch.size);
      return Int32Array.from(shared, (node) => placeOfSwitch.get(node)!);
    });
    this.switchCount = placeOfSwitch.size;
    this.sumsInSwitches = canSumInServer(fabric.gpuType);
    const several = this.servers.filter(({ length }) => length > 1);
    this.isMeshed =
      several.length > 0 &&
      several.every((places) =>
        isMesh(
          fabric,
          Array.from(places, (place) => hostNodes[place]!),
        ),
      );
    this.nicOwners = this.servers.map((places) => places.filter((place) => hasNic(fabric, hostNodes[place]!)));
    this.nodes = Int32Array.from([...hostNodes, ...placeOfSwitch.keys()]);
  }
}

/** Most and fewest ranks that a server has of a placement. */
export function ranksPerServer({ servers }: Placement): { readonly most: number; readonly fewest: number } {
  let most = 0;
  let fewest = Infinity;
  for (const { length } of servers) {
    most = Math.max(most, length);
    fewest = Math.min(fewest, length);
  }
  return { most, fewest };
}

/** True if a move stays within a server; one to or from an NVSwitch does. */
export function isWithinServer(
  { rankCount, serverOf }: Pick<Placement, 'rankCount' | 'serverOf'>,
  source: number,
  destination: number,
): boolean {
  return source >= rankCount || destination >= rankCount || serverOf[source] === serverOf[destination];
}

/**
 * The places of a server that can speak to other servers, in order: those with a NIC; all, if there is one server or no
 * NIC at all.
 */
export function speakersOf({ servers, nicOwners }: Placement, server: number): Int32Array {
  return servers.length > 1 && nicOwners[server]!.length > 0 ? nicOwners[server]! : servers[server]!;
}

/** Ids of the NVSwitches that every one of these hosts is linked to, ascending. */
function sharedNvswitches(fabric: Fabric, hosts: readonly number[]): number[] {
  const linked = new Map<number, number>();
  for (const host of hosts) {
    const own = new Set(neighbours(fabric, host).filter((node) => fabric.nodeKind[node] === NodeKind.nvswitch));
    for (const node of own) linked.set(node, (linked.get(node) ?? 0) + 1);
  }
  return [...linked]
    .filter(([, times]) => times === hosts.length)
    .map(([node]) => node)
    .sort((a, b) => a - b);
}

function hasNic(fabric: Fabric, host: number): boolean {
  const { nodeKind, nodeServer } = fabric;
  return neighbours(fabric, host).some(
    (node) =>
      nodeKind[node] === NodeKind.switch || (nodeKind[node] === NodeKind.host && nodeServer[node] !== nodeServer[host]),
  );
}

function neighbours({ portOffset, portPeer, portNode }: Fabric, node: number): number[] {
  return Array.from(portPeer.subarray(portOffset[node]!, portOffset[node + 1]!), (peer) => portNode[peer]!);
}
