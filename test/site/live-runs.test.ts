// The pages of mechanisms and their small runs: each page has one or says why not, and each run is one that can be made.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { siteExamples } from '../../src/cli/ui/site-files.js';
import { planFromText, simulate } from '../../src/library/index.js';
import { liveRuns, offeredRuns } from '../../validation/documents/live-runs.js';
import { readShared } from '../../web/app/share.js';

const models = fileURLToPath(new URL('../../docs/models/', import.meta.url));
const runs = liveRuns();

it('every page of a mechanism has a run, or a reason why it has none', () => {
  const pages = readdirSync(models).filter((name) => name.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(50);
  expect(Object.keys(runs).sort()).toEqual(pages.map((name) => name.replace('.md', '')).sort());
  for (const run of Object.values(runs))
    if ('reason' in run) expect(run.reason).toMatch(/^[A-Z].{15,}[^.]$/);
    else expect(run.shows).toMatch(/^[A-Z1-9].{15,}[^.]$/);
  // most of them run
  expect(Object.values(runs).filter((run) => !('reason' in run)).length).toBeGreaterThan(30);
});

const own = Object.entries(runs).flatMap(([page, run]) => ('scenario' in run ? [[page, run.scenario] as const] : []));

it('the run of fast-forward replays what it says', async () => {
  const { fastForward } = await simulate(await planFromText(Object.fromEntries(own)['fast-forward']!));
  expect([fastForward?.collectives, fastForward?.replayed]).toEqual([128, 126]);
});

it.each(own)('the run of %s is read without a warning', async (_, text) => {
  const plan = await planFromText(text);
  expect(plan.warnings).toEqual([]);
  await plan.source.close();
});

it('links bring the scenario into the application', async () => {
  const offered = await offeredRuns(await siteExamples());
  for (const [page, text] of own) {
    const shared = await readShared(offered.get(`docs/models/${page}.md`)!.hash);
    expect(shared?.text).toBe(text);
  }
  await expect(offeredRuns([])).rejects.toThrow(/has no example/);
});
