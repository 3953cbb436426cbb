// What a dearer network has to be worth.

import { expect, it } from 'vitest';
import { breakEvenGpuPrice } from '../../src/report/training-plans/priced-fabrics.js';

it('finds the price of a GPU from which a dearer network pays', () => {
  const [dear, cheap, slower, gpus] = [2e6, 1e6, 0.1, 100];
  const price = breakEvenGpuPrice(dear, cheap, slower, gpus);
  // a tenth more GPUs on the cheaper network, which is a tenth larger, does as much for as much
  expect(gpus * price + dear).toBeCloseTo(1.1 * (gpus * price + cheap), 3);
  expect(price).toBeCloseTo(90_000, 3);
});
