// Families whose shape counts hosts: what their servers are is said once, here. A host is a GPU where servers have
// several; then NVSwitches join those of a server, as in the datacenter families.
// Invariants: ids count up over hosts, NVSwitches, and what the family adds; a host's links are first to its
// NVSwitches.

import { resolveSetting, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { FabricBuilder, NodeKind, type Fabric } from '../fabric.js';
import { defineFamily, type FabricFamily, type FamilyDefinition, type FabricSize } from './family.js';
import { errorRate } from './parameters.js';
import {
  addNvswitches,
  checkServers,
  fabricGpuType,
  impliedByGpu,
  impliedNicRates,
  innerLinks,
  linkWithinServer,
  nvswitchCount,
  remarksOnServers,
  serverSettings,
  type ServerValues,
} from './servers.js';

const ownSettings = {
  ...serverSettings(
    { gpusPerServer: 1, gpuType: 'NONE', nvswitchesPerServer: 0 },
    '; one where servers have several GPUs',
  ),
  errorRate,
} satisfies SettingGroup;

type Given = Readonly<Record<string, unknown>>;
type OwnValues = ServerValues & { readonly errorRate: number };

/** A family of hosts: what it has beside its servers. */
export interface HostFamilyDefinition<G extends SettingGroup> extends Pick<
  FamilyDefinition<G>,
  'name' | 'otherNames' | 'description' | 'settings' | 'impliedDefaults' | 'fileName'
> {
  /** hosts of a shape */
  readonly hosts: (values: SettingValues<G>) => number;
  /** nodes and links outside the servers, those between hosts and switches among the latter */
  readonly outside: (values: SettingValues<G>) => FabricSize;
  readonly check?: (values: SettingValues<G>) => ReturnType<FabricFamily['check']>;
  /** Adds switches and links to a fabric that has its servers: hosts are the nodes from 0 on. */
  readonly connect: (builder: FabricBuilder, values: SettingValues<G> & { readonly errorRate: number }) => void;
}

/** Completes a family of hosts. */
export function defineHostFamily<const G extends SettingGroup>(definition: HostFamilyDefinition<G>): FabricFamily {
  const { hosts, outside, check = () => [], connect, impliedDefaults = () => ({}), ...rest } = definition;
  const settings: SettingGroup = { ...definition.settings, ...ownSettings };
  const parts = (values: unknown): [SettingValues<G>, OwnValues] => [values as SettingValues<G>, values as OwnValues];
  return defineFamily<SettingGroup>({
    ...rest,
    settings,
    impliedDefaults: (given) => {
      const shape = { ...impliedDefaults(given), ...given };
      return {
        ...impliedDefaults(given),
        ...impliedNicRates(given, { uplinks: ['hostRate'], beyond: rates(definition.settings), ports: 1 }),
        ...impliedServers({ gpus: hosts(shapeValues(definition.settings, shape)), ...shape }),
      };
    },
    size: (values) => {
      const [shape, own] = parts(values);
      const count = hosts(shape);
      const { nodes, links } = outside(shape);
      return {
        nodes: nodes + count + nvswitchCount(own, count),
        links: links + innerLinks(own, count),
      };
    },
    check: (values) => {
      const [shape, own] = parts(values);
      const problems = check(shape);
      if (problems.length > 0) return problems;
      const { gpusPerServer } = own;
      const count = hosts(shape);
      if (count % gpusPerServer === 0) return checkServers(own);
      return [
        {
          parameter: 'gpusPerServer',
          code: 'uneven-servers',
          message: `${count} hosts do not fill servers of ${gpusPerServer}`,
          got: String(gpusPerServer),
          wanted: `a divisor of ${count}`,
        },
      ];
    },
    remarks: (values, given) => remarksOnServers(parts(values)[1], given),
    generate: (values): Fabric => {
      const [shape, own] = parts(values);
      const count = hosts(shape);
      const builder = new FabricBuilder(own.gpusPerServer, fabricGpuType(own));
      builder.addNodes(NodeKind.host, count);
      const firstNvswitch = addNvswitches(builder, own, count);
      for (let host = 0; host < count; host++) linkWithinServer(builder, own, firstNvswitch, host);
      connect(builder, values as SettingValues<G> & { readonly errorRate: number });
      return builder.build();
    },
    fileName: (values) => definition.fileName(parts(values)[0]),
  });
}

/** The settings that are rates of links. */
function rates(settings: SettingGroup): SettingGroup {
  return Object.fromEntries(Object.entries(settings).filter(([, { kind }]) => kind === 'rate'));
}

/** The values of a shape before it is checked: how many hosts it has decides how large a rack's servers are. */
function shapeValues<G extends SettingGroup>(settings: G, given: Given): SettingValues<G> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [
      key,
      resolveSetting(setting, given[key] ?? setting.default) ?? resolveSetting(setting, setting.default),
    ]),
  ) as SettingValues<G>;
}

/** Servers of several GPUs have an NVSwitch, and H100s in them, if nothing else was said; a type of GPU has servers. */
function impliedServers(given: Given): Given {
  const isTyped = given['gpuType'] !== undefined && String(given['gpuType']).toUpperCase() !== 'NONE';
  const gpusPerServer = given['gpusPerServer'] ?? (isTyped ? (impliedByGpu(given)['gpusPerServer'] ?? 8) : 1);
  if (Number(gpusPerServer) === 1) return impliedByGpu(given);
  // the default is a name that nobody gave: as in the datacenter families, it brings no rate
  return { gpuType: 'H100', nvswitchesPerServer: 1, ...impliedByGpu(given), gpusPerServer };
}
