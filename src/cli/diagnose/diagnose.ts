// weft diagnose: why a stored run was slow, and what to try.

import { diagnoseRun } from '../../app/diagnose/diagnose-run.js';
import { planOfStoredRun, type PlanChanges } from '../../app/diagnose/stored-plan.js';
import { endOfStoredJobs } from '../../app/diagnose/end-of-jobs.js';
import { jobsOf, remediesFor, tryRemedy, type Trial } from '../../app/diagnose/try-remedies.js';
import type { Plan } from '../../scenario/plan.js';
import { diagnosisObject, diagnosisText } from '../../report/diagnosis/diagnosis-object.js';
import { openRun } from '../../storage/run-reader.js';
import { tellUnchecked, watchedRun, withProgress } from '../analyze/analyze-options.js';
import { declaredCommand, oneOf, text, toggle, value } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { printResult } from '../terminal.js';

const jobNumber = numberThat((number) => Number.isInteger(number) && number >= 0, 'a number of a job, from 0.');

const commandOptions = [
  oneOf(
    '--as <who>',
    'owner: from samples of its packets alone; operator: from everything',
    ['owner', 'operator'],
    'operator',
  ),
  value('--job <number>', 'only what this job lost, by its number in the summary', jobNumber),
  text('--scenario <file>', 'where the scenario lies now, for the files that it names'),
  toggle('--propose-mapping', 'print better places for the ranks of jobs'),
  toggle('--try', 'run what could be changed, and print what it gains'),
  toggle('--json', 'print one JSON object'),
] as const;

/** The command `diagnose`. */
export default declaredCommand({
  name: 'diagnose',
  description: 'why a run was slow: causes, links and ranks, and what to try',
  argument: ['<run>', 'a folder of weft run --out'],
  options: commandOptions,
  after: `
Examples:
  weft run scenario.yaml --out results
  weft diagnose results
  weft diagnose results --as owner --job 0 --json

docs/models/diagnosis.md says how causes are told apart.`,
  run: async ({ argument, options, context }) => {
    const { host, makePlan, simulate, stderr } = context;
    const opened = await openRun(argument);
    tellUnchecked(stderr, [opened]);
    const result = await withProgress(context, async (progress) => {
      const run = watchedRun(opened, progress);
      const made = (changes?: PlanChanges): Promise<Plan> =>
        planOfStoredRun({ ...run, summary: opened.summary }, { host, makePlan }, changes, options.scenario ?? null);
      const plan = await made();
      progress.update('following flows through time');
      const diagnosis = await diagnoseRun(run, plan.fabric, plan, { as: options.as, job: options.job ?? null });
      const { findings, mappings, observed } = diagnosis;
      const jobs = jobsOf(findings);
      const totalPs = endOfStoredJobs(opened.summary, jobs);
      const trials: Trial[] = [];
      for (const remedy of options.try ? remediesFor(plan, findings, diagnosis, totalPs) : []) {
        progress.update(`trying ${remedy.change}`);
        trials.push(await tryRemedy(remedy, made, (changed) => simulate(changed, { host }), jobs));
      }
      return {
        shown: argument,
        as: options.as,
        fabric: plan.fabric,
        identity: plan.identity,
        jobs: observed.jobs,
        findings,
        totalPs,
        trials: options.try ? trials : null,
        mappings: options.proposeMapping ? mappings : null,
      };
    });
    printResult(context, options.json, diagnosisObject(result), () => diagnosisText(result));
  },
});
