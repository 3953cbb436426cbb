// Files that take twenty seconds and more of a core. A run of the whole suite takes one in three of them, as the seed says,
// so all have their turn over the commits; WEFT_DRAWS takes all. `npx vitest run FILE` runs any of them.

import { isDrawn } from './drawn.js';
import { seed } from './seed.js';

/** By the time they take: neighbours are not drawn together. */
export const longFiles = [
  'test/opensm/guide-captures.slow.test.ts',
  'test/validation/checks.slow.test.ts',
  'test/opensm/stepwise.slow.test.ts',
  'test/site/site.slow.test.ts',
  'test/cli/ui.slow.test.ts',
  'test/site/documents.slow.test.ts',
  'test/optimization/optimize-routes.slow.test.ts',
  'test/cli/faults.slow.test.ts',
  'test/cli/side-by-side.slow.test.ts',
  'test/golden/gpt3-13b.slow.test.ts',
  'test/scenario/setting-effects.slow.test.ts',
  'test/app/forecast.slow.test.ts',
  'test/opensm/guide.slow.test.ts',
  'test/campaign/hostile-tasks.slow.test.ts',
  'test/property/several-lids.slow.test.ts',
  'test/golden/central-controller.slow.test.ts',
  'test/opensm/repaired-tables.slow.test.ts',
  'test/bench/jobs.slow.test.ts',
  'test/golden/sweep.slow.test.ts',
  'test/property/operator-mutants.slow.test.ts',
  'test/opensm/live.slow.test.ts',
  'test/property/inherited-words.slow.test.ts',
  'test/collectives/small-groups.slow.test.ts',
  'test/cli/plan.slow.test.ts',
  'test/cli/hostile-files.slow.test.ts',
  'test/golden/calibrate.slow.test.ts',
  'test/cli/route-bad-input.slow.test.ts',
] as const;

/** Files that `npm test` leaves out this time, and says so; none of any other command. */
export function restingFiles(): string[] {
  if (process.env['npm_lifecycle_event'] !== 'test') return [];
  const resting = longFiles.filter((_, place) => !isDrawn(place, 3));
  if (resting.length > 0)
    process.stdout.write(
      `left out by WEFT_SEED=${seed}, two in three long files (WEFT_DRAWS=1 takes all):\n  ${resting.join('\n  ')}\n`,
    );
  return resting;
}
