// Verdicts on runs whose cause is known from how they were made, on packets and on fluid flows.

import { describe, expect, it } from 'vitest';
import type { LostCause } from '../../src/measurement/lost-causes.js';
import { runVerdict } from '../../src/report/run-verdict.js';
import { figuresWith } from '../support/hand-made-run.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';

const header = 'timestamp_ns,src,dst,size_bytes\n';
const megabytes = 4_000_000;

/** Flows of one size that begin together, as `source-destination`. */
function traceOf(...pairs: readonly string[]): string {
  return header + pairs.map((pair) => `0,${pair.replace('-', ',')},${megabytes}`).join('\n');
}

function ran(
  backend: string,
  fabric: string,
  pairs: readonly string[],
  set: readonly string[] = [],
): Promise<ScenarioRun> {
  const text = `name: known\nbackend: ${backend}\nfabric: ${fabric}\ntraffic: { trace: t.csv }\n`;
  return scenarioRun(text, set, { 't.csv': traceOf(...pairs) });
}

const causes = ({ summary }: ScenarioRun): LostCause[] => summary.lostTime.causes.map(({ cause }) => cause);

describe.each(['packet', 'fluid'])('on %s', (backend) => {
  // hosts 0 to 3 on one leaf, 4 to 7 on the other
  const two = '{ generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }';

  it('flows that meet nowhere: nothing was slow', async () => {
    const run = await ran(backend, two, ['0-1', '2-3', '4-5']);
    expect(runVerdict(run.summary)).toMatch(/^Nothing was slow on the network: flows took \d\.\d % longer than alone/);
  });

  it('three senders into one host: its link', async () => {
    const run = await ran(backend, two, ['0-3', '1-3', '2-3']);
    expect(causes(run)[0]).toBe('endpoint');
    expect(run.summary.lostTime.places[0]).toMatchObject({ from: 'leaf[0]', to: 'host[3]', flows: 3, mostFlows: 3 });
    expect(runVerdict(run.summary)).toMatch(/^Slow: .* leaf\[0\] -> host\[3\] \(up to 3 flows at once/);
  });

  it('one host to three others: its own link', async () => {
    const run = await ran(backend, two, ['0-1', '0-2', '0-3']);
    expect(run.summary.lostTime.places[0]).toMatchObject({ from: 'host[0]', to: 'leaf[0]', cause: 'endpoint' });
  });

  it('four flows over one spine of four: other routes would do', async () => {
    // tables as routing by destination makes them: hosts 4, 8, 12 and 16 lie 4 apart, and all take the same spine
    const many = '{ generate: leaf-spine, leaves: 5, spines: 4, hostsPerLeaf: 4 }';
    const run = await ran(backend, many, ['0-4', '1-8', '2-12', '3-16'], ['routing.algorithm=dmodk']);
    expect(causes(run)[0]).toBe('routes');
    expect(run.summary.lostTime.places[0]).toMatchObject({ from: 'leaf[0]', mostFlows: 4 });
    expect(runVerdict(run.summary)).toMatch(/Flows met although other ways were free.*Other routes/);
  });

  it('two hosts of a leaf to one of another: its link, though they share those before it as well', async () => {
    const run = await ran(backend, two, ['0-4', '1-4'], ['routing.algorithm=dmodk']);
    expect(causes(run)).toEqual(expect.arrayContaining(['endpoint']));
    expect(run.summary.lostTime.places[0]).toMatchObject({ to: 'host[4]', cause: 'endpoint', flows: 2 });
  });

  it('three flows on one of two spines and one on the other: others would do better, and not well', async () => {
    const run = await ran(
      backend,
      '{ generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 8 }',
      ['0-8', '1-10', '2-12', '3-9'],
      ['routing.algorithm=dmodk'],
    );
    // the three take 3 times as long as alone, 2/3 of it lost: 2. On both spines together four want 2 for one such time
    // and three for two: 1/2 + 2/3 are lost. What is left of the 2, 5/12, other routes avoid
    expect(causes(run).slice(0, 2)).toEqual(['interior', 'routes']);
    expect(runVerdict(run.summary)).toMatch(/Other routes would have avoided 4[12]\.\d %/);
  });

  it('links that fail meanwhile come first', async () => {
    const run = await ran(backend, two, ['0-4', '1-5', '2-6'], ['failures=[{ at: 0ns, switch: "spine[0]" }]']);
    expect(run.summary.failures!.changes).toBeGreaterThan(0);
    expect(runVerdict(run.summary)).toMatch(
      /^Nothing was slow|changes of links came meanwhile: look there first\. \(By who shared links\.\)$/,
    );
  });

  it('four hosts, one spine: no choice of path helps', async () => {
    const run = await ran(backend, '{ generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4 }', [
      '0-4',
      '1-5',
      '2-6',
      '3-7',
    ]);
    expect(causes(run)[0]).toBe('interior');
    expect(run.summary.lostTime.places[0]).toMatchObject({ from: 'leaf[0]', to: 'spine[0]', flows: 4 });
  });
});

describe('in words', () => {
  it('a run that is blocked says why', () => {
    const verdicts = [{ name: 'all flows finished', ok: false, detail: '', cause: 'link 0-18 is down for good' }];
    expect(runVerdict(figuresWith({ outcome: 'blocked', verdicts }))).toBe('Blocked: link 0-18 is down for good.');
  });

  it('what no link explains names what was seen', () => {
    const { counters } = figuresWith();
    const lostTime = {
      lostPs: 10,
      alonePs: 10,
      causes: [{ cause: 'unshared' as const, lostPs: 10, links: 0, flows: 0 }],
      places: [],
      slowLinks: [],
    };
    const text = runVerdict(
      figuresWith({ lostTime, counters: { ...counters, timeouts: 3, pauseFrames: 0, ecnMarks: 0 } }),
    );
    expect(text).toMatch(/No shared link explains it; seen: 3 retransmission timeouts.*100\.0 % of all time lost/);
  });

  it('links that are slow for whoever crosses them are named where nothing else was slow', () => {
    const slowLinks = [
      { from: 'node000', to: 'leaf0', fromGuid: undefined, toGuid: undefined, rateBps: 2e9, usualBps: 100e9 },
    ];
    const lostTime = { lostPs: 0, alonePs: 10, causes: [], places: [], slowLinks };
    expect(runVerdict(figuresWith({ lostTime }))).toBe(
      'Nothing was slow on the network: flows took 0.0 % longer than alone, all together. ' +
        'But a link below the rate of its kind was crossed, node000 -> leaf0 (2Gbps, others 100Gbps).',
    );
  });

  it('a finding comes first, with whom it held up; not where packets were lost, which a diagnosis does not know', () => {
    const ends = { from: 'leaf[0]', to: 'host[3]', fromGuid: undefined, toGuid: undefined };
    const links = [{ ...ends, node: 4, interface: 1, lostNs: 9, flows: 14 }];
    const finding = {
      cause: 'slow-part' as const,
      jobs: [-1],
      links,
      others: [],
      ranks: [],
      ranksAre: 'ranks' as const,
      phases: [],
      lostNs: 9,
      share: 0.5,
      evidence: ['14 flows lost most on leaf[0] -> host[3]'],
      suggestion: 'mend it',
    };
    const causes = [{ cause: 'unshared' as const, lostPs: 10, links: 0, flows: 0 }];
    const lostTime = { lostPs: 10, alonePs: 10, causes, places: [], slowLinks: [] };
    const run = figuresWith({ lostTime, findings: [finding] });
    const { counters } = run;
    expect(runVerdict({ ...run, counters: { ...counters, retransmittedPackets: 0 } })).toMatch(
      /A host or link slower than its kind cost flows 50\.0 % of the time on the network: 14 flows lost most on leaf\[0\] -> host\[3\]\. To try: mend it\. \(By weft diagnose\.\)$/,
    );
    expect(runVerdict({ ...run, counters: { ...counters, retransmittedPackets: 9 } })).toMatch(
      /No shared link explains it; seen: 9 packets sent again/,
    );
    const shared = { ...lostTime, causes: [{ cause: 'endpoint' as const, lostPs: 10, links: 1, flows: 2 }] };
    expect(runVerdict(figuresWith({ lostTime: shared, findings: [] }))).toMatch(/^Flows took .* nothing to gain here/);
  });

  it('flows that did not finish are told first, and one that was slow among many last', () => {
    const { slowdown } = figuresWith();
    const lostTime = { lostPs: 0, alonePs: 10, causes: [], places: [], slowLinks: [] };
    expect(runVerdict(figuresWith({ flows: 12, finished: 9, lostTime, slowdown: { ...slowdown, max: 3.456 } }))).toBe(
      '3 flows of 12 flows did not finish; this is of the others. ' +
        'Nothing was slow on the network: flows took 0.0 % longer than alone, all together; the slowest took 3.46 times as long.',
    );
  });

  it('without flows there is none to judge', () => {
    expect(runVerdict(figuresWith({ flows: 0, finished: 0 }))).toBe('No flow was sent.');
  });
});
