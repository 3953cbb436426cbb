// Parameters that make families comparable: the same number of GPUs with the same bandwidth each, switches of the same
// number of ports, and no more bandwidth down from a leaf than its taper times that up.
// Invariants: what is given stays as it is, and the rest follows from it; counts are rounded up, so that a fabric has
// its taper or less. Upper levels of trees and links between groups have no taper of their own.

import { resolveSetting, type Setting } from '../../base/settings.js';
import { maxNodes } from '../fabric.js';
import type { FabricFamily } from './family.js';

/** What all fabrics of a comparison have in common. */
export interface SizeRequest {
  readonly gpus: number;
  /** bandwidth from hosts into a leaf over that of its other links, at most */
  readonly taper: number;
  /**
   * ports of a switch at the rate of a GPU, half of them for hosts; null: as few as two levels need (a power of two)
   */
  readonly switchPorts: number | null;
}

type Given = Readonly<Record<string, unknown>>;
type Parameters = Record<string, string | number | boolean>;

/** of a GPU's links to the network together, where its name brings no NIC */
const gpuRate = '400Gbps';
const linkLatency = '500ns';
const plainServer = 8;

/** Ports of the smallest switches, a power of two of them, with which two levels hold all GPUs. */
export function switchPortsFor({ gpus, switchPorts }: SizeRequest): number {
  if (switchPorts !== null) return switchPorts;
  let ports = 4;
  while ((ports * ports) / 2 < gpus) ports *= 2;
  return ports;
}

/**
 * The parameters of a family for a comparison.
 * @param given by the user, under the settings' keys; with those that a name implies
 * @returns what is to be added to them, and the GPUs that all of them make; null: the family has no such size
 */
export function sizedParameters(
  family: FabricFamily,
  given: Given,
  request: SizeRequest,
): { readonly parameters: Parameters; readonly gpus: number } | null {
  const sized = sizings.get(family.name);
  if (sized === undefined) return null;
  const parameters: Parameters = {};
  // a type of GPU may bring servers of another size, without NVSwitches, and another NIC
  const implied = family.impliedDefaults({ gpus: request.gpus, ...given });
  const values: Values = {
    has: (key) => given[key] !== undefined,
    number: (key, otherwise) => {
      const setting = family.settings[key];
      if (given[key] === undefined || setting === undefined) {
        const brought = setting?.kind === 'rate' ? implied[key] : undefined;
        const own = typeof brought === 'string' ? brought : typeof otherwise === 'function' ? otherwise() : otherwise;
        parameters[key] = own;
        return valueOf(setting, own) ?? 1;
      }
      // what does not resolve is refused with the family's own message later
      return valueOf(setting, given[key]) ?? 1;
    },
    isSet: (key) => given[key] === true || given[key] === 'true',
  };
  const gpusPerServer = Number(implied['gpusPerServer'] ?? plainServer);
  const hosts = sized(values, { ...request, gpusPerServer }, switchPortsFor(request) / 2);
  if (Object.hasOwn(family.settings, 'gpusPerServer')) values.number('gpusPerServer', gpusPerServer);
  if (Object.hasOwn(family.settings, 'nvswitchesPerServer'))
    values.number('nvswitchesPerServer', Number(implied['nvswitchesPerServer'] ?? 1));
  for (const key of Object.keys(family.settings))
    if (/latency$/i.test(key) && key !== 'nvlinkLatency') values.number(key, linkLatency);
  return { parameters, gpus: hosts };
}

/** What a sizing reads: a parameter that is given, or its own choice, which is then a parameter. */
interface Values {
  has(key: string): boolean;
  number(key: string, otherwise: number | string | (() => number)): number;
  isSet(key: string): boolean;
}

function valueOf(setting: Setting | undefined, value: unknown): number | null {
  const resolved = setting === undefined ? null : resolveSetting(setting, value);
  return typeof resolved === 'number' ? resolved : null;
}

/** At least one, and no more than a fabric may have. */
function atLeastOne(count: number): number {
  return Math.min(maxNodes, Math.max(1, Math.ceil(count - 1e-9)));
}

/** Sets the parameters of a family. @returns the GPUs of the fabric */
type Sizing = (
  values: Values,
  request: SizeRequest & { readonly gpusPerServer: number },
  hostsPerLeaf: number,
) => number;

function datacenter(isByRails: boolean): Sizing {
  return (values, { gpus, taper, gpusPerServer }, hostsPerLeaf) => {
    const planes = values.isSet('dualPlane') ? 2 : 1;
    const sets = values.isSet('dualTor') || values.has('dualPlane') ? 2 : 1;
    const own = values.number('gpus', gpus);
    const perServer = values.number('gpusPerServer', gpusPerServer);
    const nics = values.number('nicsPerServer', 0) || perServer;
    const bandwidth = values.number('bandwidth', sets === 2 ? '200Gbps' : gpuRate);
    const nicsPerAsw = values.number('nicsPerAsw', hostsPerLeaf * sets);
    const servers = own / perServer;
    const onLeaf = Math.min(nicsPerAsw, isByRails ? servers : servers * nics);
    const leaves =
      (isByRails ? Math.ceil(servers / nicsPerAsw) * nics : Math.ceil((servers * nics) / nicsPerAsw)) * sets;
    const upRate = values.number('aswPswBandwidth', gpuRate);
    values.number('pswSwitches', () => planes * atLeastOne((onLeaf * bandwidth) / (taper * upRate)));
    values.number('aswPerPsw', atLeastOne(leaves / planes));
    return own;
  };
}

const leafSpine: Sizing = (values, { gpus, taper }, most) => {
  const hosts = values.has('leaves') ? 0 : most;
  const leaves = values.has('leaves') ? values.number('leaves', 1) : 0;
  const hostsPerLeaf = values.number('hostsPerLeaf', () => (leaves > 0 ? atLeastOne(gpus / leaves) : hosts));
  const all = values.number('leaves', () => atLeastOne(gpus / hostsPerLeaf));
  const down = hostsPerLeaf * values.number('hostRate', gpuRate);
  const up = values.number('spineRate', gpuRate);
  if (values.has('spines'))
    values.number('linksPerSpine', () => atLeastOne(down / (taper * up * values.number('spines', 1))));
  else values.number('spines', atLeastOne(down / (taper * up * values.number('linksPerSpine', 1))));
  return all * hostsPerLeaf;
};

const fatTree: Sizing = (values, { gpus, taper }) => {
  const [hostRate, aggregationRate, coreRate] = ['hostRate', 'aggregationRate', 'coreRate'].map((key) =>
    values.number(key, gpuRate),
  ) as [number, number, number];
  const k = values.has('k') ? values.number('k', 0) : 0;
  if (k > 0) return (k * k * k) / 4;
  // half the ports of a switch: 2 half^3 hosts
  let half = 1;
  while (2 * half * half * half < gpus) half *= 2;
  const hostsPerEdge = values.number('hostsPerEdge', half);
  const edgesPerPod = values.number('edgesPerPod', half);
  const pods = values.number('pods', () => atLeastOne(gpus / (hostsPerEdge * edgesPerPod)));
  const aggregation = values.number('aggregationPerPod', () =>
    atLeastOne((hostsPerEdge * hostRate) / (taper * aggregationRate)),
  );
  values.number('cores', () =>
    aggregation === 0
      ? atLeastOne((hostsPerEdge * hostRate) / (taper * coreRate))
      : pods === 1
        ? 0
        : aggregation * atLeastOne((edgesPerPod * aggregationRate) / coreRate),
  );
  return pods * edgesPerPod * hostsPerEdge;
};

/** Balanced at a taper of 1 (Kim and others, ISCA 2008): as many global links of a switch as hosts, twice the switches. */
const dragonfly: Sizing = (values, { gpus, taper, switchPorts }) => {
  const [hostRate, globalRate] = [values.number('hostRate', gpuRate), values.number('globalRate', gpuRate)];
  values.number('localRate', gpuRate);
  const globalLinks = (hosts: number): number => atLeastOne((hosts * hostRate) / (taper * globalRate));
  // p hosts, 2 p - 1 local and about p global ports
  const hostsPerSwitch = values.number('hostsPerSwitch', () => {
    if (switchPorts !== null) return atLeastOne(Math.floor((switchPorts + 1) / 4));
    let hosts = 1;
    while (2 * hosts * hosts * (2 * hosts * globalLinks(hosts) + 1) < gpus) hosts *= 2;
    return hosts;
  });
  const switches = values.number('switchesPerGroup', 2 * hostsPerSwitch) || 2 * hostsPerSwitch;
  const links = values.number('globalLinksPerSwitch', globalLinks(hostsPerSwitch)) || hostsPerSwitch;
  const groups = values.number('groups', atLeastOne(gpus / (hostsPerSwitch * switches))) || switches * links + 1;
  return groups * switches * hostsPerSwitch;
};

const dragonflyPlus: Sizing = (values, { gpus, taper }, most) => {
  const hostsPerLeaf = values.number('hostsPerLeaf', most);
  const hostRate = values.number('hostRate', gpuRate);
  const spineRate = values.number('spineRate', gpuRate);
  const groupRate = values.number('groupRate', gpuRate);
  // at least four groups where there are enough leaves
  const leavesPerGroup = values.number('leavesPerGroup', () => {
    let leaves = 1;
    while (2 * leaves <= hostsPerLeaf && gpus / (hostsPerLeaf * 2 * leaves) >= 4) leaves *= 2;
    return leaves;
  });
  values.number('spinesPerGroup', atLeastOne((hostsPerLeaf * hostRate) / (taper * spineRate)));
  const groups = values.number('groups', atLeastOne(gpus / (hostsPerLeaf * leavesPerGroup)));
  values.number(
    'linksPerGroupPair',
    atLeastOne((leavesPerGroup * hostsPerLeaf * hostRate) / (taper * groupRate * Math.max(1, groups - 1))),
  );
  return groups * leavesPerGroup * hostsPerLeaf;
};

/** @param linksOf links of a switch along a side */
function grid(linksOf: (side: number) => number): Sizing {
  return (values, { gpus, taper }, most) => {
    const hostsPerSwitch = values.number('hostsPerSwitch', most);
    const depth = values.number('depth', 1);
    const layer = atLeastOne(gpus / hostsPerSwitch / depth);
    // as near to a square as whole sides go
    const width = values.number('width', () => {
      if (values.has('height')) return atLeastOne(layer / values.number('height', 1));
      let side = Math.ceil(Math.sqrt(layer));
      while (layer % side !== 0) side++;
      return side;
    });
    const height = values.number('height', () => atLeastOne(layer / width));
    const degree = [width, height, depth].reduce((sum, side) => sum + linksOf(side), 0);
    const [hostRate, switchRate] = [values.number('hostRate', gpuRate), values.number('switchRate', gpuRate)];
    values.number(
      'linksPerNeighbour',
      atLeastOne((hostsPerSwitch * hostRate) / (taper * switchRate * Math.max(1, degree))),
    );
    return width * height * depth * hostsPerSwitch;
  };
}

const sizings: ReadonlyMap<string, Sizing> = new Map<string, Sizing>([
  ['spectrum-x', datacenter(true)],
  [
    'alibaba-hpn',
    (values, request, most) =>
      // two leaves per GPU, with one plane as with two
      datacenter(true)({ ...values, has: (key) => key === 'dualPlane' || values.has(key) }, request, most),
  ],
  ['dcn+', datacenter(false)],
  ['leaf-spine', leafSpine],
  ['fat-tree', fatTree],
  ['dragonfly', dragonfly],
  ['dragonfly+', dragonflyPlus],
  ['torus', grid((side) => (side > 2 ? 2 : side - 1))],
  ['hyperx', grid((side) => side - 1)],
]);
