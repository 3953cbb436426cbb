// `weft diagnose` on runs with one cause of slowness put into each, or none: does it name that cause first?

import { causes, type Cause } from '#weft/diagnosis/finding.js';
import type { Check } from '../check.js';
import { diagnosisCases } from '../diagnosis/cases.js';
import { Confusions, diagnosed, viewpoints } from '../diagnosis/measure.js';
import { bounded, type Line } from '../line.js';

/** Least precision and recall of each cause: where samples alone are known less is. */
const aims = { operator: 0.95, owner: 0.85 } as const;

/** Causes that a change of the run can take away. */
const mendable: ReadonlySet<Cause> = new Set(['routes', 'mapping', 'slow-part']);
/** Share of the time lost that a remedy has to bring back. */
const enough = 0.8;

export const diagnosis: Check = {
  name: 'diagnosis',
  title: 'Causes of congestion',
  about:
    'Runs on credit and packet, on fat trees, leaf-spines and tori, with one of seven causes put into each, or none. Asked is which cause `weft diagnose` names first, as an operator and as an owner.',
  isSampled: true,
  async *run({ isQuick, seed, progress }): AsyncIterable<Line> {
    // the sample: those on leaf-spines, which are quick
    const cases = isQuick ? diagnosisCases(seed, 32).slice(16) : diagnosisCases(seed, 304);
    const tallies = { operator: new Confusions(), owner: new Confusions() };
    let [done, tried, mended] = [0, 0, 0];
    for (const one of cases) {
      progress(done++, cases.length);
      const { said, recovered } = await diagnosed(one);
      if (one.cause !== null && mendable.has(one.cause) && recovered !== null) {
        tried++;
        if (recovered >= enough) mended++;
      }
      for (const viewpoint of viewpoints) tallies[viewpoint].add(one.cause, said[viewpoint].first);
    }
    yield bounded({
      mechanism: `remedies for ${[...mendable].join(', ')}: ${tried} cases in which one could be tried`,
      oracle: `the run with the best of them, beside what was predicted: ${100 * enough} % of it is won`,
      ours: tried === 0 ? 0 : (100 * mended) / tried,
      least: 90,
      unit: '% of them',
      digits: 1,
    });
    for (const viewpoint of viewpoints)
      for (const cause of [...causes, null]) {
        const { recall, precision, confused } = tallies[viewpoint].of(cause);
        const mechanism = `${cause ?? 'none'}, as ${viewpoint}${confused === '' ? '' : ` (else said: ${confused})`}`;
        const oracle = 'the cause that was put in';
        const least = isQuick ? 0.5 : aims[viewpoint];
        yield bounded({
          mechanism: `${mechanism}: recall`,
          oracle,
          ours: 100 * recall,
          least: 100 * least,
          unit: '%',
          digits: 1,
        });
        yield bounded({
          mechanism: `${mechanism}: precision`,
          oracle,
          ours: 100 * precision,
          least: 100 * least,
          unit: '%',
          digits: 1,
        });
      }
  },
};
