// What the name of a GPU means for a server: what joins its GPUs, at which rate, whether NVSwitches sum (NVLS), and
// which NIC is usual beside it.
// Sources: rates by data sheet, each way, of all links of a GPU: NVLink 2 (V100) 150 GB/s, 3 (A100) 300, 4 (H100, H200,
// H20) 450, 5 (B200, B300, GB200, GB300) 900; A800 and H800 have 200 as sold in China; MI300X 7 xGMI links of 64 GB/s.
// PCIe 4.0 x16 has 32 (L4, L20, L40, L40S), 5.0 x16 64 (RTX PRO 6000, RTX 6000D).
// NVLS came with the NVSwitches of Hopper (NVIDIA, GTC22 "The NVLink-Network Switch"). Effective shares: see below.
// NICs: a port for each GPU of NVIDIA's own servers. DGX-2 (V100) ConnectX-5 100 Gb/s; DGX A100 ConnectX-6 200; DGX
// H100, H200 and B200, and GB200 NVL72 ConnectX-7 400; DGX B300 and GB300 NVL72 ConnectX-8 800. A800, H800 and H20 as
// A100 and H100; GH200 and MI300X 400 in servers that are sold. None is usual beside PCIe cards.
// Not modelled: NVLink bridges between pairs of PCIe cards.

/** Generations of NVIDIA's GPUs as NCCL's tuning tables divide them, by compute capability. */
export type GpuGeneration = 'volta' | 'ampere' | 'hopper' | 'blackwell';

export interface GpuType {
  /** as a topology names it */
  readonly name: string;
  /** null: another maker's */
  readonly generation: GpuGeneration | null;
  /** of all links of a GPU to the others of its server, each way, by the data sheet; of PCIe where that is all */
  readonly linkRateBps: number;
  /** what joins the GPUs of a server */
  readonly inside: 'nvswitch' | 'mesh' | 'pcie';
  /** whether the switches of a server sum (NVLS) */
  readonly nvls: boolean;
  /** GPUs that one NVLink domain takes at most */
  readonly domainGpus: number;
  /** of a NIC for each GPU, as usual with it; null: none is usual */
  readonly nicRateBps: number | null;
}

/**
 * What NVLink carries of its data sheet's rate, by what NCCL's src/graph/topo.h assumes of a link of 25 GB/s
 * (Blackwell: 50): 20.0 GB/s of Volta and Ampere, 20.6 of Hopper, 40.1 of Blackwell; page docs/models/measured.md has
 * what comes of it.
 */
const nvlinkShares: Readonly<Record<GpuGeneration, number>> = {
  volta: 20 / 25,
  ampere: 20 / 25,
  hopper: 20.6 / 25,
  blackwell: 40.1 / 50,
};
/** What xGMI carries: 48 of 64 GB/s a link (AMD, "Understanding RCCL Bandwidth and xGMI Performance", March 2025). */
const xgmiShare = 0.75;
/** What PCIe carries: 24 of 32 GB/s by 4.0 x16, 48 of 64 by 5.0 x16 (NVIDIA, GTC24 S62129: allreduce by PCIe). */
const pcieShare = 0.75;

const nvlink = (
  name: string,
  generation: GpuGeneration,
  gigabytesPerSecond: number,
  { nvls = true, domainGpus = 8, nic = 400 } = {},
): GpuType => ({
  name,
  generation,
  linkRateBps: gigabytesPerSecond * 8e9,
  inside: 'nvswitch',
  nvls,
  domainGpus,
  nicRateBps: nic * 1e9,
});
const withoutNvlink = (name: string, gigabytesPerSecond: number): GpuType => ({
  name,
  generation: null,
  linkRateBps: gigabytesPerSecond * 8e9,
  inside: 'pcie',
  nvls: false,
  domainGpus: 8,
  nicRateBps: null,
});

/** All that are known, in the order in which settings list them. */
export const gpuTypes: readonly GpuType[] = [
  nvlink('V100', 'volta', 150, { nvls: false, nic: 100 }),
  nvlink('A100', 'ampere', 300, { nvls: false, nic: 200 }),
  nvlink('A800', 'ampere', 200, { nvls: false, nic: 200 }),
  nvlink('H100', 'hopper', 450),
  nvlink('H800', 'hopper', 200),
  nvlink('H20', 'hopper', 450),
  nvlink('H200', 'hopper', 450),
  nvlink('GH200', 'hopper', 450),
  nvlink('B100', 'blackwell', 900),
  nvlink('B200', 'blackwell', 900),
  nvlink('B300', 'blackwell', 900, { nic: 800 }),
  nvlink('GB200', 'blackwell', 900, { domainGpus: 72 }),
  nvlink('GB300', 'blackwell', 900, { domainGpus: 72, nic: 800 }),
  {
    name: 'MI300X',
    generation: null,
    linkRateBps: 7 * 64 * 8e9,
    inside: 'mesh',
    nvls: false,
    domainGpus: 8,
    nicRateBps: 400e9,
  },
  ...['L4', 'L20', 'L40', 'L40S'].map((name) => withoutNvlink(name, 32)),
  ...['RTX6000D', 'RTXPRO6000'].map((name) => withoutNvlink(name, 64)),
];

/** The GPU that a fabric's type names (`H100`, `h100_80gb`), or null if the name is empty or not known. */
export function gpuTypeOf(gpuType: string): GpuType | null {
  return gpuTypes.find(({ name }) => new RegExp(`^${name}(?![0-9A-Z])`, 'i').test(gpuType)) ?? null;
}

/** What the links of a GPU to the others of its server carry, each way, in bit/s. */
export function effectiveLinkRateBps({ linkRateBps, inside, generation }: GpuType): number {
  if (generation !== null) return Math.round(linkRateBps * nvlinkShares[generation]);
  return linkRateBps * (inside === 'mesh' ? xgmiShare : pcieShare);
}

/**
 * Whether a rate is what a data sheet says of a GPU's links, each way or both ways together, and so more than they
 * carry.
 * @param rateBps of all links of a GPU within its server
 */
export function isDataSheetRate({ linkRateBps }: GpuType, rateBps: number): boolean {
  return [linkRateBps, 2 * linkRateBps].some((sheetBps) => Math.abs(rateBps / sheetBps - 1) < 0.01);
}

/**
 * Whether the switches in servers sum (NVLS). @param gpuType as the topology names it; a name that is not known counts
 * as one whose switches do, no name at all as one whose switches do not
 */
export function canSumInServer(gpuType: string): boolean {
  return gpuType !== '' && (gpuTypeOf(gpuType)?.nvls ?? true);
}
