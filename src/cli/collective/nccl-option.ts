// `--env NAME=value` of `weft collective`: variables of NCCL's environment. They are taken from options alone, never from
// the environment of the process: a simulation depends on what its command says, wherever it runs.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import {
  ncclEnvironment,
  type NcclEnvironment,
  ncclVariables,
  variableProblem,
} from '../../collectives/nccl-environment.js';
import { isNccl, type Profile, profileName } from '../../collectives/selection.js';
import { nearest } from '../../scenario/suggest.js';

/** What the options ask for; null without any. @throws InputError */
export function ncclOption(texts: readonly string[], profile: Profile): NcclEnvironment | null {
  if (texts.length === 0) return null;
  if (!isNccl(profile))
    throw InputError.at(
      'collective-env',
      '--env',
      wholeFile,
      `profile ${profileName(profile)} does not read NCCL's environment`,
      {
        got: texts.join(', '),
        wanted: 'a profile of NCCL, or no --env',
      },
    );
  const values: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw InputError.at('collective-env', '--env', wholeFile, 'is no variable with a value', {
        got: text,
        wanted: 'NAME=value, such as NCCL_ALGO=Ring',
      });
    if (Object.hasOwn(values, name))
      throw InputError.at('collective-env', '--env', wholeFile, `${name} is given twice`, {
        got: text,
        wanted: 'each variable once',
      });
    const problem = variableProblem(name, value);
    if (problem !== null) {
      const near = nearest(
        name,
        ncclVariables.map((one) => one.name),
      );
      const hint = problem.hint ?? (near === null || near === name ? undefined : `did you mean ${near}?`);
      throw InputError.at('collective-env', '--env', wholeFile, `${name} ${problem.message}`, {
        got: text,
        wanted: problem.wanted,
        ...(hint === undefined ? {} : { hint }),
      });
    }
    values[name] = value.trim();
  }
  return ncclEnvironment(values);
}
