// The page's table of baselines on 512 hosts: our columns are what the command gives, those of OpenSM's deterministic
// engines the same as ours, and the optimizer is above none of OpenSM's.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand, runCommandForJson } from '../support/run-command.js';

const page = fileURLToPath(new URL('../../docs/models/static-routes.md', import.meta.url));
let folder = '';
let rows: string[][] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-baselines-'));
  const shape = '--pods 4 --edges-per-pod 8 --hosts-per-edge 16 --aggregation-per-pod 8 --cores 16'.split(' ');
  const generate = ['topology', 'generate', 'fat-tree', ...shape, '--format', 'ibnetdiscover', '--out', '@512.net'];
  expect(await runCommand(folder, generate)).toMatchObject({ code: 0 });
  const [, table] = /^### Beside OpenSM's engines\n([^]*?)^## /m.exec(await readFile(page, 'utf8'))!;
  rows = [...table!.matchAll(/^\| (\S+) \|( \d+ \|)+$/gm)].map(([line]) => line.split('|').map((cell) => cell.trim()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('on 512 hosts: as the page says, and the optimizer never above an engine of OpenSM', async () => {
  expect(rows).toHaveLength(5);
  for (const [, traffic, ...cells] of rows) {
    const words = 'route compare --fabric @512.net --algorithms weft,ftree,minhop,updn,dfsssp --seed 5 --traffic'.split(
      ' ',
    );
    const { tables } = (await runCommandForJson(folder, [...words, traffic!])) as {
      tables: { name: string; maxLoad: number }[];
    };
    const [weft, ftree, minhop, updn, dfsssp, ...openSm] = cells.slice(0, 11).map(Number);
    const load = Object.fromEntries(tables.map(({ name, maxLoad }) => [name, maxLoad]));
    expect({ traffic, ...load }).toEqual({ traffic, weft, ftree, minhop, updn, dfsssp });
    expect(openSm.slice(0, 3)).toEqual([ftree, minhop, updn]);
    expect(weft).toBeLessThanOrEqual(Math.min(...openSm));
  }
});
