// Errors of iteration times. Written by `npm run iterations`; every row behind it stands in
// docs/models/iteration-times.csv.

import type { CrossValidated } from './band-classes.js';

export const iterationRows: CrossValidated = {
  rows: 84,
  clusters: 9,
  medianPercent: 4.8,
  p90Percent: 18,
  worstPercent: 23.3,
  insidePercent: 90,
};
