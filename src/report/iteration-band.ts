// Errors of iteration times. Written by `npm run iterations`; every row behind it stands in docs/models/iteration-times.md.

export const iterationRows = {
  rows: 84,
  medianPercent: 15.9,
  p90Percent: 31.8,
  worstPercent: 41.7,
} as const;
