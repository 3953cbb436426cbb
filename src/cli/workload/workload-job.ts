// What the commands of `weft workload` share: which job of a scenario is meant, and values of --set.

import { InvalidArgumentError } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { Job } from '../../jobs/job.js';

/** The job that is meant. @throws InputError */
export function jobOf(jobs: readonly Job[], name: string | undefined, path: string): Job {
  const names = jobs.map((job) => job.name);
  if (jobs.length === 0)
    throw InputError.at('workload-missing', path, wholeFile, 'the scenario has no workload', {
      wanted: 'a workload or jobs block',
    });
  const found = name === undefined && jobs.length === 1 ? jobs[0] : jobs.find((job) => job.name === name);
  if (found === undefined)
    throw InputError.at(
      'workload-job',
      name === undefined ? path : '--job',
      wholeFile,
      name === undefined ? 'the scenario has several jobs' : 'the scenario has no such job',
      { ...(name === undefined ? {} : { got: name }), wanted: `--job with one of ${names.join(', ')}` },
    );
  return found;
}

/** Collects values of --set. @throws InvalidArgumentError */
export function collect(value: string, earlier: string[] = []): string[] {
  if (!/^[^=\s]+=/.test(value))
    throw new InvalidArgumentError('Give a path and a value, such as workload.iterations=1.');
  return [...earlier, value];
}
