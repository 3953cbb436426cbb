// What to do about a parameter of a fabric's family that does not fit, in the words of the place where it was given: a
// scenario or a command line. The families themselves know neither.

import type { FabricFamily, ParameterProblem } from '../../fabric/generators/catalogue.js';
import { missingUnit } from './setting-problem.js';

/**
 * @param given the parameters that were given, by their keys
 * @param nameOf what a parameter is called there
 * @returns undefined if there is nothing to add
 */
export function parameterHint(
  family: FabricFamily,
  problem: ParameterProblem,
  given: Readonly<Record<string, unknown>>,
  nameOf: (key: string) => string,
): string | undefined {
  const { parameter, code, hint } = problem;
  if (hint !== undefined || parameter === null) return hint;
  if (code === 'conflicting-parameters') {
    // a fat tree's k, which gives the whole shape, is the one parameter that excludes others
    return given['k'] === undefined ? undefined : `leave out ${nameOf('k')}, or leave out ${nameOf(parameter)}`;
  }
  const setting = family.settings[parameter];
  const value = given[parameter];
  const complete =
    code === 'bad-parameter' && setting !== undefined && typeof value === 'string' ? missingUnit(setting, value) : null;
  return complete === null ? undefined : `the unit is missing: ${complete}?`;
}
