// Non-zeros of mini-applications by basis, beside Table 4.1 of Taffet's dissertation (docs/SOURCES.md).

import { expect, it } from 'vitest';
import { sparsityOf } from '../../validation/reconstruction/basis-sparsity.js';
import { printedSparsity, sparsityBases } from '../../validation/reconstruction/printed-tables.js';

const kinds = ['all', 'tenPercentError', 'ninetyPercentPower'] as const;

// entries that differ: docs/models/reconstruction-tables.md
it.each([
  ['lulesh', ['all od']],
  ['partisn', ['ninetyPercentPower cd']],
])('%s needs as many as are printed', (pattern, others) => {
  const printed = printedSparsity.find((own) => own.pattern === pattern)!;
  const told = sparsityBases.map((basis) => sparsityOf(pattern, basis));
  const differing = kinds.flatMap((kind) =>
    sparsityBases
      .map((basis, i) => [basis, told[i]?.[kind] ?? null, printed[kind][i]!] as const)
      .filter(
        ([, own, source]) => (own === null) !== (source === null) || Math.abs((own ?? 0) - (source ?? 0)) > 0.0051,
      )
      .map(([basis]) => `${kind} ${basis}`),
  );
  expect(differing).toEqual(others);
});
