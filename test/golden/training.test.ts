// The training example: backends agree where they should, and messages take what their bytes take. Figures are those of
// its page, which the first steps hold against the run itself (test/architecture/first-steps.slow.test.ts).

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTimePs } from '../../src/base/units.js';

const page = readFileSync(new URL('../../examples/training/README.md', import.meta.url), 'utf8');

/** Picoseconds of a row of the page's table: analytical, fluid, packet. */
function rowOf(name: string): [number, number, number] {
  const line = page.split('\n').find((each) => each.startsWith(`  ${name}  `))!;
  const times = [...line.matchAll(/[\d.,]+(?:us|ms)/g)].map(([text]) => parseTimePs(text)!);
  expect(times).toHaveLength(3);
  return times as [number, number, number];
}

describe('the training example', () => {
  it('takes as long on fluid as on packets, to 1.5 %, and less by closed forms, which share nothing', () => {
    const [analytical, fluid, packet] = rowOf('total');
    // rings of several channels share NICs with the pipeline's messages, and packets queue where streams share
    expect(Math.abs(fluid / packet - 1)).toBeLessThan(0.015);
    expect(analytical).toBeLessThan(0.95 * packet);
  });

  it('sends a message of 16 MiB in what 400 Gb/s need, headers of 82 bytes per 4096: 342.3 us and the way', () => {
    const messageUs = rowOf('PP under way')[0] / 16 / 1e6;
    expect(messageUs).toBeGreaterThan(342.3);
    expect(messageUs).toBeLessThan(350);
  });
});
