// NVIDIA Spectrum-X as SimAI draws it: rails, one leaf switch per NIC, every leaf linked to every spine.
// Invariant: GPU r of each server is on leaf r of its segment. Source: SimAI 1.6's topology generator.

import {
  buildDatacenter,
  checkDatacenter,
  datacenterAliases,
  datacenterSettings,
  datacenterSize,
  impliedByGpuType,
  nicName,
  railWiring,
  sizeName,
} from './datacenter.js';
import { defineFamily } from './family.js';
import { remarksOnServers } from './servers.js';

export const spectrumX = defineFamily({
  name: 'spectrum-x',
  otherNames: { spectrumx: {} },
  description:
    'rail-optimized, full mesh of leaves and spines; a leaf switch takes a rail of nicsPerAsw servers, so rail ' +
    'traffic among those (512 GPUs by default) meets no spine',
  settings: datacenterSettings({ gpus: 4096, bandwidth: '400Gbps', nicsPerAsw: 64, pswSwitches: 64, aswPerPsw: 64 }),
  aliases: datacenterAliases,
  impliedDefaults: (given) => impliedByGpuType(given, 1),
  size: (values) => datacenterSize(values, railWiring(values, 1, 1)),
  check: (values) => checkDatacenter(values, railWiring(values, 1, 1)),
  remarks: remarksOnServers,
  generate: (values) => buildDatacenter(values, railWiring(values, 1, 1)),
  fileName: (values) => `Spectrum-X_${sizeName(values)}_${nicName(values)}`,
});
