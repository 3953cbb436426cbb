// How pages are compared with what commands print: a page that says something else is found out.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstDifference, stepsOf } from '../support/page-commands.js';
import { figureProblem, figuresOf } from '../support/page-figures.js';

const printed = '\nhead\n  load 5\n  run  0.07 s of CPU, at most 74.3MB, digest ab\n\nend\n';

describe('a page beside what is printed', () => {
  it.each([
    [['head', '  load 5', '  run  1.93 s of CPU, at most 9GB, digest ab', '', 'end']],
    [['head', '…']],
    [['…', 'end']],
    [['…', '  load 5', '…']],
    [['head', '…', 'end']],
  ])('agrees: %j', (shown) => expect(firstDifference(shown, printed)).toBeNull());

  it.each([
    ['another figure', ['head', '  load 6', '…'], /^ {2}load 6\nprinted instead:\n {2}load 5/],
    ['another digest', ['…', '  run  0.07 s of CPU, at most 74.3MB, digest ac', '…'], /^ run # s .* ac\n/],
    ['a line too few', ['head', '…', '  load 5', 'end'], /^end\nprinted instead:\n run #/],
    ['an end left out', ['head', '  load 5'], /^the end\nprinted beyond it:\n run #/],
    ['a beginning left out', ['  load 5', '…'], /^ {2}load 5\nprinted instead:\nhead/],
    ['lines in another order', ['…', 'end', '…', 'head', '…'], /^head\n/],
    ['nothing printed', ['head', '…'], /^head\n/, ''],
  ])('differs: %s', (_, shown, difference, text = printed) => expect(firstDifference(shown, text)).toMatch(difference));
});

it('takes files, commands and output from a page in order', () => {
  const page =
    'Save this as `a.yaml`:\n\n```yaml\nb: 1\n```\n\n```yaml\nc: 2\n```\n\n```sh\nx\ny\n```\n\nText.\n\n```text\nz\n…\n```\n';
  expect(stepsOf(page)).toEqual([
    { kind: 'file', name: 'a.yaml', text: 'b: 1\n' },
    { kind: 'commands', commands: ['x', 'y'], printed: ['z', '…'] },
  ]);
  expect(() => stepsOf('Text.\n\n```text\nz\n```\n')).toThrow('no command prints this');
});

it('README is one screen', () => {
  const lines = pageOf('README.md').split('\n');
  expect(lines.length).toBeLessThanOrEqual(61);
});

describe('figures of a page', () => {
  const marks = [
    'Text.',
    '<!-- of `run a {options} --b {2}` -->',
    '',
    'It takes 1,053.5 us<!-- fct.maxNs --> and 12<!-- count --> packets.',
    '<!-- columns: - | - | fct.maxNs in ms | list[1] -->',
    '<!-- written by: a command -->',
    '| 1 | b | 3 ms | 4 |',
    '|---|---|---|---|',
    '| is `--c` | 7 | 2.50 | 12 (3) |',
    '| without | 8 | | none |',
    '',
    '| another | 5 | 6 | 7 |',
  ].join('\n');

  it('have the command and the key that they come from', () => {
    expect(figuresOf(marks)).toEqual([
      { command: 'run a  --b', key: 'fct.maxNs', shown: '1,053.5 us' },
      { command: 'run a  --b', key: 'count', shown: '12' },
      { command: 'run a --c --b 7', key: 'fct.maxNs', shown: '2.50 ms' },
      { command: 'run a --c --b 7', key: 'list[1]', shown: '12' },
    ]);
    expect(() => figuresOf('12<!-- count -->')).toThrow('no command gives 12');
    expect(() => figuresOf('<!-- of `a` -->\n<!-- columns: count -->\nText.')).toThrow('no table before: Text.');
  });

  it.each([
    ['2.50 ms', { at: { Ns: 2_504_999 } }, null],
    ['2.50 ms', { at: { Ns: 2_505_100 } }, '2.5051 ms is at.Ns'],
    ['49.0 %', { at: { Ns: 0.4904 } }, null],
    ['1,053', { at: { Ns: 1053 } }, null],
    ['1,053', { at: { Ns: 1054 } }, '1054 is at.Ns'],
    ['-1.5', { at: { Ns: 1.5 } }, '1.5 is at.Ns'],
    ['3', { at: null }, 'undefined is at.Ns'],
  ])('%s beside %j', (shown, json, problem) => {
    const found = figureProblem({ command: 'a', key: 'at.Ns', shown }, json);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});

function pageOf(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
}

it('README says of its accuracy what the pages of errors say', () => {
  const rows = [
    ...pageOf('docs/accuracy.md').matchAll(/^\| ([^|]+) \|[^|]*\| ([\d,.]+) \| ([\d,.]+) \| ([-+][\d.]+) % \|$/gm),
  ];
  expect(rows).toHaveLength(6);
  const most = { transfers: 0, sums: 0 };
  for (const [, name, theirs, ours, percent] of rows) {
    const [simai, weft] = [theirs!, ours!].map((text) => Number(text.replace(',', ''))) as [number, number];
    const digits = percent!.split('.')[1]!.length;
    expect((100 * (weft / simai - 1)).toFixed(digits), name).toBe(percent!.replace('+', ''));
    const kind = name!.startsWith('allreduce') ? 'sums' : 'transfers';
    most[kind] = Math.max(most[kind], Math.abs(Number(percent)));
  }
  const readme = pageOf('README.md').replace(/\s+/g, ' ');
  expect(readme).toContain(`within ${most.transfers} % of SimAI`);
  expect(readme).toContain(`sums over 8 to 128 GPUs within ${most.sums} %`);
  const all = /^\| all of these \|.*\| (\d+) \| ([\d.]+) % \| \S+ % \|$/m.exec(pageOf('docs/models/measured.md'))!;
  expect(readme).toContain(`bandwidths from 64 MiB on are off by ${all[2]!} % in the median`);
});
