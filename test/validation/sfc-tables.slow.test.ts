// The tables and pictures of examples/source-flow-control are what comes out: rows that take little time, run again.
// `npm run figures -- --only sfc-reactions`, `sfc-shares`, `sfc-victim` and `sfc-cases` make all of them.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockOf, pathOf } from '../../validation/figures/pages.js';
import { bridgeShareRow, reactionRows, sfcExample } from '../../validation/figures/sfc-comparison.js';
import { victimRow } from '../../validation/figures/sfc-charts.js';

const page = `${sfcExample}/README.md`;
const blocks = (name: string): string => blockOf(page, name) ?? `no block ${name}`;

describe('reactions beside each other', () => {
  it('an incast of 4 in short bursts', async () => {
    const { times, loads } = await reactionRows(4, '200kB');
    expect(blocks('reactions-times')).toContain(times);
    expect(blocks('reactions-buffers')).toContain(loads);
  });
});

it('an edge switch that slows down', async () => {
  expect(blocks('bridge-shares')).toContain(await bridgeShareRow(0.25));
});

it('the victim over time', async () => {
  const { row } = await victimRow('SFC at end stations');
  expect(blocks('victim')).toContain(row);
});

it('the picture of the four cases has the times of the table', () => {
  const table = readFileSync(pathOf(page), 'utf8');
  const times = [...table.matchAll(/^\| \d, [^|]+\| ([\d.]+) ms \| ([\d.]+) ms/gm)].flatMap(([, one, two]) => [
    one!,
    two!,
  ]);
  expect(times).toHaveLength(8);
  const labels = [...readFileSync(pathOf(`${sfcExample}/cases.svg`), 'utf8').matchAll(/>(\d\d\.\d+)<\/text>/g)];
  expect(labels.map(([, text]) => Number(text)).sort()).toEqual(times.map(Number).sort());
});
