// `weft diagnose` on runs with one cause of slowness put into each, or none: does it name that cause first?

import { causes, type Cause } from '#weft/diagnosis/finding.js';
import type { Check } from '../check.js';
import { diagnosisCases } from '../diagnosis/cases.js';
import { Confusions, diagnosed, diagnosedPair, recovered, viewpoints, type TriedRemedy } from '../diagnosis/measure.js';
import { pairedCases } from '../diagnosis/paired-cases.js';
import { bounded, type Line } from '../line.js';

/** Least precision and recall of each cause: where samples alone are known less is. */
const aims = { operator: 0.95, owner: 0.85 } as const;
/** The same of other forms, of which there are twenty a cause: one or two may be wrong. */
const otherAims = { operator: 0.9, owner: 0.75 } as const;

/** Causes that a change of the run can take away. */
const mendable: ReadonlySet<Cause> = new Set(['routes', 'mapping', 'slow-part']);
/** Share of the time lost that a remedy has to bring back. */
const enough = 0.8;

/** A cause that makes a run less than so many times as long is none. */
const leastSlower = 1.2;

/** Rules were mended with the draws of small seeds. */
const otherDraws = 500_000;

type Tallies = Readonly<Record<(typeof viewpoints)[number], Confusions>>;

export const diagnosis: Check = {
  name: 'diagnosis',
  title: 'Causes of congestion',
  about:
    'Runs on credit and packet, on fat trees, leaf-spines and tori, with one of seven causes put into each, or none. Asked is which cause `weft diagnose` names first, as an operator and as an owner. Other forms are workloads and causes of other kinds, each beside the same run without the cause; their draws are others than those that the rules were mended with.',
  isSampled: true,
  async *run({ isQuick, seed, progress }): AsyncIterable<Line> {
    // the sample: those on leaf-spines, which are quick
    const cases = isQuick ? diagnosisCases(seed, 32).slice(16) : diagnosisCases(seed, 304);
    const pairs = pairedCases(seed + otherDraws, isQuick ? 16 : 160);
    const tallies = { operator: new Confusions(), owner: new Confusions() };
    const tried: (readonly TriedRemedy[])[] = [];
    let done = 0;
    for (const one of cases) {
      progress(done++, cases.length + pairs.length);
      const { said, tried: own } = await diagnosed(one);
      if (one.cause !== null && mendable.has(one.cause) && own.length > 0) tried.push(own);
      for (const viewpoint of viewpoints) tallies[viewpoint].add(one.cause, said[viewpoint]);
    }
    yield* remedyLines(tried);
    yield* causeLines('', tallies, isQuick ? { operator: 0.5, owner: 0.5 } : aims);

    const others = { operator: new Confusions(), owner: new Confusions() };
    let [claimed, left] = [0, 0];
    for (const one of pairs) {
      progress(done++, cases.length + pairs.length);
      const { said, quick, slower } = await diagnosedPair(one);
      if (one.cause !== null && slower < leastSlower) {
        left++;
        continue;
      }
      if (one.cause !== null && viewpoints.some((viewpoint) => quick[viewpoint] === one.cause)) claimed++;
      for (const viewpoint of viewpoints) others[viewpoint].add(one.cause, said[viewpoint]);
    }
    yield bounded({
      mechanism: `other forms: ${pairs.length - left} cases; ${left} more whose cause costs hardly anything are left out`,
      oracle: 'the same run without the cause: nobody names it',
      ours: (100 * claimed) / Math.max(1, pairs.length - left),
      most: 2,
      unit: '% of them',
      digits: 1,
    });
    yield* causeLines('other forms: ', others, isQuick ? { operator: 0.5, owner: 0 } : otherAims);
  },
};

/** What remedies brought, beside what was predicted. */
function* remedyLines(tried: readonly (readonly TriedRemedy[])[]): Iterable<Line> {
  const shares = tried.map((own) => recovered(own) ?? 0);
  yield bounded({
    mechanism: `remedies for ${[...mendable].join(', ')}: ${tried.length} cases in which one could be tried`,
    oracle: `the run with the best of them, beside what was predicted: ${100 * enough} % of it is won`,
    ours: (100 * shares.filter((share) => share >= enough).length) / Math.max(1, tried.length),
    least: 90,
    unit: '% of them',
    digits: 1,
  });
  const ratios = tried.map((own) => Math.min(...own.map(({ totalPs, predictedPs }) => totalPs / predictedPs)));
  ratios.sort((a, b) => a - b);
  for (const [name, share, most] of [
    ['median', 0.5, 1.1],
    ['90th percentile', 0.9, 1.25],
  ] as const)
    yield bounded({
      mechanism: `time with the best remedy: ${name}`,
      oracle: 'the time that was predicted',
      ours: ratios[Math.floor(share * ratios.length)] ?? 1,
      most,
      unit: 'times',
      digits: 2,
    });
}

function* causeLines(
  forms: string,
  tallies: Tallies,
  aimed: Readonly<Record<(typeof viewpoints)[number], number>>,
): Iterable<Line> {
  for (const viewpoint of viewpoints)
    for (const cause of [...causes, null]) {
      const { recall, precision, confused } = tallies[viewpoint].of(cause);
      const mechanism = `${forms}${cause ?? 'none'}, as ${viewpoint}${confused === '' ? '' : ` (else said: ${confused})`}`;
      for (const [name, ours] of [
        ['recall', recall],
        ['precision', precision],
      ] as const)
        yield bounded({
          mechanism: `${mechanism}: ${name}`,
          oracle: 'the cause that was put in',
          ours: 100 * ours,
          least: 100 * aimed[viewpoint],
          unit: '%',
          digits: 1,
        });
    }
}
