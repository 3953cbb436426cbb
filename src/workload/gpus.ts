// What GPUs compute and how fast their memory is: peaks, of which training reaches a share (setting `efficiency`).
// Sources: NVIDIA's data sheets of the SXM modules, BF16 on tensor cores without sparsity: A100 80GB 312 TFLOP/s, 2,039
// GB/s; H100 989.4 (the sheet's 1,979 is with sparsity), 3.35 TB/s; H200 the same arithmetic, 4.8 TB/s; B200 (HGX)
// 2,250, 8 TB/s. Memory: A100 and H100 80 GB, H200 141, B200 192, H20 96. A800 and H800 differ from A100 and H100 in NVLink alone. H20: 148 TFLOP/s, 4.0 TB/s as published by
// server makers; NVIDIA has no public sheet.

export interface Gpu {
  /** peak of dense BF16 matrix products */
  readonly flopsPerSecond: number;
  readonly memoryBytesPerSecond: number;
  /** what the data sheet calls so many GB; GPUs have binary ones, or a little less */
  readonly memoryBytes: number;
}

const gibibyte = 2 ** 30;

export const gpus = {
  A100: { flopsPerSecond: 312e12, memoryBytesPerSecond: 2.039e12, memoryBytes: 80 * gibibyte },
  A800: { flopsPerSecond: 312e12, memoryBytesPerSecond: 2.039e12, memoryBytes: 80 * gibibyte },
  H100: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 3.35e12, memoryBytes: 80 * gibibyte },
  H800: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 3.35e12, memoryBytes: 80 * gibibyte },
  H20: { flopsPerSecond: 148e12, memoryBytesPerSecond: 4e12, memoryBytes: 96 * gibibyte },
  H200: { flopsPerSecond: 989.4e12, memoryBytesPerSecond: 4.8e12, memoryBytes: 141 * gibibyte },
  B200: { flopsPerSecond: 2250e12, memoryBytesPerSecond: 8e12, memoryBytes: 192 * gibibyte },
} as const satisfies Record<string, Gpu>;

export type GpuName = keyof typeof gpus;

export const gpuNames = Object.keys(gpus) as GpuName[];

/** The GPU that a fabric's type names, or null: `A100`, also with more behind it, such as `H100-SXM`. */
export function gpuOfType(gpuType: string): GpuName | null {
  return gpuNames.find((name) => new RegExp(`^${name}(?![0-9A-Z])`, 'i').test(gpuType)) ?? null;
}
