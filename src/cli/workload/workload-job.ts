// What the commands of `weft workload` share: which job of a scenario is meant, and values of --set.

import { InputError } from '../../base/diagnostics.js';
import type { Job } from '../../jobs/job.js';
import { repeated, text } from '../options/declared-command.js';
import { settingChange } from '../options/option-values.js';

/** The job that is meant. @throws InputError */
export function jobOf(jobs: readonly Job[], name: string | undefined, path: string): Job {
  const names = jobs.map((job) => job.name);
  if (jobs.length === 0)
    throw InputError.about('workload-missing', path, 'the scenario has no workload', {
      wanted: 'a workload or jobs block',
    });
  const found = name === undefined && jobs.length === 1 ? jobs[0] : jobs.find((job) => job.name === name);
  if (found === undefined)
    throw InputError.about(
      'workload-job',
      name === undefined ? path : '--job',
      name === undefined ? 'the scenario has several jobs' : 'the scenario has no such job',
      { got: name, wanted: `--job with one of ${names.join(', ')}` },
    );
  return found;
}

/** Options that say which job of a scenario is meant. */
export const jobOption = text('--job <name>', 'which job, if the scenario has several');
export const jobChanges = repeated(
  '--set <path=value>',
  'change a setting of the scenario; may be repeated',
  settingChange('a path and a value, such as workload.iterations=1.'),
);
