// RoCE fabrics: from interface counters of a run whose switches hash to traffic, to tables, to source ports, to another
// run whose counters the tables explain; a list of interfaces; mistakes.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { type CommandResult, runCommand } from '../support/run-command.js';

let folder = '';
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words, { makePlan, simulate });
/** All of three leaves to one host, so that counters alone tell who sent, up to acknowledgements. */
const sent = [
  [0, 13, 400_000],
  [5, 13, 300_000],
  [9, 13, 200_000],
] as const;
/** Headers of 4 KiB packets, and acknowledgements: of a pair's bytes at most this share. */
const overhead = 0.06;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-interfaces-'));
  const shape = '--leaves 4 --spines 4 --hosts-per-leaf 4'.split(' ');
  await weft('topology', 'generate', 'leaf-spine', ...shape, '--out', '@ls.topo');
  await writeFile(
    join(folder, 'scenario.yaml'),
    `backend: packet
fabric: { file: ls.topo }
polling: { interval: 20us }
traffic:
  transfers: [${sent.map(([source, destination, size]) => `{ source: ${source}, destination: ${destination}, size: ${size}B }`).join(', ')}]
`,
  );
  await weft('run', '@scenario.yaml', '--out', '@run');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a run counted, as node_exporter's metrics by time; devices by LID. @param name of an interface */
async function exported(run: string, name: (lid: string, port: string) => string): Promise<string> {
  const text = await readFile(join(folder, run, 'perfquery.txt'), 'utf8');
  const rows = ['timestamp,instance,device,node_network_transmit_bytes_total,node_network_receive_bytes_total'];
  let time = '';
  for (const block of text.split(/^(?=# )/m)) {
    time = /^# Time (\S+) s/.exec(block)?.[1] ?? time;
    const [, lid, port] = /^# Port extended counters: Lid (\d+) port (\d+)/.exec(block) ?? [];
    const words = (counter: string): number => 4 * Number(new RegExp(`${counter}:\\.+(\\d+)`).exec(block)?.[1]);
    if (lid !== undefined) rows.push(`${time},${name(lid, port!)},${words('PortXmitData')},${words('PortRcvData')}`);
  }
  return `${rows.join('\n')}\n`;
}

async function matrix(file: string): Promise<Map<string, number>> {
  const [header, ...rows] = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n');
  expect(header).toBe('source,destination,bytes');
  return new Map(rows.map((row) => row.split(',').map(Number)).map(([from, to, bytes]) => [`${from} ${to}`, bytes!]));
}

function expectSent(found: ReadonlyMap<string, number>): void {
  for (const [from, to, bytes] of sent) {
    expect(found.get(`${from} ${to}`)! / bytes).toBeGreaterThan(1);
    expect(found.get(`${from} ${to}`)! / bytes).toBeLessThan(1 + overhead);
  }
  const rest = [...found].filter(([pair]) => !sent.some(([from, to]) => pair === `${from} ${to}`));
  for (const [, bytes] of rest) expect(bytes).toBeLessThan(overhead * 400_000);
}

it('leads from counters over a matrix to source ports, and from the run with these to the same matrix', async () => {
  await writeFile(join(folder, 'interfaces.csv'), await exported('run', (lid, port) => `lid ${lid}:9100,swp${port}`));
  const fabric = ['--fabric', '@ls.topo'];
  const limits = ['--work', '2000', '--json'];
  const hashed = ['--counters', '@interfaces.csv', '--tables', 'ecmp', '--out', '@matrix.csv'];
  const first = await weft('reconstruct', ...fabric, ...hashed, ...limits);
  expect(JSON.parse(first.stdout)).toMatchObject({ tables: 'ecmp', ranks: 4, pairs: 12, warnings: [] });
  expectSent(await matrix('matrix.csv'));
  const traffic = ['--traffic', '@matrix.csv'];
  await weft('route', 'compute', ...fabric, '--algorithm', 'weft', ...traffic, '--out', '@new.lfts');
  const ports = await weft(
    'route',
    'source-ports',
    ...fabric,
    '--tables',
    '@new.lfts',
    ...traffic,
    '--out',
    '@ports.csv',
  );
  expect(ports.code).toBe(0);
  await weft('run', '@scenario.yaml', '--set', 'routing.sourcePorts=ports.csv', '--out', '@again');
  await writeFile(join(folder, 'again.csv'), await exported('again', (lid, port) => `lid ${lid},eth${port}`));
  const listed = ['--counters', '@again.csv', '--tables', '@new.lfts', '--out', '@again-matrix.csv'];
  expect((await weft('reconstruct', ...fabric, ...listed, ...limits)).code).toBe(0);
  expectSent(await matrix('again-matrix.csv'));
});

it('takes ports of interfaces from a list, and says what is wrong with it', async () => {
  const other = await exported('run', (lid, port) => `tor${lid},xe-0/0/${Number(port) - 1}`);
  await writeFile(join(folder, 'other.csv'), other);
  const devices = [...new Set(other.match(/tor\d+,xe-0\/0\/\d+/g))];
  const list = devices.map((name) => {
    const [, lid, port] = /tor(\d+),xe-0\/0\/(\d+)/.exec(name)!;
    return `${name},lid ${lid},${Number(port) + 1}`;
  });
  await writeFile(join(folder, 'list.csv'), `device,interface,node,port\n${list.join('\n')}\n`);
  const common = ['--fabric', '@ls.topo', '--tables', 'ecmp', '--counters', '@other.csv', '--work', '2000'];
  const without = await weft('reconstruct', ...common);
  expect([without.code, without.stderr.includes('--interfaces FILE')]).toEqual([2, true]);
  expect((await weft('reconstruct', ...common, '--interfaces', '@list.csv', '--out', '@list-matrix.csv')).code).toBe(0);
  expectSent(await matrix('list-matrix.csv'));
  const odd = await weft('reconstruct', ...common, '--interfaces', '@ls.topo');
  expect([odd.code, odd.stderr.includes('ls.topo:1:1')]).toEqual([2, true]);
});

it.each([
  [['--tables', 'ecmp', '--lanes', '2', '--traffic', 'stencil'], 'switches that hash have no lanes of pairs'],
  [['--tables', 'dmodk', '--counters', '@run/perfquery.txt', '--interfaces', '@ls.topo'], 'ports by LID or GUID'],
  [['--tables', 'dmodk', '--traffic', 'stencil', '--interfaces', '@ls.topo'], 'there are no interface counters'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await weft('reconstruct', '--fabric', '@ls.topo', ...words);
  expect({ code, isSaid: stderr.includes(message) }).toEqual({ code: 2, isSaid: true });
});
