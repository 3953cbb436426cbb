// A swarm: whole random scenarios over the catalogue, with losses, failures, any congestion control and all probes
// together. Every run must end, in good order or with a reason; give the same results again, in other slices, with
// another wheel, with records that move, and with probes; satisfy the independent checker; and leave no queue pair that
// nothing names.
// WEFT_SWARM=number runs so many instead of the few of every test run, WEFT_SWARM_FROM=number from that one on.

import { describe, expect, it } from 'vitest';
import { packetSettings } from '../../src/backends/packet/settings.js';
import { pollingSettings } from '../../src/backends/polling/polling-settings.js';
import { samplingSettings } from '../../src/sampling/sampling-settings.js';
import { InputError } from '../../src/base/diagnostics.js';
import {
  drawnValues,
  pollingValues,
  randomScenario,
  samplingValues,
  swarmSettings,
} from '../../validation/random-scenario.js';
import { seed } from '../support/seed.js';
import { judge } from '../support/swarm-judge.js';

const runs = Number(process.env['WEFT_SWARM'] ?? 25);
const from = Number(process.env['WEFT_SWARM_FROM'] ?? 0);

describe('a swarm of scenarios', () => {
  it('draws every setting of the packet backend', () => {
    expect(Object.keys(drawnValues).sort()).toEqual([...swarmSettings].sort());
    expect(Object.keys(packetSettings)).toContain('probes');
    expect(Object.keys(samplingValues).sort()).toEqual(Object.keys(samplingSettings).sort());
    expect(Object.keys(pollingValues).sort()).toEqual(Object.keys(pollingSettings).sort());
  });

  it(`comes to no harm (WEFT_SEED=${seed})`, async () => {
    const problems: string[] = [];
    const seen = new Map<string, number>();
    for (let number = from; number < from + runs; number++) {
      const scenario = randomScenario(seed, number);
      try {
        const verdict = await judge(scenario);
        for (const what of verdict.seen) seen.set(what, (seen.get(what) ?? 0) + 1);
        problems.push(...verdict.problems.map((problem) => `scenario ${number}: ${problem}`));
      } catch (error) {
        if (error instanceof InputError) seen.set('refused', (seen.get('refused') ?? 0) + 1);
        else problems.push(`scenario ${number}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      if (process.env['WEFT_SWARM'] !== undefined && number % 100 === 99)
        process.stderr.write(`${number + 1} ${problems.length}\n`);
    }
    if (process.env['WEFT_SWARM'] !== undefined) process.stderr.write(`${JSON.stringify([...seen].sort())}\n`);
    expect(problems).toEqual([]);
    expect(seen.get('finished') ?? 0).toBeGreaterThan(runs / 4);
  }, 3_600_000);
});
