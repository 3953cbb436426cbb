// Alibaba HPN as SimAI draws it: rails, every GPU on two leaf switches (ToR), in one plane or in two planes that never
// meet.
// Invariant: leaf l of the first set and leaf l of the second serve the same GPUs; with two planes each set has its own
// half of the spines. Source: SimAI 1.6's topology generator.

import { flag, type FlagSetting, type SettingValues } from '../../base/settings.js';
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
  type Wiring,
} from './datacenter.js';
import { defineFamily } from './family.js';
import { remarksOnServers } from './servers.js';

const dualPlane: FlagSetting = flag(
  false,
  'each set of leaf switches has its own half of the spines, which take 120 by default',
);
const settings = {
  ...datacenterSettings({ gpus: 15360, bandwidth: '200Gbps', nicsPerAsw: 128, pswSwitches: 120, aswPerPsw: 240 }),
  dualPlane,
};

function wiring(values: SettingValues<typeof settings>): Wiring {
  return railWiring(values, 2, values.dualPlane ? 2 : 1);
}

export const alibabaHpn = defineFamily({
  name: 'alibaba-hpn',
  otherNames: {
    alibabahpn: {},
    'alibabahpn-singleplane': { dualPlane: false },
    'alibabahpn-dualplane': { dualPlane: true },
  },
  description:
    'rail-optimized, two leaf switches per GPU, in one plane or two (dual plane); a leaf takes a rail of nicsPerAsw servers, whose rail traffic meets no spine',
  settings,
  aliases: { ...datacenterAliases, dp: 'dualPlane' },
  impliedDefaults: (given) => ({
    ...(given['dualPlane'] === true || given['dualPlane'] === 'true' ? { aswPerPsw: 120 } : {}),
    ...impliedByGpuType(given, 2),
  }),
  size: (values) => datacenterSize(values, wiring(values)),
  check: (values) => checkDatacenter(values, wiring(values)),
  remarks: remarksOnServers,
  generate: (values) => buildDatacenter(values, wiring(values)),
  fileName: (values) =>
    `AlibabaHPN_${sizeName(values)}_DualToR_${values.dualPlane ? 'DualPlane' : 'SinglePlane'}_${nicName(values)}`,
});
