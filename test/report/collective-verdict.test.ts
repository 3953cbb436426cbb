// What bounds a collective, beside bounds worked out by hand: a ring of n ranks sends 2 (n - 1) / n of its buffer over
// every link, in 2 (n - 1) steps.

import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ simulate });

const fabric =
  '--fabric leaf-spine --leaves 1 --spines 1 --hosts-per-leaf 4 --algorithm ring --channels 1 --profile document';
const ring = (sizes: string, more = ''): string[] =>
  `collective allreduce ${fabric} --sizes ${sizes} --backend fluid ${more}`.trim().split(' ');

/** The verdict, as `--json` has it. */
async function verdictOf(args: readonly string[]): Promise<string> {
  const { stdout } = await weft(...args, '--json');
  return (JSON.parse(stdout) as { verdict: string }).verdict;
}

it('a large ring of four on 100 Gbit/s: 1.5 of its 64 MiB at that rate', async () => {
  const verdict = await verdictOf(ring('1KiB,64MiB'));
  // 1.5 x 64 MiB x 8 bit / 100 Gbit/s = 8.053 ms
  expect(verdict).toMatch(/^Bandwidth bounds it: 64MiB took \d/);
  expect(verdict).toContain('NICs out of host[0] at 100Gbps (8.053ms).');
  const [, timeMs, times] = /took ([\d.]+)ms, ([\d.]+) times/.exec(verdict)!.map(Number) as [number, number, number];
  expect(times).toBeCloseTo(timeMs / 8.053, 2);
  expect(times).toBeGreaterThan(1);
  expect(times).toBeLessThan(1.1);
  expect(verdict).toMatch(/ Up to 1KiB latency and steps do: 6 steps in [\d.]+us\.$/);
});

it('a small one: six steps, of which the bytes need next to nothing', async () => {
  const verdict = await verdictOf(ring('1KiB'));
  // 1.5 x 1,024 B x 8 bit / 100 Gbit/s = 0.123 us
  const [, timeUs, share] = /1KiB took ([\d.]+)us in 6 steps; the bytes alone need ([\d.]+) % of it/
    .exec(verdict)!
    .map(Number) as [number, number, number];
  expect(verdict).toMatch(/^Latency bounds it: /);
  expect(share).toBeCloseTo((100 * 0.12288) / timeUs, 1);
});

it('sixteen that all send to each other over one spine: links between switches', async () => {
  const over = '--fabric leaf-spine --leaves 4 --spines 1 --hosts-per-leaf 4 --spine-rate 100Gbps --profile document';
  const verdict = await verdictOf(`collective alltoall ${over} --sizes 16MiB --backend fluid`.split(' '));
  // 12 of 15 of what four hosts send leaves their leaf over one link: 3.2 times what a NIC of theirs needs
  expect(verdict).toMatch(/^Links between switches bound it: 16MiB took/);
  expect(verdict).toMatch(
    /Flows met on (leaf\[\d\] -> spine\[0\]|spine\[0\] -> leaf\[\d\]), up to 48 flows at once\.$/,
  );
});

it('stands above the foot of the table, and first where one size is taken apart', async () => {
  expect((await weft(...ring('1KiB'))).stdout).toMatch(/\n#\n# Latency bounds it: [^]*\n#\n# Avg bus bandwidth/);
  expect((await weft(...ring('64MiB', '--explain'))).stdout).toMatch(/^Bandwidth bounds it: 64MiB took/);
});
