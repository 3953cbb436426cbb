// The benchmark's workloads: three-level fat trees, 100 Gb/s, 1 us links, 4096-byte payloads, with DCQCN, ECN, PFC,
// go-back-N and one ACK per packet all on. Each makes at least 10 million packet-hops. Random choices are seeded: the
// work is the same every time.

import { RandomStream } from '#weft/base/random.js';
import { FabricBuilder, NodeKind, type Fabric } from '#weft/fabric/fabric.js';
import { TransferList } from '#weft/flows/transfer-list.js';

export interface Workload {
  readonly name: string;
  /** arguments that make the reference prototype do the same; null if it is not compared */
  readonly prototype: string | null;
  readonly fabric: () => Fabric;
  /** @param scale share of the packets of each flow: 1 is the benchmark, less a warm-up */
  readonly transfers: (hosts: number, scale: number) => TransferList;
  /** the workload is run so many times and the runs count together; 1 if left out */
  readonly repeats?: number;
}

const payloadBytes = 4096;

/** k-ary fat tree: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 hosts. */
function fatTree(k: number): Fabric {
  const half = k / 2;
  const builder = new FabricBuilder(1);
  const hosts = builder.addNodes(NodeKind.host, k * half * half);
  const edges = builder.addNodes(NodeKind.switch, k * half);
  const aggregations = builder.addNodes(NodeKind.switch, k * half);
  const cores = builder.addNodes(NodeKind.switch, half * half);
  const link = (a: number, b: number): void => builder.addLink(a, b, 100e9, 1_000_000);
  for (let edge = 0; edge < k * half; edge++) {
    for (let i = 0; i < half; i++) link(hosts + edge * half + i, edges + edge);
    const pod = Math.floor(edge / half);
    for (let i = 0; i < half; i++) link(edges + edge, aggregations + pod * half + i);
  }
  for (let aggregation = 0; aggregation < k * half; aggregation++) {
    for (let i = 0; i < half; i++) link(aggregations + aggregation, cores + (aggregation % half) * half + i);
  }
  return builder.build();
}

function permutation(hosts: number, packets: number): TransferList {
  const random = new RandomStream(12_345, 'permutation');
  const to = Array.from({ length: hosts }, (_, i) => i);
  // Sattolo's cycle: nobody sends to itself
  for (let i = hosts - 1; i > 0; i--) {
    const j = random.nextBelow(i);
    [to[i], to[j]] = [to[j]!, to[i]!];
  }
  const list = new TransferList();
  for (let i = 0; i < hosts; i++) list.add(i, to[i]!, packets * payloadBytes, 0);
  return list;
}

function incast(hosts: number, senders: number, packets: number): TransferList {
  const list = new TransferList();
  for (let i = 1; i <= senders; i++)
    list.add((i * Math.floor(hosts / (senders + 1))) % hosts || hosts - 1, 0, packets * payloadBytes, 0);
  return list;
}

function allToAll(hosts: number, packets: number): TransferList {
  const list = new TransferList();
  for (let source = 0; source < hosts; source++)
    for (let j = 1; j < hosts; j++) list.add(source, (source + j) % hosts, packets * payloadBytes, 0);
  return list;
}

export const workloads: readonly Workload[] = [
  {
    name: 'permutation-128',
    prototype: 'k=8 wl=perm npk=6000',
    fabric: () => fatTree(8),
    transfers: (hosts, scale) => permutation(hosts, 8000 * scale),
  },
  {
    name: 'permutation-1024',
    prototype: 'k=16 wl=perm npk=1000',
    fabric: () => fatTree(16),
    transfers: (hosts, scale) => permutation(hosts, 1000 * scale),
  },
  {
    name: 'incast-64',
    prototype: 'wl=incast npk=20000',
    fabric: () => fatTree(8),
    transfers: (hosts, scale) => incast(hosts, 64, 20_000 * scale),
  },
  {
    name: 'all-to-all-128',
    prototype: 'wl=a2a npk=64',
    fabric: () => fatTree(8),
    transfers: (hosts, scale) => allToAll(hosts, 64 * scale),
  },
];

const packetsPerHost = 500;

/**
 * The same work for every host on fat trees of k = 8 to 32: the cost per packet-hop must stay about the same. Small
 * ones are repeated.
 */
export const scalingWorkloads: readonly Workload[] = [
  [8, 16],
  [12, 6],
  [16, 3],
  [24, 1],
  [32, 1],
].map(([k, repeats]) => ({
  name: `fat-tree-${k! ** 3 / 4}`,
  prototype: null,
  fabric: () => fatTree(k!),
  transfers: (hosts, scale) => permutation(hosts, Math.ceil(packetsPerHost * scale)),
  repeats: repeats!,
}));
