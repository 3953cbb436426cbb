// GPUs that have no NVLink: what joins them in a server is PCIe. A fabric has the PCIe switch of a server where others
// have an NVSwitch: traffic within the server goes over it, and nothing is reduced in it.
// Not modelled: bridges between two PCIe cards, switches in a row, ways through a CPU, packets of PCIe.

import { gpuTypeOf } from './gpu-types.js';

/** Whether a GPU, as a topology names it (`L40S`, `l40s_48gb`), has no NVLink; a name that is not known has one. */
export function lacksNvlink(gpuType: string): boolean {
  return gpuTypeOf(gpuType)?.inside === 'pcie';
}

/** The fastest PCIe that there is: 6.0 with 16 lanes, in bit/s each way. */
export const fastestPcieBps = 1024e9;
