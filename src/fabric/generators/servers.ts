// What stands in a server of every family: GPUs around NVSwitches, at the rate that the type of GPU brings.
// Invariants: the NVSwitches of a server follow one another; a GPU is linked to all of its server, or to all its GPUs.

import { rate, time, choice, resolveSetting, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { formatRateBps } from '../../base/units.js';
import { NodeKind, type FabricBuilder } from '../fabric.js';
import { effectiveLinkRateBps, gpuTypeOf, gpuTypes, isDataSheetRate } from '../gpu-types.js';
import { fastestPcieBps, lacksNvlink } from '../gpus-without-nvlink.js';
import type { ParameterProblem } from './family.js';
import { howMany } from './parameters.js';

/** The defaults in which families of servers and families of plain hosts differ. */
export interface ServerDefaults {
  readonly gpusPerServer: number;
  readonly gpuType: string;
  readonly nvswitchesPerServer: number;
}

/** The parameters of a server. @param otherwise what is added to descriptions where other parameters move a default */
export function serverSettings(defaults: ServerDefaults, otherwise = '') {
  return {
    gpusPerServer: howMany(`GPUs per server${otherwise && '; 1 = plain hosts'}`, defaults.gpusPerServer),
    gpuType: choice(
      [...gpuTypes.map(({ name }) => name), 'NONE'],
      defaults.gpuType,
      `GPU model: its NVLink, its NIC, and whether NVSwitches sum, follow from it${otherwise && '; H100 where servers have several GPUs'}`,
    ),
    nvswitchesPerServer: howMany(
      `NVSwitches per server, each linked to all its GPUs; 0 = none (of MI300X, whose GPUs are then cabled to each other)${otherwise}`,
      defaults.nvswitchesPerServer,
      0,
    ),
    nvlinkBandwidth: rate(
      '2880Gbps',
      'rate of each link between a GPU and an NVSwitch; of GPUs without NVLink, its PCIe switch; of an MI300X, all its links together',
    ),
    nvlinkLatency: time('25ns', 'delay of the links between GPUs and NVSwitches'),
  } satisfies SettingGroup;
}

export type ServerValues = SettingValues<ReturnType<typeof serverSettings>>;

/**
 * What a GPU's name brings if nothing else was said: the rate of what joins it to the others of its server, and servers
 * as large as its NVLink domain; where the GPUs do not fill racks of 72, the largest server of whole trays of four that
 * they fill.
 * @param given parameters as a scenario or a command line gives them; `gpus` is how many there are
 */
export function impliedByGpu(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const type = gpuTypeOf(String(given['gpuType'] ?? ''));
  if (type === null) return {};
  const implied = {
    nvlinkBandwidth: gigabits(effectiveLinkRateBps(type)),
    ...(type.inside === 'mesh' ? { nvswitchesPerServer: 0 } : {}),
  };
  if (type.domainGpus <= 8) return implied;
  const gpus = Number(given['gpus'] ?? type.domainGpus);
  const fits = (size: number): boolean => gpus % size === 0;
  let gpusPerServer = Math.min(gpus, type.domainGpus);
  while (gpusPerServer > 4 && !(fits(gpusPerServer) && (gpusPerServer === gpus || gpusPerServer % 4 === 0)))
    gpusPerServer--;
  return { ...implied, gpus, gpusPerServer: fits(gpusPerServer) ? gpusPerServer : 1 };
}

/** A rate as parameters have it. */
function gigabits(rateBps: number): string {
  return `${rateBps / 1e9}Gbps`;
}

/**
 * The rates of links of a GPU to the network, and of those behind them, if its name brings a NIC and no rate is given.
 * @param given parameters, with the GPU's type @param uplinks settings that hold the rates of a GPU's links to leaves
 * @param beyond settings of rates behind leaves, which are raised to what comes in there, and never lowered
 * @param ports of each NIC, which share its rate
 */
export function impliedNicRates(
  given: Readonly<Record<string, unknown>>,
  {
    uplinks,
    beyond,
    ports,
  }: { readonly uplinks: readonly string[]; readonly beyond: SettingGroup; readonly ports: number },
): Readonly<Record<string, unknown>> {
  const nicRateBps = gpuTypeOf(String(given['gpuType'] ?? ''))?.nicRateBps ?? null;
  if (nicRateBps === null || uplinks.some((name) => given[name] !== undefined)) return {};
  const raised = Object.entries(beyond).flatMap(([name, setting]) => {
    const defaultBps = resolveSetting(setting, setting.default);
    return typeof defaultBps === 'number' && defaultBps < nicRateBps ? [[name, gigabits(nicRateBps)]] : [];
  });
  return {
    ...Object.fromEntries(raised),
    ...Object.fromEntries(uplinks.map((name) => [name, gigabits(nicRateBps / ports)])),
  };
}

/** NVSwitches of all servers. */
export function nvswitchCount({ gpusPerServer, nvswitchesPerServer }: ServerValues, gpus: number): number {
  return (gpus / gpusPerServer) * nvswitchesPerServer;
}

/** Links of a server among its GPUs, where these are cabled to each other. */
function meshLinks(values: ServerValues): number {
  return isCabled(values) ? (values.gpusPerServer * (values.gpusPerServer - 1)) / 2 : 0;
}

function isCabled({ gpuType, nvswitchesPerServer }: ServerValues): boolean {
  return nvswitchesPerServer === 0 && gpuTypeOf(gpuType)?.inside === 'mesh';
}

/** Links within all servers. */
export function innerLinks(values: ServerValues, gpus: number): number {
  return gpus * values.nvswitchesPerServer + (gpus / values.gpusPerServer) * meshLinks(values);
}

/** What does not fit together: servers that the GPUs do not fill are found by the families. */
export function checkServers({ gpuType, nvswitchesPerServer, nvlinkBandwidth }: ServerValues): ParameterProblem[] {
  if (!lacksNvlink(gpuType) || nvswitchesPerServer === 0 || nvlinkBandwidth <= fastestPcieBps) return [];
  return [
    {
      parameter: 'nvlinkBandwidth',
      code: 'no-nvlink',
      message: `${gpuType} has no NVLink: this is the rate of PCIe between the GPUs of a server`,
      got: formatRateBps(nvlinkBandwidth),
      wanted: `at most ${formatRateBps(fastestPcieBps)}, PCIe 6.0 x16`,
      hint: `leave it out: ${gpuType} brings what its PCIe carries; or no NVSwitches per server, if all traffic goes by NICs`,
    },
  ];
}

/** What is worth a word about servers: a rate that was given and that is a data sheet's. */
export function remarksOnServers(values: ServerValues, given: Readonly<Record<string, unknown>>): ParameterProblem[] {
  const { gpuType, nvswitchesPerServer, nvlinkBandwidth } = values;
  const type = gpuTypeOf(gpuType);
  if (type === null || given['nvlinkBandwidth'] === undefined) return [];
  const share = isCabled(values) ? 1 : nvswitchesPerServer;
  if (share === 0 || !isDataSheetRate(type, nvlinkBandwidth * share)) return [];
  const carriedBps = effectiveLinkRateBps(type) / share;
  return [
    {
      parameter: 'nvlinkBandwidth',
      code: 'data-sheet-rate',
      message:
        `this is the rate that data sheets give the links of ${type.name}; collectives get ` +
        `${formatRateBps(carriedBps)} of it, and less time than measured comes out`,
      got: formatRateBps(nvlinkBandwidth),
      wanted: formatRateBps(carriedBps),
      hint: `leave it out: ${type.name} brings it`,
    },
  ];
}

/** The type of GPU as fabrics hold it. */
export function fabricGpuType({ gpuType }: ServerValues): string {
  return gpuType === 'NONE' ? '' : gpuType;
}

/** Adds the NVSwitches of all servers. @returns the id of the first */
export function addNvswitches(builder: FabricBuilder, values: ServerValues, gpus: number): number {
  return builder.addNodes(NodeKind.nvswitch, nvswitchCount(values, gpus));
}

/**
 * Links a GPU to the NVSwitches of its server; one of a type that has a mesh, without NVSwitches, to the GPUs after it
 * there, at its links' share of what all of them carry.
 * @param gpu its rank and id
 */
export function linkWithinServer(
  builder: FabricBuilder,
  values: ServerValues & { readonly errorRate: number },
  firstNvswitch: number,
  gpu: number,
): void {
  const { gpusPerServer, nvswitchesPerServer } = values;
  const own = firstNvswitch + Math.floor(gpu / gpusPerServer) * nvswitchesPerServer;
  for (let i = 0; i < nvswitchesPerServer; i++)
    builder.addLink(gpu, own + i, values.nvlinkBandwidth, values.nvlinkLatency, values.errorRate);
  if (!isCabled(values)) return;
  const linkBps = values.nvlinkBandwidth / (gpuTypeOf(values.gpuType)!.domainGpus - 1);
  for (let other = gpu + 1; other % gpusPerServer !== 0; other++)
    builder.addLink(gpu, other, linkBps, values.nvlinkLatency, values.errorRate);
}
