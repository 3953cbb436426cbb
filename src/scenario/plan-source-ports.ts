// `routing.sourcePorts` -> the source ports that a file gives to pairs of hosts (weft route source-ports writes it).

import type { Diagnostics } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import type { PortsOfPairs } from '../execution/given-ports.js';
import type { Fabric } from '../fabric/fabric.js';
import { readSourcePorts } from '../formats/source-ports.js';
import type { InputFiles } from './input-files.js';
import { errorAt, placeOf } from './located.js';
import { type Planned, reportFile } from './plan-fabric.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, valueAt, wordAt } from './resolve.js';
import { runSettings } from './schema.js';

/** Reads them. @returns the value null without a file; null after at least one error */
export async function planSourcePorts(
  { root, faulty, form }: Scenario,
  fabric: Fabric,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<PortsOfPairs | null> | null> {
  if (faulty.has('routing')) return null;
  const named = wordAt(root, ['routing', 'sourcePorts']);
  if (named === undefined) return { value: null, resolved: {} };
  if (!faulty.has('controller') && valueAt(root, ['controller', 'enabled'], runSettings.controller.enabled)) {
    errorAt(
      diagnostics,
      'source-ports',
      placeOf(root, ['routing', 'sourcePorts']),
      'the controller gives source ports, too',
      { wanted: 'routing.sourcePorts, or controller.enabled' },
    );
    return null;
  }
  const { balancing } = groupAt(root, ['routing'], form.routingSettings) as { readonly balancing?: unknown };
  if (balancing !== undefined && balancing !== 'ecmp') {
    errorAt(
      diagnostics,
      'source-ports',
      placeOf(root, ['routing', 'balancing']),
      'source ports decide nothing where switches or senders balance packets',
      { got: String(balancing), wanted: 'ecmp, or no routing.sourcePorts' },
    );
    return null;
  }
  try {
    const ports = readSourcePorts(await files.readText('ports', named), files.resolve(named), fabric, diagnostics);
    return ports === null ? null : { value: ports, resolved: { sourcePorts: named } };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(root, ['routing', 'sourcePorts'], 'file of source ports', error, diagnostics);
    return null;
  }
}
