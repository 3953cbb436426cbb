// What 5 levels and lanes are enough for, on the machine of the source (Taffet's dissertation, Table 4.2: 0.0 %). Most
// pairs rest in these searches; a pair that is not woken when it should be leaves some percent.

import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { runCommand } from '../support/run-command.js';

it('PARTISN by od is found as it was sent', async () => {
  const words = 'reconstruct --fabric quartz1 --tables ftree --lanes 5 --traffic partisn --json'.split(' ');
  const { code, stdout } = await runCommand('', words, { makePlan, simulate });
  const { csv, end, relativeError } = JSON.parse(stdout) as { csv?: object; end: string; relativeError: number };
  expect({ code, csv, end }).toEqual({ code: 0, csv: undefined, end: 'settled' });
  expect(relativeError).toBeLessThan(1e-4);
});
