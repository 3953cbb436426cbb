// Generations of GPUs as NCCL's tuning tables divide them, by the GPU's name in a topology (fabric/gpu-types.ts).
// Not modelled: GPUs of other makers, which count as unknown.

import { type GpuGeneration, gpuTypeOf } from '../fabric/gpu-types.js';

export type { GpuGeneration };

/** The generation of a GPU as a topology names it (`H100`, `h100_80gb`); null if the name is empty or not known. */
export function generationOf(gpuType: string): GpuGeneration | null {
  return gpuTypeOf(gpuType)?.generation ?? null;
}
