// Rows of an operator's files that contradict each other are told, by every command that reads the file: the same thing
// twice with other values, or two places of a file that say different things of one port. Which rows is drawn.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import {
  changedLines,
  commands,
  good,
  type OperatorFile,
  warningsIn,
  writeOperatorFiles,
} from '../support/operator-files.js';
import { runCommand } from '../support/run-command.js';
import { seed } from '../support/seed.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-rows-'));
  await writeOperatorFiles(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A text with one of its lines that fit a pattern changed. */
function withLine(
  kind: OperatorFile,
  fits: RegExp,
  change: (line: string) => string,
): (random: RandomStream) => string {
  return (random) => {
    const lines = good[kind].split('\n');
    const places = [...lines.keys()].filter((at) => fits.test(lines[at]!));
    const at = places[random.nextBelow(places.length)]!;
    lines[at] = change(lines[at]!);
    return lines.join('\n');
  };
}
const again =
  (change: (line: string) => string) =>
  (line: string): string =>
    `${line}\n${change(line)}`;
const plusOne = (digits: string): string => String(Number(digits) + 1).padStart(digits.length, '0');

describe(`rows that contradict are told (WEFT_SEED=${seed})`, () => {
  it.each<[string, OperatorFile, (random: RandomStream) => string]>([
    [
      'a port twice, with other ends',
      'f.net',
      withLine(
        'f.net',
        /^\[\d+\].*"S-/,
        again((line) => line.replace(/"\[(\d+)\]/, (__, n: string) => `"[${plusOne(n)}]`)),
      ),
    ],
    [
      'LIDs of a switch at the two ends of a cable',
      'f.net',
      withLine('f.net', /^\[\d+\].*"S-/, (line) =>
        line.replace(/lid (\d+) (\w+)$/, (_, n: string, rate: string) => `lid ${Number(n) + 700} ${rate}`),
      ),
    ],
    [
      'rates at the two ends of a cable',
      'f.net',
      withLine('f.net', /^\[\d+\].*4xEDR/, (line) => line.replace('4xEDR', '4xQDR')),
    ],
    [
      'the GUID of a node and its name in the file',
      'f.net',
      withLine('f.net', /^switchguid=/, (line) => line.replace(/guid=0x\w/, 'guid=0x9')),
    ],
    [
      'a node twice',
      'f.net',
      withLine(
        'f.net',
        /^Switch\t/,
        again((line) => line.replace(/lid (\d+)/, (_, n: string) => `lid ${Number(n) + 700}`)),
      ),
    ],
    ...(['a.lfts', 'dumped.lfts'] as const).flatMap(
      (kind): [string, OperatorFile, (random: RandomStream) => string][] => [
        [
          `an entry twice, with other ports (${kind})`,
          kind,
          withLine(
            kind,
            /^0x.*Channel/,
            again((line) => line.replace(/ (\d{3}) /, (_, n: string) => ` ${n === '001' ? '002' : '001'} `)),
          ),
        ],
        [
          `the LID of an entry and its GUID (${kind})`,
          kind,
          withLine(kind, /^0x.*Channel/, (line) =>
            line.replace(
              /^0x(\w+)/,
              (_, n: string) => `0x${((parseInt(n, 16) % 12) + 1).toString(16).padStart(4, '0')}`,
            ),
          ),
        ],
        [
          `fewer entries announced than there are (${kind})`,
          kind,
          withLine(kind, /lids dumped/, (line) => line.replace(/^\d+/, '7')),
        ],
      ],
    ),
    [
      'a count twice, with other values',
      'errors',
      withLine(
        'errors',
        /GUID/,
        again((line) => line.replace(/== (\d+)\]/, (_, n: string) => `== ${plusOne(n)}]`)),
      ),
    ],
    [
      'a reading twice, with other values',
      'perfquery',
      withLine('perfquery', /^PortXmitData/, (line) => `${line}\n${line.replace(/(\d+)$/, (n) => plusOne(n))}`),
    ],
    [
      'lanes of two ports twice',
      'sl2vl',
      withLine(
        'sl2vl',
        /^\d+ .* : /,
        again((line) => line.replace(/: 0/, ': 1')),
      ),
    ],
    [
      'levels of a pair twice',
      'lanes',
      withLine(
        'lanes',
        /^0x.* : 1/,
        again((line) => line.replace(': 1', ': 0')),
      ),
    ],
    [
      'two LIDs of a port',
      'guid2lid',
      withLine(
        'guid2lid',
        /^0x/,
        again((line) => line.replaceAll(/ 0x0/g, ' 0x1')),
      ),
    ],
  ])('%s', async (_, kind, make) => {
    const random = new RandomStream(seed, kind);
    const silent: object[] = [];
    for (let i = 0; i < 5; i++) {
      const text = make(random);
      expect(text).not.toBe(good[kind]);
      await writeFile(join(folder, kind), text);
      for (const words of commands[kind]) {
        const { code, stdout } = await runCommand(folder, [...words, '--json']);
        if (code !== 2 && warningsIn(stdout).length === 0)
          silent.push({ words, changed: changedLines(good[kind], text) });
      }
      await writeFile(join(folder, kind), good[kind]);
    }
    expect(silent).toEqual([]);
  });
});
