// What GPUs compute and how fast their memory is: peaks, of which training reaches a share (setting `efficiency`).
// Sources: NVIDIA's data sheets of the SXM modules, BF16 on tensor cores without sparsity: A100 80GB 312 TFLOP/s, 2,039
// GB/s; H100 989.4 (the sheet's 1,979 is with sparsity), 3.35 TB/s; H200 the same arithmetic, 4.8 TB/s; B200 (HGX)
// 2,250, 8 TB/s. Memory: A100 and H100 80 GB, H200 141, B200 192, H20 96. A800 and H800 differ from A100 and H100 in
// NVLink alone. H20: 148 TFLOP/s, 4.0 TB/s as published by server makers; NVIDIA has no public sheet. A100-40GB: 1,555
// GB/s. H100-96GB is the one of Meta's Grand Teton: 96 GB of HBM2e at 2.4 TB/s and 500 W; its peak lies between those
// of the SXM and the NVL module (835.5 TFLOP/s), as TorchTitan's report of December 2024 says; the middle is taken.
// V100: 125 TFLOP/s in FP16, it has no BF16; 900 GB/s, 32 GB. HGX B300 2,250, 8 TB/s, 288 GB. GB200 and GB300 NVL72, a
// 72nd of the rack: 2,500 each; 186 GB (13.4 TB) and 279 GB (20 TB). MI300X (AMD's data sheet): 1,307.4 TFLOP/s, 5.3
// TB/s, 192 GB.

export interface Gpu {
  /** peak of dense BF16 matrix products */
  readonly flopsPerSecond: number;
  readonly memoryBytesPerSecond: number;
  /** what the data sheet calls so many GB; GPUs have binary ones, or a little less */
  readonly memoryBytes: number;
}

const gibibyte = 2 ** 30;

export const gpus = {
  'A100-40GB': { flopsPerSecond: 312e12, memoryBytesPerSecond: 1.555e12, memoryBytes: 40 * gibibyte },
  'H100-96GB': { flopsPerSecond: 912.45e12, memoryBytesPerSecond: 2.4e12, memoryBytes: 96 * gibibyte },
  A100: { flopsPerSecond: 312e12, memoryBytesPerSecond: 2.039e12, memoryBytes: 80 * gibibyte },
  A800: { flopsPerSecond: 312e12, memoryBytesPerSecond: 2.039e12, memoryBytes: 80 * gibibyte },
  H100: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 3.35e12, memoryBytes: 80 * gibibyte },
  H800: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 3.35e12, memoryBytes: 80 * gibibyte },
  H20: { flopsPerSecond: 148e12, memoryBytesPerSecond: 4e12, memoryBytes: 96 * gibibyte },
  H200: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 4.8e12, memoryBytes: 141 * gibibyte },
  B200: { flopsPerSecond: 2250e12, memoryBytesPerSecond: 8e12, memoryBytes: 192 * gibibyte },
  B300: { flopsPerSecond: 2250e12, memoryBytesPerSecond: 8e12, memoryBytes: 288 * gibibyte },
  GB200: { flopsPerSecond: 2500e12, memoryBytesPerSecond: 8e12, memoryBytes: 186 * gibibyte },
  GB300: { flopsPerSecond: 2500e12, memoryBytesPerSecond: 8e12, memoryBytes: 279 * gibibyte },
  MI300X: { flopsPerSecond: 1307.4e12, memoryBytesPerSecond: 5.3e12, memoryBytes: 192 * gibibyte },
  V100: { flopsPerSecond: 125e12, memoryBytesPerSecond: 0.9e12, memoryBytes: 32 * gibibyte },
} as const satisfies Record<string, Gpu>;

export type GpuName = keyof typeof gpus;

export const gpuNames = Object.keys(gpus) as GpuName[];

/** Whether a GPU is of NVIDIA's generation Hopper. */
export function isHopper(gpu: GpuName): boolean {
  return /^(?:H100|H800|H200|H20)(?![0-9])/.test(gpu);
}

/** `A100-40GB` before `A100`, with which it begins */
const longestFirst = [...gpuNames].sort((a, b) => b.length - a.length);

/** The GPU that a fabric's type names, or null: `A100`, also with more behind it, such as `H100-SXM`. */
export function gpuOfType(gpuType: string): GpuName | null {
  return longestFirst.find((name) => new RegExp(`^${name}(?![0-9A-Z])`, 'i').test(gpuType)) ?? null;
}
