// Errors of iteration times. Written by `npm run iterations`; every row behind it stands in docs/models/iteration-times.md.

export const iterationRows = {
  rows: 84,
  medianPercent: 4.7,
  p90Percent: 17.6,
  worstPercent: 23.4,
} as const;
