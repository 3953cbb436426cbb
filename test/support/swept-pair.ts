// A small scenario to sweep, in a folder of its own, and a sweep of four settings with two seeds.

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** Where a test sweeps. */
export interface SweepPlace {
  /** new; the test removes it */
  readonly folder: string;
  /** in it, with the text */
  readonly scenario: string;
  /** in it, not there yet */
  readonly out: string;
}

/** Makes the folder with the scenario. */
export async function sweepPlace(): Promise<SweepPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-sweep-'));
  const scenario = join(folder, 'pair.yaml');
  await writeFile(scenario, scenarioText);
  return { folder, scenario, out: join(folder, 'out') };
}
