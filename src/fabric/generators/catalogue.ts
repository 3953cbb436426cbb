// The families of fabrics that Weft generates: one list for the command line, scenarios and the documentation.

import { fail } from '../../base/fail.js';
import type { Fabric } from '../fabric.js';
import { alibabaHpn } from './alibaba-hpn.js';
import { dcnPlus } from './dcn-plus.js';
import { dragonfly } from './dragonfly.js';
import { dragonflyPlus } from './dragonfly-plus.js';
import { dumbbell } from './dumbbell.js';
import { resolveParameters, type FabricFamily, type ParameterValues } from './family.js';
import { fatTree } from './fat-tree.js';
import { hyperX } from './hyperx.js';
import { leafSpine } from './leaf-spine.js';
import { spectrumX } from './spectrum-x.js';
import { torus } from './torus.js';
import { wanDumbbell } from './wan-dumbbell.js';

export { resolveParameters, type FabricFamily, type ParameterProblem, type ParameterValues } from './family.js';

/** All families, in the order in which they are listed. */
export const fabricFamilies: readonly FabricFamily[] = [
  spectrumX,
  alibabaHpn,
  dcnPlus,
  fatTree,
  leafSpine,
  torus,
  hyperX,
  dragonfly,
  dragonflyPlus,
  dumbbell,
  wanDumbbell,
];

/** A family by one of its names, and the parameters that this name implies. */
export interface NamedFamily {
  readonly family: FabricFamily;
  readonly implied: Readonly<Record<string, unknown>>;
}

/**
 * Finds a family by its name or another name of it, in any case: `dcn+`, `DCN+`, `AlibabaHPN-DualPlane`.
 * @returns null if there is none
 */
export function findFamily(name: string): NamedFamily | null {
  const wanted = name.toLowerCase();
  for (const family of fabricFamilies) {
    if (family.name === wanted) return { family, implied: {} };
    if (Object.hasOwn(family.otherNames, wanted)) return { family, implied: family.otherNames[wanted]! };
  }
  return null;
}

/** The name of the file for a fabric, as SimAI's generator gives it: `Spectrum-X_128g_8gps_100Gbps_A100`. */
export function fabricFileName(family: FabricFamily, values: ParameterValues): string {
  return family.fileName(values);
}

/**
 * A fabric straight from parameters that the program itself chooses (tests, benchmarks, examples).
 * @param given parameters as text, numbers or booleans, as in `generateFabric('fat-tree', { k: 8 })`
 * @throws InvariantError if the family does not exist or the parameters do not fit
 */
export function generateFabric(name: string, given: Readonly<Record<string, unknown>> = {}): Fabric {
  const found = findFamily(name);
  if (found === null) fail(`no fabric family ${name}`);
  const { values, problems } = resolveParameters(found.family, { ...found.implied, ...given });
  if (values === null) fail(`${name}: ${problems.map((problem) => problem.message).join('; ')}`);
  return found.family.generate(values);
}
