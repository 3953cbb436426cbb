// examples/pxn: when PXN pays, as inequalities that follow from the fabric, read from its table.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

const page = readFileSync(fileURLToPath(new URL('../../examples/pxn/README.md', import.meta.url)), 'utf8');

interface Explained {
  readonly timeUs: number;
  readonly links: readonly {
    readonly name: string;
    readonly flows: number;
    readonly bytes: number;
    readonly busiestPs: number;
  }[];
}

function network({ links }: Explained) {
  return links.find(({ name }) => name === 'host-leaf')!;
}

async function alltoall(spines: number, options: readonly string[]): Promise<Explained> {
  const world = scriptedContext({ simulate });
  expect(
    await runProgram(
      [
        'collective',
        'alltoall',
        '--fabric',
        'spectrum-x',
        '--gpus',
        '64',
        '--psw-switches',
        String(spines),
        '--sizes',
        '1MiB',
        '--backend',
        'packet',
        '--env',
        'NCCL_NET_OVERHEAD=0',
        '--explain',
        '--json',
        ...options,
      ],
      world,
    ),
  ).toBe(0);
  return JSON.parse(world.stdout.text) as Explained;
}

it('PXN pays where spines are scarce, and costs where they are plenty', async () => {
  const proxies = [await alltoall(64, ['--pxn']), await alltoall(4, ['--pxn'])];
  // no byte crosses a spine, so their number does not matter
  expect(proxies[0]!.links.map(({ name }) => name)).toEqual([
    'host-NVSwitch',
    'NVSwitch-host',
    'host-leaf',
    'leaf-host',
  ]);
  expect(proxies[1]!.timeUs).toBe(proxies[0]!.timeUs);
  // 8 servers of 8: 8 x 7 pairs of servers with 64 or 8 flows
  expect([network(await alltoall(64, [])).flows, network(proxies[0]!).flows]).toEqual([56 * 64, 56 * 8]);
  // test/architecture/page-figures.slow.test.ts holds the page against runs
  const [plenty, even, scarce, proxy] = ['64`', '8`', '4`', '4 --pxn`'].map((spines) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`| \`--psw-switches ${spines}`))!
        .split('|')[3],
    ),
  ) as [number, number, number, number];
  expect(proxy).toBeCloseTo(proxies[0]!.timeUs, 1);
  expect(plenty).toBeLessThan(proxy);
  expect(even).toBeGreaterThan(proxy);
  expect(scarce).toBeGreaterThan(1.2 * proxy);
});
