// `routing.sourcePorts` -> the source ports that a file gives to pairs of hosts (weft route source-ports writes it).

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import type { PortsOfPairs } from '../../execution/given-ports.js';
import type { Fabric } from '../../fabric/fabric.js';
import { readSourcePorts } from '../../formats/source-ports.js';
import type { InputFiles } from '../input-files.js';
import type { Planned } from './plan-fabric.js';
import type { Scenario } from '../form/read-scenario.js';
import { valueAt } from '../form/resolve.js';
import { runSettings } from '../form/schema.js';

/** Reads them. @returns the value null without a file; null after at least one error */
export async function planSourcePorts(
  { root, faulty, form }: Scenario,
  fabric: Fabric,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<PortsOfPairs | null> | null> {
  const block = new Section(root, ['routing'], diagnostics);
  if (faulty.has('routing')) return null;
  const named = block.word('sourcePorts');
  if (named === undefined) return { value: null, resolved: {} };
  if (!faulty.has('controller') && valueAt(root, ['controller', 'enabled'], runSettings.controller.enabled)) {
    block.error('sourcePorts', 'source-ports', 'the controller gives source ports, too', {
      wanted: 'routing.sourcePorts, or controller.enabled',
    });
    return null;
  }
  const { balancing } = block.group(form.routingSettings) as { readonly balancing?: unknown };
  if (balancing !== undefined && balancing !== 'ecmp') {
    block.error('balancing', 'source-ports', 'source ports decide nothing where switches or senders balance packets', {
      got: String(balancing),
      wanted: 'ecmp, or no routing.sourcePorts',
    });
    return null;
  }
  return readNamed(block.at('sourcePorts'), 'file of source ports', async () => {
    const ports = readSourcePorts(await files.readText('ports', named), files.resolve(named), fabric, diagnostics);
    return ports === null ? null : { value: ports, resolved: { sourcePorts: named } };
  });
}
