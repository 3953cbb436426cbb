// The forecast of an example beside its run, in this process.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { forecastRun } from '../../src/app/forecast/forecast.js';
import { simulate } from '../../src/app/simulate.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { timelineJob } from '../../src/report/timeline-jobs.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { RunDirectory } from '../../src/storage/run-directory.js';
import { runFolders } from '../../src/storage/run-folder.js';

const host = nodeHost();
const pathOf = (path: string): string => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

/** Flows and packet-hops are forecast as they are, disk within a factor of three. @param folder that takes the run */
export async function expectForecast(path: string, backend: string, folder: string): Promise<void> {
  const planned = () => makePlan(pathOf(path), { host, overrides: [`backend=${backend}`] });
  const forecast = await forecastRun(await planned(), host, 1);
  expect(forecast.counted).toBe(1);
  const plan = await planned();
  const out = join(folder, `${path.replaceAll('/', '-')}-${backend}`);
  const identity = {
    weftVersion: '0',
    name: plan.name,
    seed: plan.seed,
    resolved: plan.resolved,
    warnings: [],
    inputs: [],
    tables: plan.tables,
    jobs: plan.jobs.map(timelineJob),
  };
  const directory = await RunDirectory.create(await runFolders(out), identity);
  const summary = await simulate(plan, { host, sink: directory });
  await directory.finish(summary, summaryObject({ ...identity, planned: null }, summary));
  expect(forecast.flows).toBe(summary.flows);
  const { packetHops, retransmittedBytes } = summary.counters;
  if (packetHops === undefined) expect(forecast.packetHops).toBe(null);
  else {
    // the credit backend loses nothing, and counts nothing sent again
    expect(Math.abs(retransmittedBytes ?? 0)).toBe(0);
    expect(forecast.packetHops).toBe(packetHops);
  }
  const bytes = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
  expect(forecast.diskBytes / bytes).toBeGreaterThan(1 / 3);
  expect(forecast.diskBytes / bytes).toBeLessThan(3);
}
