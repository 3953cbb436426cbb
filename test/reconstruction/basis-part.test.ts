// When places that rest are woken: exactly when no duals of the entries between them make all that they send cost
// something, beside HiGHS.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { BasisPart, following, moving, resting } from '../../src/reconstruction/basis-part.js';
import { bases, PairGrid } from '../../src/reconstruction/pair-grid.js';
import type { PairCounters } from '../../src/reconstruction/pair-rows.js';
import { highsHere } from '../support/exact-routes.js';
import { seed } from '../support/seed.js';

const ranks = 6;
/** every pair moves one counter, of its own */
const ownCounters: PairCounters = {
  rows: new Int32Array(1),
  shares: null,
  count: ranks * ranks,
  rowOf: (row) => row,
  open: (from, to) => {
    ownCounters.rows[0] = from * ranks + to;
    return 1;
  },
};

/** What entries ask of the pairs of a place, by the two pairs' share in each of its two entries. */
const shares = { true: [1, 1, 1, -1], false: [1, 0, 0, 1] } as const;

it.each(['i', 's', 'cd', 'scd'] as const)(`%s, among places that move (WEFT_SEED=${seed})`, async (name) => {
  const { isSymmetric } = bases[name];
  const counters = new Float64Array(ownCounters.count).fill(1);
  const grid = new PairGrid([{ hosts: Int32Array.from({ length: ranks }, (_, i) => i), rows: ownCounters }], counters, [
    bases[name],
  ]);
  const random = new RandomStream(seed, name);
  const share = (): number => random.nextBelow(2001) / 1000 - 1;
  let woken = 0;
  let kept = 0;
  // both happen, sooner or later
  for (let trial = 0; trial < 6 || (Math.min(woken, kept) <= 3 && trial < 60); trial++) {
    const links = grid.links[0]!;
    const part = new BasisPart(bases[name], links, grid, new Float32Array(2 * grid.places).fill(1));
    const before = (place: number): number => links?.before[place] ?? -1;
    const behind = (place: number): number => links?.behind[place] ?? -1;
    const does = Uint8Array.from({ length: grid.places }, () => (random.nextBelow(5) === 0 ? moving : resting));
    does.forEach((own, place) => {
      if (own === resting && before(place) !== -1 && does[before(place)] === moving) does[place] = following;
    });
    const price = Float64Array.from({ length: 2 * grid.places }, () => 2 * share() - 0.2);
    part.z.forEach((_, pair) => (part.z[pair] = share()));
    const program = new LinearProgram('duals');
    // z = v - 1; those of places that move or follow stand
    const entry = Array.from(part.z, (_, pair) => (does[pair >> 1] === resting ? program.real(`v${pair}`) : -1));
    entry.forEach((own, pair) => own !== -1 && program.row(`most${pair}`, [[own, 1]], '<=', 2));
    // chains of places, each with what it lacks at least
    const chain = new Int32Array(grid.places);
    const lacks: number[] = [];
    for (let place = 0; place < grid.places; place++) {
      const last = before(place);
      chain[place] = last === -1 ? lacks.push(program.real(`lacks${place}`)) - 1 : chain[last]!;
      if (does[place] === moving) continue;
      for (let back = 0; back < 2; back++) {
        const terms: [number, number][] = [[lacks[chain[place]!]!, 1]];
        let fixed = price[2 * place + back]!;
        const ends = [[place, 1] as const, [behind(place), -1] as const];
        for (const [at, sign] of ends.filter(([end]) => end !== -1))
          for (let own = 0; own < 2; own++) {
            const of = sign * shares[`${isSymmetric}`][2 * back + own]!;
            const variable = entry[2 * at + own]!;
            fixed += of * (variable === -1 ? part.z[2 * at + own]! : -1);
            if (variable !== -1 && of !== 0) terms.push([variable, of]);
          }
        program.row(`price${2 * place + back}`, terms, '>=', -fixed);
      }
    }
    program.objectives.push({ name: 'lacks', terms: lacks.map((own): [number, number] => [own, 1]) });
    const { status, values } = await highsHere.solve(program, 0, { seconds: 20 });
    expect(status).toBe('optimal');

    const isWoken = lacks.map(() => false);
    for (let place = 0; place < grid.places; place++)
      if (does[place] !== moving && part.wouldSend(place, does, price.subarray(2 * place, 2 * place + 2), -1e-6))
        isWoken[chain[place]!] = true;
    expect(isWoken).toEqual(lacks.map((own) => values![own]! > 1e-6));
    isWoken.forEach((own) => (own ? woken++ : kept++));
  }
  expect(Math.min(woken, kept)).toBeGreaterThan(3);
});
