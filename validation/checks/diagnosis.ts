// `weft diagnose` on runs with one cause of slowness put into each, or none: does it name that cause first?

import { causes } from '#weft/diagnosis/finding.js';
import type { Check } from '../check.js';
import { diagnosisCases } from '../diagnosis/cases.js';
import { Confusions, diagnosed, viewpoints } from '../diagnosis/measure.js';
import { bounded, type Line } from '../line.js';

/** Least precision and recall of each cause: where samples alone are known less is. */
const aims = { operator: 0.95, owner: 0.85 } as const;

export const diagnosis: Check = {
  name: 'diagnosis',
  title: 'Causes of congestion',
  about:
    'Runs on credit and packet, on fat trees, leaf-spines and tori, with one of seven causes put into each, or none. Asked is which cause `weft diagnose` names first, as an operator and as an owner.',
  isSampled: true,
  async *run({ isQuick, seed, progress }): AsyncIterable<Line> {
    const cases = diagnosisCases(seed, isQuick ? 24 : 304);
    const tallies = { operator: new Confusions(), owner: new Confusions() };
    let done = 0;
    for (const one of cases) {
      progress(done++, cases.length);
      const said = await diagnosed(one);
      for (const viewpoint of viewpoints) tallies[viewpoint].add(one.cause, said[viewpoint].first);
    }
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
