// The example of static routes on quartz1: the rows of its page are what the command prints. The optimizer's row may
// get better with the optimizer, and a little worse by chance: what the page claims of it has to hold.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

const page = readFileSync(new URL('../../examples/route-quartz1/README.md', import.meta.url), 'utf8');

/** Largest load, gaps, hot links, l2 norm and changed entries of a row of the page. */
function rowOf(name: string): number[] {
  const line = page.split('\n').find((each) => each.startsWith(`${name} `))!;
  const [maxLoad, arGap, netGap, hot, l2, , changed] = [...line.matchAll(/[\d.]+/g)].map(([text]) => Number(text));
  return [maxLoad!, arGap!, netGap!, hot!, l2!, changed!];
}

interface Row {
  readonly name: string;
  readonly maxLoad: number;
  readonly arGap: number;
  readonly netGap: number;
  readonly lowerBound: number;
  readonly changedEntries: number;
  readonly phases: readonly [{ readonly linksAboveThreshold: number; readonly l2: number }];
}

function percent(share: number): number {
  return Number((100 * share).toFixed(2));
}

describe('the example of quartz1', () => {
  it('gives what the page says', async () => {
    const world = scriptedContext();
    expect(
      await runProgram(
        ['route', 'compare', '--fabric', 'quartz1', '--traffic', 'lulesh', '--time', '10min', '--json'],
        world,
      ),
    ).toBe(0);
    const { tables } = JSON.parse(world.stdout.text) as { tables: Row[] };
    const [ftree, afar, weft] = tables as [Row, Row, Row];
    expect(tables.map(({ name }) => name)).toEqual(['ftree', 'afar', 'weft']);
    for (const {
      name,
      maxLoad,
      arGap,
      netGap,
      changedEntries,
      phases: [{ linksAboveThreshold, l2 }],
    } of [ftree, afar]) {
      expect([name, ...rowOf(name)]).toEqual([
        name,
        maxLoad,
        percent(arGap),
        percent(netGap),
        linksAboveThreshold,
        Number(l2.toPrecision(6)),
        changedEntries,
      ]);
    }
    expect(weft.maxLoad).toBeLessThan(1.005 * rowOf('weft')[0]!);
    // "a fraction of a percent above the lower bound", which is itself a percent above the adaptive bound
    expect(weft.maxLoad / weft.lowerBound).toBeLessThan(1.01);
    expect(weft.netGap).toBeLessThan(0.02);
    expect(afar.netGap).toBeGreaterThan(0.2);
    expect(ftree.netGap).toBeGreaterThan(0.5);
    expect(weft.changedEntries).toBeGreaterThan(100 * afar.changedEntries);
  });
});
