// examples/pxn: when PXN pays, as inequalities that follow from the fabric, and the figures of its table.

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
  const direct = [await alltoall(64, []), await alltoall(8, []), await alltoall(4, [])];
  const proxies = [await alltoall(64, ['--pxn']), await alltoall(4, ['--pxn'])];
  const [plenty, even, scarce] = direct.map(({ timeUs }) => timeUs) as [number, number, number];
  // no byte crosses a spine, so their number does not matter
  expect(proxies[0]!.links.map(({ name }) => name)).toEqual([
    'host-NVSwitch',
    'NVSwitch-host',
    'host-leaf',
    'leaf-host',
  ]);
  expect(proxies[1]!.timeUs).toBe(proxies[0]!.timeUs);
  expect(plenty).toBeLessThan(proxies[0]!.timeUs);
  expect(even).toBeGreaterThan(proxies[0]!.timeUs);
  expect(scarce).toBeGreaterThan(1.2 * proxies[0]!.timeUs);
  // 8 servers of 8: 8 x 7 pairs of servers with 64 or 8 flows
  expect([network(direct[0]!).flows, network(proxies[0]!).flows]).toEqual([56 * 64, 56 * 8]);
  const row = /^\| 1 MiB \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/m.exec(page)!.slice(1).map(Number);
  expect(row).toEqual([plenty, even, scarce, proxies[0]!.timeUs].map((us) => Math.round(us * 10) / 10));
});
