// Generations of GPUs as NCCL's tuning tables divide them, by the GPU's name in a topology.
// Source: the compute capability of each GPU; what a server has of NVLink by its data sheet. Not modelled: GPUs of
// other makers, which count as unknown.

export type GpuGeneration = 'volta' | 'ampere' | 'hopper' | 'blackwell';

const namesOf: Readonly<Record<GpuGeneration, readonly string[]>> = {
  volta: ['V100'],
  ampere: ['A100', 'A800'],
  hopper: ['H100', 'H800', 'H20', 'H200', 'GH200'],
  blackwell: ['B100', 'B200', 'B300', 'GB200', 'GB300'],
};

/** The generation of a GPU as a topology names it (`H100`, `h100_80gb`); null if the name is empty or not known. */
export function generationOf(gpuType: string): GpuGeneration | null {
  const generations = Object.keys(namesOf) as GpuGeneration[];
  return (
    generations.find((generation) =>
      namesOf[generation].some((name) => new RegExp(`^${name}(?![0-9A-Z])`, 'i').test(gpuType)),
    ) ?? null
  );
}
