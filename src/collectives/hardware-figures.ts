// What hardware takes beside NCCL's own tables, by kind of GPU and of network: what posting a send takes, the shares of
// NVLink, of NVLS and of the network that bytes reach, latencies that a network adds. Figures of posting are NCCL's
// (NCCL_NET_OVERHEAD: 2 us with processors of AMD, 1 us with all others); the rest is fitted to published rows, which
// stand in docs/models/measured.md under the names given here. No figure is of one row or one size.
// Invariants: a figure that is left out is NCCL's own, and a share that is left out is 1; a GPU without rows takes what
// is neutral: 1 us to post a send, links that are used wholly, sends over the network as other GPUs of it.
// Not modelled: processors other than those of the servers that were measured (NCCL_NET_OVERHEAD says it), NVLink
// bridges.

import { type GpuGeneration, generationOf } from './gpu-generation.js';
import type { PathKind, Protocol, TunedAlgorithm } from './protocols.js';

/** Microseconds by algorithm and protocol, as far as they differ. */
export type OtherLatencies = {
  readonly [A in TunedAlgorithm]?: { readonly [P in Protocol]?: number };
};

export type NvlsAlgorithm = 'nvls' | 'nvls-tree';

/** What differs from NCCL's tables and from links that are used wholly. */
export interface HardwareFigures {
  /** once per collective */
  readonly baseUs?: OtherLatencies;
  /** per hop */
  readonly hopUs?: { readonly [K in PathKind]?: OtherLatencies };
  /** before every move over the network, beside its hop */
  readonly transferLatencyPs?: number;
  /** before a move over the network of more bytes than that, beside all other: its two sides agree on it first */
  readonly rendezvousPs?: number;
  readonly rendezvousAboveBytes?: number;
  /** microseconds that posting a send over the network takes (NCCL_NET_OVERHEAD); left out: not counted */
  readonly postUs?: number;
  /** share of a link's rate that a protocol reaches, above 0 and at most 1 */
  readonly shares?: { readonly [K in PathKind]?: { readonly [P in Protocol]?: number } };
  /** share of the network's rate that sends of a user's own reach (all-to-all, sendrecv), beside the link's */
  readonly sendsShare?: number;
  /** share of NVLink that NVLS's bytes reach, chunks' times apart (nvls-chunks.ts) */
  readonly nvlsLinkShare?: number;
  /** microseconds that the synchronisation of a round of its chunks takes; left out: none */
  readonly nvlsRoundUs?: Readonly<Partial<Record<NvlsAlgorithm, number>>>;
}

/** Networks whose figures are known. */
export type NetworkKind = 'infiniband' | 'efa' | 'slingshot' | 'tcpx' | 'tcpxo';

/** GPUs whose figures differ: generations, and those of racks whose NVSwitches join 72. */
type GpuKind = GpuGeneration | 'nvl72';

/** Rounds of NVLS: A-08 on one server, B-05 on two. */
const hopperRoundUs = { nvls: 4.2, 'nvls-tree': 8.5 };
/** A-12 on one server, B-06 on two */
const blackwellRoundUs = { nvls: 6.9, 'nvls-tree': 6.4 };

/** Of a server with such GPUs, whatever its network. */
const serverFigures: Readonly<Record<GpuKind, HardwareFigures>> = {
  // no rows
  volta: { postUs: 1 },
  // DGX A100: processors of AMD
  ampere: { postUs: 2 },
  // processors of Intel (DGX, HGX) and Arm (GH200); NVLS
  hopper: { postUs: 1, nvlsLinkShare: 0.92, nvlsRoundUs: hopperRoundUs },
  // processors of Intel; NVLS; base latency of rings and share of NVLink
  blackwell: {
    postUs: 1,
    nvlsLinkShare: 0.89,
    nvlsRoundUs: blackwellRoundUs,
    baseUs: { ring: { ll: 10 } },
    shares: { nvlink: { simple: 0.95 } },
  },
  // processors of Arm; NVLS: C-08
  nvl72: { postUs: 1, nvlsLinkShare: 0.63, nvlsRoundUs: blackwellRoundUs },
};

/**
 * Of a GPU that is not known: what NCCL reckons for processors that it does not know; NVLS is Hopper's, as its tables
 * are.
 */
const unknownServer: HardwareFigures = { postUs: 1, nvlsLinkShare: 0.92, nvlsRoundUs: hopperRoundUs };

interface NetworkFigures {
  readonly by: Readonly<Partial<Record<GpuKind, HardwareFigures>>>;
  /** of GPUs that are not in the list: its network is the same */
  readonly others: HardwareFigures;
}

// p5en, 16 NICs of 200 Gb/s: network C-02; sends as H100's
const efa: HardwareFigures = { shares: { network: { simple: 0.94 } }, sendsShare: 0.95 };
// Alps, a NIC for each GPU: C-06 (2 and 8 servers). libfabric's cxi agrees on messages beyond 2 KiB first.
const alps: HardwareFigures = {
  rendezvousPs: 9e6,
  rendezvousAboveBytes: 2048,
  shares: { network: { simple: 0.95, ll128: 0.95 } },
};
// TCP reaches about half of the line rate: B-08
const tcpx: HardwareFigures = {
  transferLatencyPs: 40e6,
  shares: { network: { simple: 0.52, ll128: 0.52, ll: 0.52 } },
};
// sends go through a process beside NCCL: B-11 below 64 KiB
const tcpxo: HardwareFigures = { transferLatencyPs: 30e6 };

const networks: Readonly<Record<NetworkKind, NetworkFigures>> = {
  infiniband: {
    // InfiniBand and RoCE
    by: {
      // B-03 (allgather, all-to-all)
      ampere: { shares: { network: { simple: 0.91, ll128: 0.91 } }, sendsShare: 0.96 },
    },
    // NICs of 400 Gb/s, whatever the GPU: C-04 (all-to-all of H100)
    others: { sendsShare: 0.935 },
  },
  // EFA of AWS
  efa: { by: {}, others: efa },
  slingshot: {
    // Slingshot 11
    by: {
      // Polaris, 4 A100 and 2 NICs: C-05 (8 servers), and A-16 (NVLink of 4 links to each of 3 GPUs; below 16 KiB the
      // hop)
      ampere: {
        hopUs: { nvlink: { ring: { simple: 6.1 } } },
        shares: { nvlink: { simple: 0.88 }, network: { simple: 0.74, ll128: 0.74 } },
      },
    },
    others: alps,
  },
  // GPUDirect-TCPX of Google Cloud
  tcpx: { by: {}, others: tcpx },
  // GPUDirect-TCPXO of Google Cloud
  tcpxo: { by: {}, others: tcpxo },
};

/** Figures by kind of GPU and network: the first count least. @param gpuType as the topology names it; "" if unknown */
export function hardwareFigures(network: NetworkKind, gpuType: string): readonly HardwareFigures[] {
  const kind = gpuKind(gpuType);
  const { by, others } = networks[network];
  if (kind === null) return [unknownServer, others];
  return [serverFigures[kind], by[kind] ?? others];
}

function gpuKind(gpuType: string): GpuKind | null {
  return /^GB[23]00(?![0-9A-Z])/i.test(gpuType) ? 'nvl72' : generationOf(gpuType);
}
