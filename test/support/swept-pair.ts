// A small scenario to sweep, in a folder of its own, and a sweep of four settings with two seeds.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from './run-command.js';

/** Two hosts that send to a third: marks are drawn, so the seed matters. */
export const scenarioText = `
name: two to one
fabric: { generate: fat-tree, k: 2 }
ecn: { enabled: true, thresholds: [{ rate: 100Gbps, minimum: 10kB, maximum: 100kB, probability: 0.5 }] }
traffic:
  transfers:
    - { source: 0, destination: 1, size: 200kB }
`;

export const swept = ['--set', 'switch.buffer=1MiB,2MiB', '--set', 'pfc.enabled=true,false', '--seeds', '4..5'];

/** The command line with real plans and runs. */
export const sweeper = commandWith({ makePlan, simulate });

/** Where a test sweeps. */
export interface SweepPlace {
  /** new; the test removes it */
  readonly folder: string;
  /** in it, with the text */
  readonly scenario: string;
  /** in it, not there yet */
  readonly out: string;
}

/** Gives each test of a file a place of its own. @param use is told it before the test */
export function eachAtSweepPlace(use: (place: SweepPlace) => void): void {
  let folder = '';
  beforeEach(async () => {
    const place = await sweepPlace();
    ({ folder } = place);
    use(place);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
}

/** Makes the folder with the scenario. */
async function sweepPlace(): Promise<SweepPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-sweep-'));
  const scenario = join(folder, 'pair.yaml');
  await writeFile(scenario, scenarioText);
  return { folder, scenario, out: join(folder, 'out') };
}
