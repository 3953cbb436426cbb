// weft reconstruct where pairs take several ways: counters of runs to several LIDs tell what was sent; requests that
// cannot be are refused.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { severalLids } from '../support/several-lids.js';

let folder = '';
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words, { makePlan, simulate });
/** two transfers each, which take the LIDs of their destination in turn; a hash gives either pair another LID */
const sent = [
  [0, 2, 400_000],
  [2, 1, 100_000],
] as const;
const bytes = sent.map(([from, to, size]) => `${from},${to},${2 * size}\n`).join('');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-split-'));
  const { net, lfts } = severalLids();
  await writeFile(join(folder, 'a.net'), net);
  await writeFile(join(folder, 'a.lfts'), lfts);
  await writeFile(join(folder, 'sent.csv'), `source,destination,bytes\n${bytes}`);
  const transfers = sent.map(([source, to, size]) => `{ source: ${source}, destination: ${to}, size: ${size}B }`);
  await writeFile(
    join(folder, 'scenario.yaml'),
    `backend: credit
fabric: { file: a.net }
routing: { algorithm: tables, tables: a.lfts }
packet: { header: 0B }
polling: { interval: 1ms }
traffic: { transfers: [${[...transfers, ...transfers].join(', ')}] }
`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('several LIDs', () => {
  it.each([
    ['round-robin', 'spread'],
    ['hash', 'hash'],
    ['first', '0'],
  ])('a run that takes them by %s is found by %s, and by nothing else', async (rule, use) => {
    await weft('run', '@scenario.yaml', '--set', `routing.lidOffset=${rule}`, '--out', `@${rule}`);
    const given = ['--counters', `@${rule}/perfquery.txt`, '--truth', '@sent.csv', '--dictionary', 'i', '--json'];
    const found = async (own: string) => {
      const words = ['--fabric', '@a.net', '--tables', '@a.lfts', '--lid-offset', own];
      return weft('reconstruct', ...words, ...given);
    };
    const { code, stdout } = await found(use);
    const told = JSON.parse(stdout) as { relativeError: number; residual: number };
    expect({ code, ...told }).toMatchObject({ code: 0, lids: 2, foundPairs: 2 });
    expect(told.relativeError).toBeLessThan(1e-6);
    for (const other of ['spread', 'hash', '0', '1'].filter((own) => own !== use)) {
      const wrong = await found(other);
      if (wrong.code === 0) expect((JSON.parse(wrong.stdout) as typeof told).residual).toBeGreaterThan(0.05);
      // most of what was counted
      else expect(wrong.stderr).toContain('is on the way of no pair');
    }
  });

  it('that hosts have not are refused', async () => {
    const words = ['reconstruct', '--fabric', '@a.net', '--tables', '@a.lfts', '--traffic', '@sent.csv'];
    const { code, stderr } = await weft(...words, '--lid-offset', '2');
    expect([code, stderr]).toEqual([2, expect.stringContaining('hosts have not so many LIDs')]);
  });
});

describe('switches that choose for every packet', () => {
  // eight senders on a HyperX of 4 x 4 switches, where pairs have one or two shortest ways
  const transfers = [
    [14, 4, 8],
    [11, 27, 7],
    [12, 14, 1],
    [4, 16, 16],
    [6, 16, 13],
    [22, 15, 7],
    [1, 30, 13],
    [2, 4, 16],
  ] as const;
  const given = ['--fabric', '@h.net', '--tables', 'ecmp', '--counters', '@adaptive/perfquery.txt'];
  const error = async (...words: string[]): Promise<number> => {
    const { stdout } = await weft(
      'reconstruct',
      ...given,
      ...words,
      '--truth',
      '@adaptive',
      '--dictionary',
      'i',
      '--json',
    );
    return (JSON.parse(stdout) as { relativeError: number }).relativeError;
  };

  beforeAll(async () => {
    await weft('topology', 'generate', 'hyperx', '--format', 'ibnetdiscover', '--out', '@h.net');
    const listed = transfers.map(
      ([from, to, size]) => `{ source: ${from}, destination: ${to}, size: ${size * 256}KiB }`,
    );
    await writeFile(
      join(folder, 'adaptive.yaml'),
      `backend: credit
fabric: { file: h.net }
routing: { balancing: adaptive }
packet: { payload: 4KiB, header: 0B, gap: 0B }
polling: { interval: 100ms }
traffic: { transfers: [${listed.join(', ')}] }
`,
    );
    await weft('run', '@adaptive.yaml', '--out', '@adaptive');
  });

  it('fixed fractions come near what the run sent, as the source expects (6.1.2); groups of ports do not', async () => {
    // all links between switches are in few groups: without fractions most senders fit most receivers
    expect(await error()).toBeGreaterThan(0.5);
    for (const split of ['equal', 'waits'])
      expect(await error('--split', split, '--noise', '10%', '--work', '2000')).toBeLessThan(0.15);
  });

  it('counters without waits are refused where fractions go by these', async () => {
    const text = await readFile(join(folder, 'adaptive/perfquery.txt'), 'utf8');
    await writeFile(join(folder, 'bare.txt'), text.replaceAll(/^PortXmitWait.*\n/gm, ''));
    const words = ['--fabric', '@h.net', '--tables', 'ecmp', '--counters', '@bare.txt', '--split', 'waits'];
    const { code, stderr } = await weft('reconstruct', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the file has no PortXmitWait')]);
  });
});

it.each([
  [['--tables', '@a.lfts', '--split', 'equal'], 'by tables each switch has one port'],
  [['--tables', 'ecmp', '--split', 'waits'], 'counters that are made do not wait'],
  [['--tables', 'ecmp', '--split-ports', '2'], 'how do switches split'],
  [['--tables', 'ecmp', '--lanes', '2'], 'or --split as well'],
  [['--tables', 'ecmp', '--split', 'equal', '--lanes', '5', '--strategy', 'galois'], 'for one way of each pair'],
  [['--tables', 'ftree'], 'ways to one LID'],
])('%j is refused', async (words, message) => {
  const { code, stderr } = await weft('reconstruct', '--fabric', '@a.net', '--traffic', '@sent.csv', ...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
