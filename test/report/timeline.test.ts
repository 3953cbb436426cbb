// The picture of a timeline: bars stand where the spans do, what goes on is one bar, and large timelines stay small
// pictures.

import { describe, expect, it } from 'vitest';
import { Activity } from '../../src/records/job-records.js';
import { lightLook } from '../../src/report/page/look.js';
import { spanColour } from '../../src/report/span-colours.js';
import { timelineSvg } from '../../src/report/timeline-figure.js';
import type { TimelineJob } from '../../src/report/timeline-jobs.js';
import { type SpanList, spanKinds, TimelineRows } from '../../src/report/timeline-rows.js';
import { pipelineTimeline, writeTimeline, type TimelineFact } from '../support/hand-made-timeline.js';

const oneJob: readonly TimelineJob[] = [{ name: 'alone', optimizerLayers: new Set() }];

const colourOf = (kind: (typeof spanKinds)[number]): string => spanColour(kind, lightLook);
const [forward, bubble, forTensors] = [
  colourOf('forward'),
  colourOf('waits for another stage'),
  colourOf('waits for TP'),
];
const [forGradients, forExperts] = [colourOf('waits for DP'), colourOf('waits for DP_EP')];

function collected(facts: readonly TimelineFact[], jobs = oneJob): TimelineRows {
  const timeline = new TimelineRows(jobs);
  writeTimeline({ full: false, put: (batch) => timeline.put(batch), drain: () => Promise.resolve() }, facts);
  timeline.end();
  return timeline;
}

/** Spans in words. */
function textsOf({ rows }: TimelineRows, list: SpanList): string[] {
  return Array.from(
    { length: list.count },
    (_, i) =>
      `${rows[list.row.values[i]!]!.rank} ${spanKinds[list.kind.values[i]!]!} ${list.microBatch.values[i]!}: ${list.startPs.values[i]!}-${list.finishPs.values[i]!}`,
  );
}

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly fill: string;
}

/** The bars of a picture, without background and legend. */
function barsOf(svg: string): Bar[] {
  return [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="\d+" fill="([^"]+)"/g)]
    .map(([, x, y, width, fill]) => ({ x: Number(x), y: Number(y), width: Number(width), fill: fill! }))
    .filter(({ y }) => y > 60);
}

describe('the spans of a timeline', () => {
  const at = { rank: 3, group: 255, microBatch: 1 };

  it('join what goes on from layer to layer and from pass to pass of a micro-batch, its waits included', () => {
    const timeline = collected([
      { ...at, layer: 0, start: 0, finish: 10 },
      { ...at, activity: Activity.wait, group: 0, start: 10, finish: 15 },
      { ...at, layer: 1, start: 15, finish: 20 },
      // nothing is known of 20 to 22
      { ...at, layer: 2, start: 22, finish: 25 },
      { ...at, layer: 2, pass: 1, start: 25, finish: 30 },
      { ...at, layer: 2, pass: 2, start: 30, finish: 32 },
      { ...at, layer: 2, pass: 1, microBatch: 2, start: 32, finish: 35 },
      { ...at, layer: 2, pass: 3, microBatch: 2, start: 35, finish: 40 },
    ]);
    expect(textsOf(timeline, timeline.phases)).toEqual([
      '3 forward 1: 0-25',
      '3 backward 1: 25-32',
      '3 backward 2: 32-35',
      '3 optimizer -1: 35-40',
    ]);
    expect(textsOf(timeline, timeline.waits)).toEqual(['3 waits for TP -1: 10-15']);
    expect(Array.from(timeline.timesPs.slice(0, 5))).toEqual([18, 10, 5, 0, 5]);
  });

  it('tell waits by the group, waiting for a stage from both, and end a phase at the wait for its gradients', () => {
    const timeline = collected([
      { ...at, pass: 2, start: 0, finish: 1 },
      { ...at, activity: Activity.wait, group: 1, pass: 2, start: 1, finish: 2 },
      { ...at, activity: Activity.wait, group: 3, pass: 2, start: 2, finish: 3 },
      { ...at, activity: Activity.wait, group: 4, start: 3, finish: 4 },
      { ...at, activity: Activity.wait, group: 5, start: 4, finish: 5 },
      { ...at, activity: Activity.receive, group: 4, start: 5, finish: 6 },
      { ...at, activity: Activity.receive, group: 4, microBatch: 2, start: 6, finish: 7 },
    ]);
    expect(textsOf(timeline, timeline.phases)).toEqual([
      '3 backward 1: 0-1',
      '3 forward 1: 3-5',
      '3 waits for another stage -1: 5-7',
    ]);
    expect(textsOf(timeline, timeline.waits)).toEqual([
      '3 waits for DP -1: 1-2',
      '3 waits for DP_EP -1: 2-3',
      '3 waits for PP -1: 3-4',
      '3 waits for others -1: 4-5',
    ]);
  });

  it('draw the optimizer as such, whatever pass its layers have, and without a micro-batch', () => {
    const jobs: readonly TimelineJob[] = [
      { name: 'a', optimizerLayers: new Set([0]) },
      { name: 'b', optimizerLayers: new Set() },
    ];
    const timeline = collected(
      [
        { ...at, layer: 5, pass: 2, microBatch: 7, start: 0, finish: 10 },
        { ...at, activity: Activity.wait, group: 1, layer: 4, pass: 2, microBatch: 0, start: 10, finish: 15 },
        { ...at, layer: 0, pass: 2, microBatch: 0, start: 15, finish: 20 },
        { ...at, activity: Activity.wait, group: 0, layer: 0, pass: 2, microBatch: 0, start: 20, finish: 22 },
        // the same rows of a job whose layer 0 is none of the optimizer
        { ...at, job: 1, layer: 0, pass: 2, microBatch: 0, start: 15, finish: 20 },
      ],
      jobs,
    );
    expect(textsOf(timeline, timeline.phases)).toEqual([
      '3 backward 7: 0-10',
      '3 optimizer -1: 15-22',
      '3 backward 0: 15-20',
    ]);
    const svg = timelineSvg('t', timeline);
    expect(svg).toContain('<title>optimizer, iteration 0: ');
    expect(svg).not.toContain('micro-batch -1');
  });

  it('end a phase where gradients are waited for, also between two layers of the same phase', () => {
    const timeline = collected([
      { ...at, layer: 0, start: 0, finish: 10 },
      { ...at, activity: Activity.wait, group: 1, layer: 1, pass: 2, start: 10, finish: 20 },
      { ...at, layer: 1, start: 20, finish: 30 },
      { ...at, activity: Activity.wait, group: 0, layer: 1, start: 30, finish: 40 },
    ]);
    expect(textsOf(timeline, timeline.phases)).toEqual(['3 forward 1: 0-10', '3 forward 1: 20-40']);
  });

  it('are kept for 64 ranks, and the others counted', () => {
    const timeline = collected(Array.from({ length: 100 }, (_, rank) => ({ ...at, rank, finish: 1 })));
    expect([timeline.rows.length, timeline.ranksBeyond, timeline.phases.count, timeline.timesPs[0]]).toEqual([
      64, 36, 64, 100,
    ]);
    expect(timelineSvg('t', timeline)).toContain('36 more ranks not shown');
  });
});

describe('the picture of a timeline', () => {
  it('shows the bubble of a pipeline where 1F1B has it', () => {
    const [stages, microBatches, forwardPs] = [4, 8, 1e9];
    const svg = timelineSvg('1F1B', collected(pipelineTimeline(stages, microBatches, forwardPs)));
    const bars = barsOf(svg);
    // (microBatches + stages - 1) forward passes and as many backward ones of twice the length: Narayanan et al. 2021,
    // 2.2.1
    const unit = 1066 / (3 * (microBatches + stages - 1));
    const rows = [...new Set(bars.map(({ y }) => y))].sort((a, b) => a - b);
    expect(rows.length).toBe(stages);
    const idle = rows.map(
      (y) => 1066 - bars.filter((bar) => bar.y === y && bar.fill !== bubble).reduce((sum, { width }) => sum + width, 0),
    );
    for (const time of idle) expect(Math.abs(time / unit - 3 * (stages - 1))).toBeLessThan(0.1);
    // the last stage waits for three forward passes, then never again before it ends
    expect(bars.filter(({ y, fill }) => y === rows[3] && fill === bubble)).toEqual([
      { x: 110, y: rows[3], width: Number((3 * unit).toFixed(1)), fill: bubble },
    ]);
    expect(svg).toContain('>rank 24</text>');
    expect(svg).toContain('<title>forward, micro-batch 7, iteration 0: ');
    // stage s waits for 9 - 2 s ms before its last operation: 24 ms of bubble beside 4 x 24 ms of computation
    expect(svg).toContain('waits for another stage 20.0 %');
    expect(svg).toContain('forward 26.7 %');
  });

  it('shows every wait for gradients as high as a bar, those for tensor groups in its lower part', () => {
    const at = { rank: 0, group: 255, microBatch: 0 };
    const facts: TimelineFact[] = [
      { ...at, layer: 0, start: 0, finish: 10 },
      { ...at, activity: Activity.wait, group: 1, layer: 1, pass: 2, start: 10, finish: 20 },
      { ...at, layer: 1, start: 20, finish: 30 },
      { ...at, activity: Activity.wait, group: 0, layer: 1, start: 30, finish: 40 },
      { ...at, pass: 2, layer: 1, start: 40, finish: 50 },
      { ...at, activity: Activity.wait, group: 1, layer: 1, pass: 2, start: 50, finish: 60 },
      { ...at, activity: Activity.wait, group: 3, layer: 1, pass: 2, start: 60, finish: 70 },
    ];
    const svg = timelineSvg('t', collected(facts));
    const heights = (fill: string): string[] =>
      [...svg.matchAll(/<rect x="[^"]+" y="([\d.]+)" width="[^"]+" height="(\d+)" fill="([^"]+)"/g)]
        .filter(([, y, , of]) => Number(y) > 60 && of === fill)
        .map(([, , height]) => height!);
    const [computing, dp, dpEp, tp] = [forward, forGradients, forExperts, forTensors].map(heights);
    expect(new Set([...dp!, ...dpEp!, ...computing!]).size).toBe(1);
    expect([dp!.length, dpEp!.length]).toEqual([2, 1]);
    expect(Number(tp![0])).toBeLessThan(Number(dp![0]));
  });

  it('calls rows by the names of their jobs if several run, and shortens long ones', () => {
    const jobs = ['training', 'a name <that> takes more room than there is beside the picture'].map((name) => ({
      name,
      optimizerLayers: new Set<number>(),
    }));
    const facts = [0, 1].map((job) => ({ job, rank: 3, group: 255, finish: 9 }));
    const svg = timelineSvg('t', collected(facts, jobs));
    expect(svg).toContain('>training, rank 3</text>');
    expect(svg).toMatch(/>a name &lt;that&gt; [a-z ]+\.\., rank 3<\/text>/);
    expect(timelineSvg('t', collected(facts.slice(0, 1)))).toContain('>rank 3</text>');
  });

  it('has ticks at round times, ten at most', () => {
    for (const end of [7, 999, 1000, 1001, 34e9, 2 ** 53 - 1]) {
      const svg = timelineSvg('t', collected([{ finish: end }]));
      const ticks = svg.match(/<line /g)!.length;
      expect(ticks).toBeGreaterThanOrEqual(end === 7 ? 2 : 4);
      expect(ticks).toBeLessThanOrEqual(11);
    }
  });

  it('stays small for many spans, each part telling what took most of it', () => {
    const facts: TimelineFact[] = [];
    for (let i = 0; i < 60_000; i++)
      facts.push(
        { group: 255, microBatch: i, start: 10 * i, finish: 10 * i + 7 },
        { activity: Activity.wait, group: 1, start: 10 * i + 7, finish: 10 * i + 10 },
      );
    for (let i = 60_000; i < 61_000; i++)
      facts.push({ activity: Activity.receive, microBatch: i, start: 10 * i, finish: 10 * i + 10 });
    const svg = timelineSvg('large', collected(facts));
    expect(svg.length).toBeLessThan(5e6);
    expect(svg).toContain('each part of the time shows what took most of it');
    const bars = barsOf(svg);
    const share = (fill: string): number =>
      bars.filter((bar) => bar.fill === fill).reduce((sum, { width }) => sum + width, 0) / 1066;
    expect(share(bubble)).toBeCloseTo(1000 / 61_000, 2);
    // of every part more than half is computed, and less waited
    expect(share(forward)).toBeCloseTo(60_000 / 61_000, 2);
    expect(share(forGradients)).toBe(0);
    // shares in the legend are of the spans themselves
    expect(svg).toContain('forward 68.9 %');
  });

  it('draws waits in the lower part of the phase around them, and over the whole row where there is none', () => {
    const svg = timelineSvg(
      't',
      collected([
        { group: 255, start: 0, finish: 40 },
        { activity: Activity.wait, group: 0, start: 40, finish: 60 },
        { group: 255, start: 60, finish: 80 },
        { activity: Activity.wait, group: 1, start: 80, finish: 100 },
      ]),
    );
    const bars = barsOf(svg);
    expect(bars).toEqual([
      { x: 110, y: 66, width: Number((1066 * 0.8).toFixed(1)), fill: forward },
      { x: Number((110 + 1066 * 0.4).toFixed(1)), y: 79, width: 213.2, fill: forTensors },
      { x: Number((110 + 1066 * 0.8).toFixed(1)), y: 66, width: 213.2, fill: forGradients },
    ]);
  });

  it('draws a wait at the very begin of a phase in its lower part, too', () => {
    const svg = timelineSvg(
      't',
      collected([
        { activity: Activity.wait, group: 0, start: 0, finish: 50 },
        { group: 255, start: 50, finish: 100 },
      ]),
    );
    expect(barsOf(svg)).toEqual([
      { x: 110, y: 66, width: 1066, fill: forward },
      { x: 110, y: 79, width: 533, fill: forTensors },
    ]);
  });

  it('is a picture even of nothing, and of names with signs in them', () => {
    expect(timelineSvg('a < b & "c"', collected([]))).toContain('a &lt; b &amp; &quot;c&quot;');
  });
});
