// Random cases of fabric, losses, balancing and transport: a sample of what `npm run validate -- --only transport-cases`
// runs, of another seed each time. WEFT_SEED gives the seed, WEFT_CASES how many.

import { expect, it } from 'vitest';
import { judgeTransport, transportCase } from '../../validation/random-transport.js';
import { seed } from '../support/seed.js';

const count = Number(process.env['WEFT_CASES'] ?? 400);

it(`every byte comes once, whatever happens to packets (WEFT_SEED=${seed})`, () => {
  for (let number = 1; number <= count; number++) {
    const drawn = transportCase(seed, number);
    const { problems } = judgeTransport(drawn, seed, number % 10 === 0);
    expect(problems, `case ${number} of seed ${seed}: ${drawn.text}`).toEqual([]);
  }
});
