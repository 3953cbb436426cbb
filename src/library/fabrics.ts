// Fabrics by the name of their family: what `weft topology generate` makes, as a value.

import { type Diagnostic, InputError, wholeFile } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import {
  fabricFamilies,
  findFamily,
  type ParameterProblem,
  resolveParameters,
} from '../fabric/generators/catalogue.js';

/**
 * Generates a fabric.
 * @param family such as `spectrum-x`, `fat-tree` or `dcn+`; `fabricFamilies` lists them with their parameters
 * @param parameters as a scenario writes them: `{ gpus: 128, nicRate: '200Gbps' }`
 * @throws InputError if there is no such family, or the parameters do not fit
 */
export function generateFabric(family: string, parameters: Readonly<Record<string, unknown>> = {}): Fabric {
  const found = findFamily(family);
  if (found === null)
    throw InputError.about('unknown-family', 'generateFabric', 'there is no such family of fabrics', {
      got: family,
      wanted: fabricFamilies.map(({ name }) => name).join(', '),
    });
  const { values, problems } = resolveParameters(found.family, { ...found.implied, ...parameters });
  if (values !== null) return found.family.generate(values);
  throw new InputError(problems.map((problem) => parameterDiagnostic(found.family.name, problem)));
}

function parameterDiagnostic(family: string, problem: ParameterProblem): Diagnostic {
  const { parameter, ...rest } = problem;
  const file = parameter === null ? family : `${family}.${parameter}`;
  return { severity: 'error', file, ...wholeFile, ...rest };
}
