// DCN+ as SimAI draws it: no rails; GPUs fill leaf switches block by block, with one leaf switch (ToR) per block or
// two.
// Invariant: GPU g is on leaf floor(g / nicsPerAsw) of every set. Source: SimAI 1.6's topology generator.

import { flag, type FlagSetting, type SettingValues } from '../../base/settings.js';
import {
  blockWiring,
  buildDatacenter,
  checkDatacenter,
  datacenterAliases,
  datacenterSettings,
  datacenterSize,
  impliedByGpuType,
  nicName,
  sizeName,
  type Wiring,
} from './datacenter.js';
import { defineFamily } from './family.js';
import { remarksOnServers } from './servers.js';

const dualTor: FlagSetting = flag(
  false,
  'two leaf switches per GPU; makes the defaults 200Gbps NICs, 128 per leaf switch',
);
const settings = {
  ...datacenterSettings({ gpus: 512, bandwidth: '400Gbps', nicsPerAsw: 64, pswSwitches: 8, aswPerPsw: 8 }),
  dualTor,
};

function wiring(values: SettingValues<typeof settings>): Wiring {
  return blockWiring(values, values.dualTor ? 2 : 1);
}

export const dcnPlus = defineFamily({
  name: 'dcn+',
  otherNames: {
    dcn: {},
    'dcn-plus': {},
    'dcn-singletor': { dualTor: false },
    'dcn-dualtor': { dualTor: true },
    'dcn+singletor': { dualTor: false },
    'dcn+dualtor': { dualTor: true },
  },
  description: 'no rails: GPUs fill one leaf switch after the other, or pairs of them (dual ToR)',
  settings,
  aliases: { ...datacenterAliases, dt: 'dualTor' },
  impliedDefaults: (given) => {
    const isDual = given['dualTor'] === true || given['dualTor'] === 'true';
    return {
      ...(isDual ? { bandwidth: '200Gbps', nicsPerAsw: 128 } : {}),
      ...impliedByGpuType(given, isDual ? 2 : 1),
    };
  },
  size: (values) => datacenterSize(values, wiring(values)),
  check: (values) => checkDatacenter(values, wiring(values)),
  remarks: remarksOnServers,
  generate: (values) => buildDatacenter(values, wiring(values)),
  fileName: (values) => `DCN+${values.dualTor ? 'DualToR' : 'SingleToR'}_${sizeName(values)}_${nicName(values)}`,
});
