// Bad input of weft reconstruct: counters of another fabric, under other tables, in the wrong order, saturated, empty, of
// no file at all. Each is refused (exit code 2, nothing on stdout) with its place, what was found and what to do; or
// told, where the rest is still worth something.

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { type CommandResult, runCommand } from '../support/run-command.js';

let folder = '';
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words, { makePlan, simulate });
const file = (name: string): string => join(folder, name);

/** A fabric, its tables, and what its ports counted of two messages, before and after. */
async function make(name: string, pods: number, messages: string): Promise<void> {
  const shape = `--pods ${pods} --edges-per-pod ${pods} --hosts-per-edge ${pods} --aggregation-per-pod ${pods} --cores ${pods * pods}`;
  await weft(
    'topology',
    'generate',
    'fat-tree',
    ...shape.split(' '),
    '--format',
    'ibnetdiscover',
    '--out',
    `@${name}.net`,
  );
  await weft('route', 'compute', '--fabric', `@${name}.net`, '--algorithm', 'ftree', '--out', `@${name}.lfts`);
  await writeFile(
    file(`${name}.yaml`),
    `backend: credit
fabric: { file: ${name}.net }
routing: { algorithm: tables, tables: ${name}.lfts }
polling: { interval: 1s }
traffic: { transfers: [${messages}] }
`,
  );
  await weft('run', `@${name}.yaml`, '--out', `@${name}-run`);
  const rounds = (await readFile(file(`${name}-run/perfquery.txt`), 'utf8')).split(/^(?=# Time )/m);
  await writeFile(file(`${name}-before`), rounds[0]!);
  await writeFile(file(`${name}-after`), rounds.at(-1)!);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-bad-counters-'));
  await make('a', 3, '{ source: 0, destination: 17, size: 400KB }, { source: 3, destination: 9, size: 100KB }');
  await make('b', 2, '{ source: 0, destination: 5, size: 400KB }, { source: 3, destination: 6, size: 100KB }');
  await make('c', 4, '{ source: 0, destination: 5, size: 400KB }, { source: 3, destination: 60, size: 100KB }');
  await writeFile(file('truth.csv'), 'source,destination,bytes\n0,17,400000\n3,9,100000\n');
  await writeFile(file('part.csv'), 'source,destination,bytes\n0,17,400000\n');
  const after = await readFile(file('a-after'), 'utf8');
  await writeFile(file('empty'), '');
  await writeFile(file('blank.csv'), 'timestamp,instance,interface,tx_bytes\n');
  await writeFile(file('other.csv'), 'timestamp,instance,interface,tx_bytes\n1,nowhere,swp1,5\n');
  await writeFile(file('cut'), after.replace(/PortXmitData:\.+\d+\n/, 'PortXmitData:...1x\n'));
  // 32-bit counters that have stopped, all of them
  const narrow = after.replaceAll('Port extended counters', 'Port counters');
  await writeFile(file('stopped'), narrow.replaceAll(/(Data:\.+)[1-9]\d*/g, '$14294967295'));
  const stopped = narrow.replace(/^(PortXmitData:\.+)[1-9]\d+$/m, '$14294967295');
  await writeFile(file('one-stopped'), stopped);
  execFileSync('mkfifo', [file('fifo')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const on = ['--fabric', '@a.net', '--tables', '@a.lfts'];
const counters = (name: string, ...more: string[]): string[] => [...on, '--counters', `@${name}`, ...more];

describe('is refused', () => {
  it.each<[string, string[], RegExp]>([
    [
      'counters of another fabric',
      counters('b-after'),
      /b-after: error: .*ends that contradict\n {2}found: .*sent \d+; received: \d+\n {2}wanted: [^]*hint: /,
    ],
    [
      'counters of a smaller fabric with the same GUIDs',
      ['--fabric', '@a.net', '--tables', '@a.lfts', '--counters', '@c-after'],
      /c-after:\d+:1: error: \d+ of \d+ readings count at ports that the fabric has not[^]*wanted: [^]*hint: /,
    ],
    [
      'traffic as truth that was not sent',
      counters('a-after', '--before', '@a-before', '--truth', '@other-truth.csv'),
      /--truth: error: what hosts sent and received differs by \d.* % from this traffic\n {2}wanted: [^]*hint: /,
    ],
    [
      'counters under other tables',
      ['--fabric', '@a.net', '--tables', '@b.lfts', '--counters', '@a-after'],
      /a-after: error: .* on the way of no pair[^]*found: [^]*hint: /,
    ],
    [
      'before after before',
      counters('a-before', '--before', '@a-after'),
      /a-before: error: PortRcvData of \S+.* went down\n {2}found: .*\n.*\n {2}hint: .*in each other's place/,
    ],
    ['before of another fabric', counters('a-after', '--before', '@b-after'), /a-after: error: .* went down/],
    [
      'lanes without counters',
      counters('a-after', '--lanes', '3'),
      /a-after: error: the file has no counters by lane\n {2}found: .*\n {2}wanted: /,
    ],
    ['an empty file', counters('empty'), /empty: error: there is no counter in the file\n {2}wanted: /],
    ['an empty file of before', counters('a-after', '--before', '@empty'), /empty: error: there is no counter/],
    ['a table without rows', counters('blank.csv'), /blank\.csv: error: there is no counter in the file/],
    [
      'interfaces of another fabric',
      counters('other.csv'),
      /other\.csv:2:11: error: no interface of the file is[^]*found: .*nowhere swp1\n[^]*--interfaces FILE/,
    ],
    [
      'tables in place of counters',
      counters('a.lfts'),
      /a\.lfts:1:1: error: the file holds forwarding tables\n[^]*it belongs to --tables/,
    ],
    ['a fabric in place of counters', counters('a.net'), /a\.net:1:1: error: the file holds a fabric/],
    [
      'a counter that is none',
      counters('cut'),
      /cut:\d+:1: error: this is no counter\n {2}found: +PortXmitData:\.\.\.1x\n {2}wanted: /,
    ],
    ['all counters stopped', counters('stopped'), /stopped: error: [^]*hint: .*perfquery -x/],
    ['a folder', counters('a-run'), /a-run: is a directory/],
    ['a pipe', counters('fifo'), /fifo: is not a regular file/],
    ['a file that is not there', counters('nowhere'), /nowhere: no such file/],
    ['a matrix of another fabric', [...on, '--traffic', '@m.csv'], /m\.csv/],
  ])('%s', async (_what, words, message) => {
    await writeFile(file('m.csv'), 'source,destination,bytes\n0,1000,5\n');
    await writeFile(file('other-truth.csv'), 'source,destination,bytes\n0,12,400000\n');
    const { code, stdout, stderr } = await weft('reconstruct', ...words, '--work', '2000');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('is told', () => {
  it.each<[string, string[], string[]]>([
    ['nothing was counted in between', counters('a-after', '--before', '@a-after'), ['nothing-counted']],
    // the other end of its link stands for it
    ['one counter stopped', counters('one-stopped'), ['saturated-counter', 'left-out']],
    ['nothing, where all is well', counters('a-after', '--before', '@a-before'), []],
    [
      'nothing, where the truth is what was sent',
      counters('a-after', '--before', '@a-before', '--truth', '@truth.csv'),
      [],
    ],
    [
      'a truth that was sent in part',
      counters('a-after', '--before', '@a-before', '--truth', '@part.csv'),
      ['contradicting-traffic'],
    ],
  ])('%s', async (_what, words, codes) => {
    const { code, stdout } = await weft('reconstruct', ...words, '--work', '2000', '--json');
    const { warnings } = JSON.parse(stdout) as { warnings: { code: string }[] };
    expect([code, ...warnings.map((own) => own.code)]).toEqual([0, ...codes]);
  });
});
