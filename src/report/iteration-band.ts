// Errors of iteration times. Written by `npm run iterations`; every row behind it stands in docs/models/iteration-times.md.

import type { CrossValidated } from './band-classes.js';

export const iterationRows: CrossValidated = {
  rows: 84,
  clusters: 9,
  medianPercent: 4.7,
  p90Percent: 19.7,
  worstPercent: 23.4,
  insidePercent: 90,
};
