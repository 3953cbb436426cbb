// `--env NAME=value` of `weft collective`: variables of NCCL's environment. They are taken from options alone, never
// from the environment of the process: a simulation depends on what its command says, wherever it runs.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import {
  ncclEnvironment,
  type NcclEnvironment,
  ncclVariables,
  variableProblem,
} from '../../collectives/nccl-environment.js';
import { isNccl, type Profile, profileName } from '../../collectives/selection.js';
import { didYouMean } from '../../scenario/suggest.js';

/** What the options ask for; undefined without any. @throws InputError */
export function ncclOption(texts: readonly string[], profile: Profile): NcclEnvironment | undefined {
  if (texts.length === 0) return undefined;
  if (!isNccl(profile))
    throw mistake(
      `profile ${profileName(profile)} does not read NCCL's environment`,
      texts.join(', '),
      'a profile of NCCL, or no --env',
    );
  const values: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw mistake('is no variable with a value', text, 'NAME=value, such as NCCL_ALGO=Ring');
    if (Object.hasOwn(values, name)) throw mistake(`${name} is given twice`, text, 'each variable once');
    const problem = variableProblem(name, value);
    if (problem !== null) {
      const known = ncclVariables.map((one) => one.name);
      const hint = problem.hint ?? (known.includes(name) ? undefined : didYouMean(name, known));
      throw mistake(`${name} ${problem.message}`, text, problem.wanted, hint);
    }
    values[name] = value.trim();
  }
  return ncclEnvironment(values);
}

function mistake(message: string, got: string, wanted: string, hint?: string): InputError {
  return InputError.at('collective-env', '--env', wholeFile, message, { got, wanted, hint });
}
