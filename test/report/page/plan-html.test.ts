// The page of `weft plan` says what its text and JSON say: bars that add up to the times, the same sentences, every reason.

import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../../src/base/settings.js';
import { planHtml } from '../../../src/report/page/plan-html.js';
import type { Figure } from '../../../src/report/page/figures.js';
import type { PlanReport } from '../../../src/report/training-plans/plan-account.js';
import { planObject, planText } from '../../../src/report/training-plans/plan-report.js';
import { closedForm, type PlanTimes, type RankedPlan } from '../../../src/report/training-plans/ranked-plan.js';
import { dimensions } from '../../../src/collectives/parallel-groups.js';
import { planTraining } from '../../../src/workload/training-plan.js';
import { trainingSettingsOf } from '../../../src/workload/training-settings.js';

const nothing = { TP: 0, DP: 0, EP: 0, DP_EP: 0, PP: 0, all: 0, CP: 0 };
const hostile = 'leaf-spine </script><img src=x onerror=1>';

function ranked(tensorParallel: number, times: Omit<PlanTimes, 'model'>): RankedPlan {
  const values = {
    ...settingDefaults(trainingSettingsOf('llama2-7b')),
    model: 'llama2-7b' as const,
    globalBatchSize: 8,
    tensorParallel,
  };
  return {
    training: planTraining(values, 8).plan!,
    layout: dimensions,
    memoryBytes: 12 * 2 ** 30,
    mfu: 0.4,
    times: { model: closedForm, ...times },
  };
}

const plans = [
  ranked(2, { totalPs: 20e9, computePs: 15e9, exposedPs: { ...nothing, TP: 3e9, DP: 2e9 }, bubblePs: 0 }),
  ranked(4, { totalPs: 40e9, computePs: 16e9, exposedPs: { ...nothing, TP: 20e9 }, bubblePs: 4e9 }),
];

const report: PlanReport = {
  model: 'llama2-7b',
  gpus: 8,
  gpuType: 'H100',
  fabric: hostile,
  globalBatchSize: 8,
  plans,
  feasible: 1234,
  estimated: 5,
  infeasible: new Map([
    ['memory', { count: 7, example: 'it does not fit' }],
    ['layerCount', { count: 11, example: '<b>layers</b>' }],
  ]),
  isComplete: true,
  isOpen: false,
  profile: 'nccl',
  fabrics: [hostile, 'other'].map((name, i) => ({
    name,
    best: plans[i]!,
    gpus: 8,
    bill: { switches: 2, models: [], ports: [], cables: [], cost: 1000 / (i + 1), watts: 1, unknown: [] },
    networkCost: 1000 / (i + 1),
    gpuCost: 0,
  })),
  prices: {
    name: 'mine',
    currency: 'USD',
    date: '2026-01-01',
    serversPerRack: 4,
    switches: [],
    copper: new Map(),
    optics: new Map(),
  },
  weftVersion: '1.2.3',
};

const page = planHtml(report, "weft plan --fabric 'a b' --report p.html", {
  script: '/**/',
  hash: 'sha256-x',
  packages: [],
});
const figures = (
  JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page)![1]!) as { figures: Figure[] }
).figures;
/** What a reader sees: without markup, blanks as one. */
const seen = page
  .replace(/<(style|script)[^]*?<\/\1>/g, '')
  .replace(/<[^>]*>/g, ' ')
  .replaceAll('&lt;', '<')
  .replaceAll('&gt;', '>')
  .replaceAll('&quot;', '"')
  .replaceAll('&amp;', '&')
  .replace(/\s+/g, ' ');

describe('the page of plans', () => {
  it('draws the parts of each time behind each other, to the whole', () => {
    const [figure] = figures;
    if (figure?.kind !== 'spans') throw new Error('no spans');
    expect(figure.x.unit).toBe('ms');
    const bars = plans.map((_, row) =>
      figure.row.flatMap((own, i) =>
        own === row ? [[figure.kinds[figure.kindOf[i]!], figure.from[i], figure.to[i]]] : [],
      ),
    );
    expect(bars).toEqual([
      [
        ['computation', 0, 15],
        ['waits for TP', 15, 18],
        ['waits for DP', 18, 20],
      ],
      [
        ['computation', 0, 16],
        ['waits for TP', 16, 36],
        ['bubble', 36, 40],
      ],
    ]);
  });

  it('says the sentences of the text and of JSON', () => {
    const {
      plans: listed,
      firmness,
      network,
    } = planObject(report) as {
      plans: { why: string }[];
      firmness: string;
      network: string;
    };
    for (const sentence of [firmness, network, listed[1]!.why]) expect(seen).toContain(sentence);
    const text = planText(report).replace(/\s+/g, ' ');
    const [lead] = /Best: [^]*? bubble/.exec(text)!;
    expect(seen).toContain(lead);
    expect(seen).toContain('1,234 can run; 5 were estimated');
    expect(seen).toMatch(/layerCount 11 <b>layers<\/b> memory 7 it does not fit/);
    expect(seen).toContain("weft plan --fabric 'a b' --report p.html");
  });

  it('lets no name be markup, and fetches nothing', () => {
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).not.toMatch(/<img|<b>|onerror="/);
    expect(page).not.toMatch(/(src|href)="(?!#|data:)/);
  });

  it('says of a search that was stopped that others may be better', () => {
    const program = { script: '', hash: '', packages: [] };
    expect(planHtml({ ...report, isComplete: false }, '', program)).toContain('topped; other plans may be better');
  });
});
