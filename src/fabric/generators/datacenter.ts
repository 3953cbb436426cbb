// What the datacenter families share: GPUs in servers around NVSwitches, their NICs on leaf switches (ASW), those on
// spines (PSW).
// Invariants: ids count up over GPUs, NVSwitches, leaves, spines; a GPU's links are first to its NVSwitches, then to
// its leaves; then come the leaves' links, leaf by leaf. Source: SimAI 1.6's topology generator and its parameters.
// Not modelled, as in the source: several pods, and links to spines of which one leaf has more than one.

import { rate, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric.js';
import { rateName, type FabricSize, type ParameterProblem } from './family.js';
import { howMany, errorRate } from './parameters.js';
import {
  addNvswitches,
  checkServers,
  fabricGpuType,
  impliedByGpu,
  impliedNicRates,
  innerLinks,
  linkWithinServer,
  nvswitchCount,
  serverSettings,
} from './servers.js';

/** The defaults in which the families differ. */
export interface DatacenterDefaults {
  readonly gpus: number;
  readonly bandwidth: string;
  readonly nicsPerAsw: number;
  readonly pswSwitches: number;
  readonly aswPerPsw: number;
}

const aswPswBandwidth = rate('400Gbps', 'rate of the links between leaf and spine switches');

/** The parameters of SimAI's generator under long names. */
export function datacenterSettings(defaults: DatacenterDefaults) {
  return {
    gpus: howMany('GPUs in total', defaults.gpus),
    ...serverSettings({ gpusPerServer: 8, gpuType: 'H100', nvswitchesPerServer: 1 }),
    nicsPerServer: howMany(
      'NICs per server, spread over its GPUs; the other GPUs reach other servers by NVLink and these NICs (PXN); 0 = one for every GPU',
      0,
      0,
    ),
    bandwidth: rate(defaults.bandwidth, 'rate of the links between NICs and leaf switches'),
    latency: time('500ns', 'delay of the links outside the servers'),
    aswSwitches: howMany('leaf switches (ASW); 0 = as many as the GPUs need', 0, 0),
    nicsPerAsw: howMany('NICs that a leaf switch takes', defaults.nicsPerAsw),
    pswSwitches: howMany('spine switches (PSW)', defaults.pswSwitches),
    aswPswBandwidth,
    aswPerPsw: howMany('leaf switches that a spine switch takes', defaults.aswPerPsw),
    errorRate,
  } satisfies SettingGroup;
}

export type DatacenterValues = SettingValues<ReturnType<typeof datacenterSettings>>;

/**
 * What a GPU's name brings if nothing else was said: its servers, its NIC, and spines for a leaf of each of their
 * rails.
 * @param ports of each NIC: the sets of leaves
 */
export function impliedByGpuType(
  given: Readonly<Record<string, unknown>>,
  ports: number,
): Readonly<Record<string, unknown>> {
  const implied = {
    ...impliedByGpu(given),
    ...impliedNicRates(given, { uplinks: ['bandwidth'], beyond: { aswPswBandwidth }, ports }),
  };
  return implied['gpusPerServer'] === undefined ? implied : { ...implied, aswPerPsw: 128 };
}

/** The short names of SimAI's generator. */
export const datacenterAliases = {
  g: 'gpus',
  gps: 'gpusPerServer',
  gt: 'gpuType',
  nsps: 'nvswitchesPerServer',
  nvbw: 'nvlinkBandwidth',
  nl: 'nvlinkLatency',
  bw: 'bandwidth',
  l: 'latency',
  asn: 'aswSwitches',
  npa: 'nicsPerAsw',
  psn: 'pswSwitches',
  apbw: 'aswPswBandwidth',
  app: 'aswPerPsw',
  er: 'errorRate',
} as const;

/** How a family wires GPUs to leaves and leaves to spines. */
export interface Wiring {
  /** leaf switches in one set; GPUs are attached to leaf `leafOf(gpu)` of every set */
  readonly leavesPerSet: number;
  /** 1, or 2 with two leaf switches (ToR) per GPU */
  readonly sets: number;
  /** 1, or 2 if each set of leaves has its own half of the spines */
  readonly planes: number;
  readonly leafOf: (gpu: number) => number;
}

/** NICs of a server. */
function nicsOf({ nicsPerServer, gpusPerServer }: DatacenterValues): number {
  return nicsPerServer === 0 ? gpusPerServer : nicsPerServer;
}

/** Which NIC of its server a GPU has, -1 if none: NIC i of k is at GPU floor(i x GPUs / k). */
function nicIndex(values: DatacenterValues, gpu: number): number {
  const { gpusPerServer } = values;
  const nics = nicsOf(values);
  const index = Math.ceil(((gpu % gpusPerServer) * nics) / gpusPerServer);
  return index < nics && Math.floor((index * gpusPerServer) / nics) === gpu % gpusPerServer ? index : -1;
}

/** Wiring by rails: NIC r of every server of a segment (nicsPerAsw servers) is on the segment's leaf r. */
export function railWiring(values: DatacenterValues, sets: number, planes: number): Wiring {
  const { gpus, gpusPerServer, nicsPerAsw } = values;
  const segmentGpus = nicsPerAsw * gpusPerServer;
  const rails = nicsOf(values);
  return {
    leavesPerSet: Math.ceil(gpus / segmentGpus) * rails,
    sets,
    planes,
    leafOf: (gpu) => Math.floor(gpu / segmentGpus) * rails + nicIndex(values, gpu),
  };
}

/** Wiring in blocks: NICs fill leaf after leaf, nicsPerAsw each. */
export function blockWiring(values: DatacenterValues, sets: number): Wiring {
  const { gpus, gpusPerServer, nicsPerAsw } = values;
  const nics = nicsOf(values);
  const nicOf = (gpu: number): number => Math.floor(gpu / gpusPerServer) * nics + nicIndex(values, gpu);
  return {
    leavesPerSet: Math.ceil(((gpus / gpusPerServer) * nics) / nicsPerAsw),
    sets,
    planes: 1,
    leafOf: (gpu) => Math.floor(nicOf(gpu) / nicsPerAsw),
  };
}

/** Nodes and links of a datacenter fabric. */
export function datacenterSize(values: DatacenterValues, wiring: Wiring): FabricSize {
  const { gpus, gpusPerServer, pswSwitches } = values;
  const leaves = wiring.leavesPerSet * wiring.sets;
  return {
    nodes: gpus + nvswitchCount(values, gpus) + leaves + pswSwitches,
    links:
      innerLinks(values, gpus) +
      (gpus / gpusPerServer) * nicsOf(values) * wiring.sets +
      leaves * (pswSwitches / wiring.planes),
  };
}

/** What does not fit together in the parameters that the datacenter families share. */
export function checkDatacenter(values: DatacenterValues, wiring: Wiring): ParameterProblem[] {
  const { gpus, gpusPerServer, aswSwitches, nicsPerAsw, pswSwitches, aswPerPsw } = values;
  const problems: ParameterProblem[] = [];
  if (gpus % gpusPerServer !== 0) {
    return [
      {
        parameter: 'gpus',
        code: 'uneven-servers',
        message: `${gpus} GPUs do not fill servers of ${gpusPerServer}`,
        got: String(gpus),
        wanted: `a multiple of ${gpusPerServer}`,
        hint:
          gpus < gpusPerServer
            ? `for one server of ${gpus} GPUs set the GPUs per server to ${gpus}`
            : `${Math.floor(gpus / gpusPerServer) * gpusPerServer} or ${Math.ceil(gpus / gpusPerServer) * gpusPerServer} would do`,
      },
    ];
  }
  if (values.nicsPerServer > gpusPerServer) {
    return [
      {
        parameter: 'nicsPerServer',
        code: 'too-many-nics',
        message: `${values.nicsPerServer} NICs for ${gpusPerServer} GPUs: a GPU has one at most`,
        got: String(values.nicsPerServer),
        wanted: `at most ${gpusPerServer}`,
      },
    ];
  }
  problems.push(...checkServers(values));
  const leaves = wiring.leavesPerSet * wiring.sets;
  if (aswSwitches !== 0 && aswSwitches !== leaves) {
    problems.push({
      parameter: 'aswSwitches',
      code: 'wrong-switch-count',
      message: `${gpus} GPUs need ${leaves} leaf switches with ${nicsPerAsw} NICs each, ${aswSwitches} were asked for`,
      got: String(aswSwitches),
      wanted: String(leaves),
      hint: 'leave the number of leaf switches out to have it computed, or change the NICs per leaf switch',
    });
  }
  if (leaves / wiring.planes > aswPerPsw) {
    problems.push({
      parameter: 'aswPerPsw',
      code: 'over-capacity',
      message: `every spine switch has to take ${leaves / wiring.planes} leaf switches, it takes ${aswPerPsw}`,
      got: String(aswPerPsw),
      wanted: `${leaves / wiring.planes} or more`,
      hint: `${gpus} GPUs need ${leaves} leaf switches with ${nicsPerAsw} NICs each; raise this number or the NICs per leaf switch`,
    });
  }
  if (pswSwitches % wiring.planes !== 0) {
    problems.push({
      parameter: 'pswSwitches',
      code: 'uneven-planes',
      message: `${pswSwitches} spine switches cannot be divided into two planes`,
      got: String(pswSwitches),
      wanted: 'an even number',
    });
  }
  return problems;
}

/** Builds a datacenter fabric. */
export function buildDatacenter(values: DatacenterValues, wiring: Wiring): Fabric {
  const { gpus, gpusPerServer, pswSwitches } = values;
  const builder = new FabricBuilder(gpusPerServer, fabricGpuType(values));
  builder.addNodes(NodeKind.host, gpus);
  const firstNvswitch = addNvswitches(builder, values, gpus);
  const leaves = wiring.leavesPerSet * wiring.sets;
  const firstLeaf = builder.addNodes(NodeKind.switch, leaves);
  const firstSpine = builder.addNodes(NodeKind.switch, pswSwitches);
  for (let gpu = 0; gpu < gpus; gpu++) {
    linkWithinServer(builder, values, firstNvswitch, gpu);
    if (nicIndex(values, gpu) >= 0)
      for (let set = 0; set < wiring.sets; set++)
        builder.addLink(
          gpu,
          firstLeaf + set * wiring.leavesPerSet + wiring.leafOf(gpu),
          values.bandwidth,
          values.latency,
          values.errorRate,
        );
  }
  const spinesPerPlane = pswSwitches / wiring.planes;
  for (let leaf = 0; leaf < leaves; leaf++) {
    const plane = wiring.planes === 1 ? 0 : Math.floor(leaf / wiring.leavesPerSet);
    for (let i = 0; i < spinesPerPlane; i++)
      builder.addLink(
        firstLeaf + leaf,
        firstSpine + plane * spinesPerPlane + i,
        values.aswPswBandwidth,
        values.latency,
        values.errorRate,
      );
  }
  return builder.build();
}

/** The part of a file name that tells the size: GPUs and GPUs per server, and NICs if they are fewer. */
export function sizeName(values: DatacenterValues): string {
  return `${values.gpus}g_${values.gpusPerServer}gps${values.nicsPerServer === 0 ? '' : `_${values.nicsPerServer}nics`}`;
}

/** The part of a file name that tells the NIC rate and the GPU. */
export function nicName(values: DatacenterValues): string {
  return `${rateName(values.bandwidth)}_${values.gpuType}`;
}
