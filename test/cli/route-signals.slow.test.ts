// SIGTERM at moments drawn at random while weft route compute runs: the process ends soon, killed before it searches or
// with the best tables written. How soon is for npm run validate, on a machine with nothing else to do. Needs dist/
// (npm test builds it first).

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { hardRoutes, terminated } from '../../validation/route-ends.js';
import { seed } from '../support/seed.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-signals-'));
  for (const [name, text] of Object.entries(hardRoutes())) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const random = new RandomStream(seed, 'moments of signals');
it.each(Array.from({ length: 3 }, () => Math.round(1000 * random.nextFraction())))(
  `SIGTERM after %i ms ends the search (WEFT_SEED=${seed})`,
  async (afterMs) => {
    expect((await terminated(folder, afterMs)).problem).toBe(null);
  },
);
