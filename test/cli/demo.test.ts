// The comparison of the demonstration, on records made by hand: the facts are those of the records, the table fits and
// says why.

import { describe, expect, it } from 'vitest';
import { runDemo } from '../../src/cli/demo/demo.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { comparisonText } from '../../src/report/comparison-text.js';
import { compareRuns, type RecordedRun } from '../../src/report/comparison.js';
import { plainStyle } from '../../src/report/text-style.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { burstFlow, emptyPlan, figuresWith, writeFacts, type FlowFact } from '../support/hand-made-run.js';
import { scriptedContext, type ScriptedContext } from '../support/command-context.js';

const fast = 849_712_000;
const slow = 1_692_512_000;
const alone = figuresWith({
  fct: { meanNs: 849_712, p50Ns: 849_712, p99Ns: 849_712, maxNs: 849_712 },
  collisions: { links: 0, flowPairs: 0, exact: true },
});
const without = [27, 20, 23, 24, 20, 27, 21, 26].map((spine, i) =>
  burstFlow(i, spine, 10_000, [0, 4, 1, 5].includes(i) ? slow : fast),
);
const withController = [27, 20, 23, 24, 25, 22, 21, 26].map((spine, i) =>
  burstFlow(i, spine, [1, 1, 1, 1, 2, 4, 2, 1][i]!, fast),
);

async function recorded(name: string, figures: RunSummary, facts: readonly FlowFact[]): Promise<RecordedRun> {
  const records = new MemorySink();
  await writeFacts(records, facts);
  return { name, figures, records };
}

async function comparisonOf(before: readonly FlowFact[], after: readonly FlowFact[]) {
  return compareRuns(await recorded('without', figuresWith(), before), await recorded('with', alone, after));
}

describe('the comparison', () => {
  it('finds who shared a spine', async () => {
    const comparison = await comparisonOf(without, withController);
    expect(comparison.without.sharedSpines).toEqual([
      { spine: 20, flows: [1, 4] },
      { spine: 27, flows: [0, 5] },
    ]);
    expect(comparison.with.sharedSpines).toEqual([]);
    expect(comparison.flows[4]).toMatchObject({
      source: 4,
      destination: 12,
      without: { spine: 20, sourcePort: 10_000, completionPs: slow },
      with: { spine: 25, sourcePort: 2, completionPs: fast },
    });
  });

  it('is a table that says why', async () => {
    expect(comparisonText(await comparisonOf(without, withController), plainStyle)).toMatchInlineSnapshot(`
      "8 transfers of 10MiB; how long each took, and through which spine switch

                      without controller               with controller
      flow            spine  time, us                  spine  time, us
      GPU 0 -> GPU 8     27    1692.5  ######### 2.0x     27     849.7  #####     1.0x
      GPU 1 -> GPU 9     20    1692.5  ######### 2.0x     20     849.7  #####     1.0x
      GPU 2 -> GPU 10    23     849.7  #####     1.0x     23     849.7  #####     1.0x
      GPU 3 -> GPU 11    24     849.7  #####     1.0x     24     849.7  #####     1.0x
      GPU 4 -> GPU 12    20    1692.5  ######### 2.0x     25     849.7  #####     1.0x
      GPU 5 -> GPU 13    27    1692.5  ######### 2.0x     22     849.7  #####     1.0x
      GPU 6 -> GPU 14    21     849.7  #####     1.0x     21     849.7  #####     1.0x
      GPU 7 -> GPU 15    26     849.7  #####     1.0x     26     849.7  #####     1.0x

      mean                     1271.1                            849.7  -33 %
      max                      1692.5                            849.7  -50 %

      Why: the hash of a flow's addresses and ports picks its spine. Without the
      controller 2 pairs of flows shared a spine and took up to 2.0 times as long as
      alone:
        spine 20: GPU 1 -> GPU 9 and GPU 4 -> GPU 12
        spine 27: GPU 0 -> GPU 8 and GPU 5 -> GPU 13
      With the controller each flow has a spine of its own: it assigned the source
      ports 1, 1, 1, 1, 2, 4, 2, 1 (before: 10000 for all).
      "
    `);
  });

  it('uses bars and colours where they can be shown', async () => {
    const text = comparisonText(await comparisonOf(without, withController), { colour: true, unicode: true });
    expect(text).toContain('\u001b[31m████');
    const widths = text
      .replace(/\u001b\[\d+m/g, '')
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });

  it('does not count flows that used a spine one after the other', async () => {
    const later = { ...burstFlow(1, 20, 10_000, 2 * fast), startPs: fast };
    const comparison = await comparisonOf([burstFlow(0, 20, 10_000, fast), later], []);
    expect(comparison.without.sharedSpines).toEqual([]);
    expect(comparison.flows[0]!.with).toBeNull();
    expect(comparisonText(comparison, plainStyle)).toContain('did not finish');
  });

  it('holds long names and many flows within 80 columns', async () => {
    const many = Array.from({ length: 50 }, (_, i) => ({
      ...burstFlow(i, 20 + i, 1, fast * (i + 1)),
      source: 100_000 + i,
      destination: 200_000 + i,
    }));
    const text = comparisonText(await comparisonOf(many, many), plainStyle);
    expect(text).toContain('... and 18 more');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

/** A world in which the two examples give the facts above. */
function demoContext(): ScriptedContext {
  return scriptedContext({
    makePlan: (path) =>
      Promise.resolve(emptyPlan({ name: String(path).includes('no-controller') ? 'no-controller' : 'controller' })),
    simulate: async (plan, options) => {
      const controlled = plan.name === 'controller';
      await writeFacts(options.sink!, controlled ? withController : without);
      return controlled ? alone : figuresWith();
    },
  });
}

describe('weft demo', () => {
  it('prints the comparison of both runs', async () => {
    const world = demoContext();
    expect(await runDemo(false, world)).toBe(0);
    expect(world.stdout.text).toContain('GPU 4 -> GPU 12');
    expect(world.stdout.text).toContain('all 4 self-checks passed');
  });

  it('prints one object with --json', async () => {
    const world = demoContext();
    await runDemo(true, world);
    expect(JSON.parse(world.stdout.text)).toMatchObject({
      without: { name: 'no-controller', flows: 8 },
      with: { name: 'controller' },
      comparison: { with: { sharedSpines: [] } },
    });
  });
});
