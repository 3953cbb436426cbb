// The fabric of a scenario alone, for commands that bring work of their own.
// Invariant: the `fabric` block is checked as in a scenario; other keys are named in a warning and not read.

import type { Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { FabricOfFile } from '../../formats/fabric-file.js';
import { InputFiles } from '../input-files.js';
import { type LocatedMap, warningAt } from '../form/located.js';
import { planFabric } from './plan-fabric.js';
import { checkScenario } from '../form/read-scenario.js';
import { readYaml } from '../form/read-yaml.js';

/**
 * Builds the fabric that a scenario describes.
 * @param file its path; a topology file that it names is relative to its folder
 * @returns the fabric; null after at least one error
 */
export async function fabricOfScenario(
  text: string,
  file: string,
  host: Host,
  diagnostics: Diagnostics,
): Promise<FabricOfFile | null> {
  const root = readYaml(text, file, diagnostics);
  if (root?.kind !== 'map') {
    if (root !== null)
      diagnostics.error('scenario-type', file, root.place, 'the file is not made of keys and values', {
        wanted: 'a fabric block, such as fabric: { generate: spectrum-x, gpus: 128 }',
      });
    return null;
  }
  const fabric = root.entries.get('fabric');
  if (fabric === undefined) {
    diagnostics.error('scenario-fabric', file, root.place, 'the scenario describes no fabric', {
      got: [...root.entries.keys()].join(', '),
      wanted: 'a fabric block, such as fabric: { generate: spectrum-x, gpus: 128 }',
    });
    return null;
  }
  const others = [...root.entries].filter(([key]) => key !== 'fabric');
  if (others.length > 0)
    warningAt(
      diagnostics,
      'scenario-only-fabric',
      others[0]![1].keyPlace,
      `only the fabric of the scenario is taken, not ${others.map(([key]) => key).join(', ')}`,
    );
  const { keyPlace, place } = { keyPlace: fabric.keyPlace, place: fabric.value.place };
  // a form needs traffic; none is read
  const trace = { keyPlace, value: { kind: 'scalar', place, value: '-', text: '-' } as const };
  const whole: LocatedMap = {
    kind: 'map',
    place: root.place,
    entries: new Map([
      ['fabric', fabric],
      ['traffic', { keyPlace, value: { kind: 'map', place, entries: new Map([['trace', trace]]) } }],
    ]),
  };
  const scenario = checkScenario(whole, file, [], diagnostics);
  const planned = await planFabric(scenario, new InputFiles(host, file), diagnostics);
  return planned === null ? null : { fabric: planned.value, identity: planned.identity };
}
