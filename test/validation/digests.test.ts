// What the comparison of two builds calls equal, different and failed; what it takes from pages; names that change.

import { describe, expect, it } from 'vitest';
import { packagesSuffice } from '../../validation/commits/built-commit.js';
import { commandsIn } from '../../validation/digests/commands.js';
import { compareOutcomes, type WholeOutcome } from '../../validation/digests/compare-outcomes.js';
import { rowText, summaryTable } from '../../validation/digests/digest-table.js';
import { readExpectations, reasonOf, unmet } from '../../validation/digests/expected.js';
import { figuresOf, type Json, keysOf, parseJson } from '../../validation/digests/figures.js';
import { knownParts, tagsOf, withOldDefaults } from '../../validation/digests/known-parts.js';
import { changedDefaults, nameChanges, settingsIn, wordsIn } from '../../validation/digests/names.js';
import { newCommand, newPath, renamesBetween } from '../../validation/digests/renames.js';

const answer = {
  figures: [{ name: 'CPU', value: 3 }],
  outcome: 'finished',
  digest: 'aa',
  cpuSeconds: 1,
  fct: { meanNs: 5 },
  verdicts: [{ name: 'conservation', ok: true, detail: '1 = 1' }],
  hops: [1, 2],
};

function outcome(json: object, changes: Partial<WholeOutcome> = {}): WholeOutcome {
  return { status: 0, stdout: JSON.stringify(json), stderr: '', files: {}, ...changes };
}

function compared(was: WholeOutcome, is: WholeOutcome) {
  return compareOutcomes({ group: 'examples', name: 'run x.yaml' }, was, is, []);
}

describe('two outcomes', () => {
  it('are equal whatever the time, the messages and the place in lists of named things', () => {
    const later = {
      ...answer,
      figures: [{ name: 'CPU', value: 4 }],
      cpuSeconds: 9,
      verdicts: [
        { name: 'new', ok: false, detail: '' },
        { name: 'conservation', ok: true, detail: '1 is 1' },
      ],
      added: 7,
    };
    expect(compared(outcome(answer), outcome(later))).toMatchObject({
      verdict: 'equal',
      was: 'aa',
      is: 'aa',
      details: [],
      texts: ['verdicts[conservation].detail'],
    });
  });

  it.each<[string, object, Partial<WholeOutcome>, string]>([
    ['a digest', { digest: 'bb' }, {}, 'digest: "aa" -> "bb"'],
    ['a number', { fct: { meanNs: 6 } }, {}, 'fct.meanNs: 5 -> 6'],
    ['a list of numbers', { hops: [1, 2, 3] }, {}, 'hops: [1,2] -> [1,2,3]'],
    ['an outcome', { outcome: 'blocked' }, {}, 'outcome: "finished" -> "blocked"'],
    ['a verdict', { verdicts: [{ name: 'conservation', ok: false }] }, {}, 'verdicts[conservation].ok: true -> false'],
    ['the exit code', {}, { status: 1 }, 'exit code: 0 -> 1'],
  ])('differ by %s', (_, changes, ended, detail) => {
    expect(compared(outcome(answer), outcome({ ...answer, ...changes }, ended))).toMatchObject({
      verdict: 'differs',
      details: [detail],
    });
  });

  it('differ by a file that was written', () => {
    const row = compared(
      outcome(answer, { files: { 'new.lfts': 'a' } }),
      outcome(answer, { files: { 'new.lfts': 'b' } }),
    );
    expect(row).toMatchObject({ verdict: 'differs', details: ['file new.lfts: "a" -> "b"'] });
  });

  it('are equal if warnings differ, with their places: they are texts', () => {
    const [one, other] = [1, 9].map((column) => outcome({ ...answer, warnings: [{ message: 'm', column }] }));
    expect(compared(one!, other!)).toMatchObject({ verdict: 'equal', texts: ['warnings[0].column'] });
  });

  it('have one digest of all figures where there are no records', () => {
    const [one, same, other] = [3, 3, 4].map((maxLoad) => outcome({ maxLoad, note: 'x', cpuSeconds: Math.random() }));
    const equal = compared(one!, same!);
    expect(equal).toMatchObject({ verdict: 'equal', was: equal.is });
    expect(equal.was).toMatch(/^[\da-f]{64}$/);
    const different = compared(one!, other!);
    expect(different.verdict).toBe('differs');
    expect(different.was).not.toBe(different.is);
  });

  it('tell which side failed, and why', () => {
    const refused = outcome({}, { status: 2, stdout: '', stderr: 'x.yaml:1:1: error: no such setting\n' });
    const crashed = outcome({}, { status: 70, stdout: '' });
    const hung = outcome({}, { status: null, stdout: '', stderr: 'took more than 600 s' });
    expect(compared(outcome(answer), refused)).toMatchObject({
      verdict: 'fails here',
      was: 'aa',
      is: '',
      details: ['here: exit code 2: x.yaml:1:1: error: no such setting'],
    });
    expect(compared(crashed, outcome(answer))).toMatchObject({ verdict: 'fails there', was: '', is: 'aa' });
    expect(compared(refused, refused).verdict).toBe('refused by both');
    // a golden case that neither runs compares nothing
    expect(compareOutcomes({ group: 'goldens', name: 'x' }, refused, refused, []).verdict).toBe('fails on both');
    expect(compared(hung, hung).verdict).toBe('fails on both');
  });
});

it('JSON is read whole or line by line', () => {
  expect(parseJson('{"a":1}\n')).toEqual({ a: 1 });
  expect(parseJson('{"a":1}\n{"a":2}\n')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(parseJson('no JSON')).toBeNull();
  expect(parseJson('')).toBeNull();
});

function schema(routing: object): Json {
  return {
    properties: {
      seed: { type: 'integer' },
      routing: { properties: routing as Record<string, Json> },
      jobs: { items: { properties: { ranks: {} } } },
      traffic: { anyOf: [{ properties: { trace: {} } }, { properties: { transfers: { items: {} } } }] },
    },
  };
}

describe('names', () => {
  it('of settings are all paths of a schema, with the words they take', () => {
    const one = schema({ order: { enum: ['up', 'down'] } });
    expect([...settingsIn(one)].sort()).toEqual([
      'jobs',
      'jobs[].ranks',
      'routing',
      'routing.order',
      'seed',
      'traffic',
      'traffic.trace',
      'traffic.transfers',
    ]);
    expect([...wordsIn(one)]).toEqual([['routing.order', ['up', 'down']]]);
  });

  it('of keys take all elements of a list together', () => {
    expect([...keysOf({ rows: [{ a: 1 }, { b: { c: 2 } }] })]).toEqual(['rows', 'rows[].a', 'rows[].b', 'rows[].b.c']);
  });

  it('that came and went are told, of whole groups the group alone', () => {
    const was = new Set(['a', 'a.x', 'gone', 'gone.y', 'b[].old']);
    const is = new Set(['a', 'a.x', 'a.z', 'fresh', 'fresh.w', 'b[].young']);
    const renames = renamesBetween([{ was: 'b[].old', is: 'b[].young' }], was, is);
    expect(nameChanges(was, is, renames)).toEqual({
      added: ['a.z', 'fresh'],
      removed: ['gone'],
      renamed: ['b[].old -> b[].young'],
    });
  });
});

describe('renames', () => {
  const renames = [
    {
      was: 'pfc.enabled',
      is: 'flowControl',
      values: [
        [false, []],
        [true, ['pfc']],
      ] as const,
    },
    { was: 'rows[].timeUs', is: 'lines[].durationUs' },
  ];

  it('count only where the older build knows the old name alone', () => {
    const [old, young] = [new Set(['pfc.enabled']), new Set(['flowControl'])];
    expect(renamesBetween(renames, old, young)).toEqual([renames[0]]);
    expect(renamesBetween(renames, young, young)).toEqual([]);
    expect(renamesBetween(renames, old, old)).toEqual([]);
  });

  it('of paths keep what lies below and the places in lists', () => {
    expect(newPath('rows[3].timeUs', renames)).toBe('lines[3].durationUs');
    expect(newPath('rows[ring].timeUs.mean', renames)).toBe('lines[ring].durationUs.mean');
    expect(newPath('rows[3].timeUsual', renames)).toBe('rows[3].timeUsual');
  });

  it('of settings change the texts of --set', () => {
    expect(newCommand(['run', 'x', '--set', 'pfc.enabled=false', '--set', 'seed=1'], renames)).toEqual([
      'run',
      'x',
      '--set',
      'flowControl=[]',
      '--set',
      'seed=1',
    ]);
  });

  it('of settings go backwards for what this build draws; what the older one does not know is left out of both', () => {
    const leftOut = new Set<string>();
    const settings = new Set(['seed', 'pfc.enabled', 'congestion.algorithm', 'ecn.enabled']);
    const words = new Map([['congestion.algorithm', ['dcqcn']]]);
    const drawn = { seed: 1, flowControl: [], congestion: { algorithm: 'novel' }, ecn: { enabled: true, fresh: 2 } };
    expect(knownParts(drawn, renames, { settings, words, leftOut })).toEqual({
      both: { seed: 1, flowControl: [], ecn: { enabled: true } },
      old: { seed: 1, pfc: { enabled: false }, ecn: { enabled: true } },
    });
    expect([...leftOut].sort()).toEqual(['congestion.algorithm', 'ecn.fresh']);
  });
});

it('settings with another default are given with the old one, unless they were drawn', () => {
  const [was, is] = ['16ms', 'auto'].map((delay): Json => ({
    properties: { pair: { properties: { delay: { default: delay }, size: { default: 1 } } } },
  }));
  const changed = changedDefaults(was!, is!);
  expect(changed).toEqual([{ path: 'pair.delay', was: '16ms', is: 'auto' }]);
  expect(withOldDefaults({ seed: 1, pair: { size: 2 } }, changed)).toEqual({
    seed: 1,
    pair: { size: 2, delay: '16ms' },
  });
  expect(withOldDefaults({ seed: 1 }, changed)).toEqual({ seed: 1, pair: { delay: '16ms' } });
  expect(withOldDefaults({ pair: { delay: '1us' } }, changed)).toEqual({ pair: { delay: '1us' } });
});

it('random scenarios are named with what is special about them, for expectations', () => {
  expect(tagsOf({ seed: 1 })).toEqual([]);
  expect(tagsOf({ pfc: { enabled: false }, fabric: { errorRate: 0.1 }, backend: 'fluid' })).toEqual([
    'lossy',
    'errors',
    'fluid',
  ]);
  expect(tagsOf({ flowControl: [], failures: { events: [{}] } })).toEqual(['failures', 'lossy']);
  expect(tagsOf({ flowControl: ['pfc'], failures: { events: [] }, fabric: { errorRate: 0 } })).toEqual([]);
});

it('command lines of pages are taken with their quotes and without comments', () => {
  const page = [
    'Run `weft run prose.yaml`:',
    '',
    "    npx weft run a.yaml --set 'x=[ { y: 1 } ]'   # both",
    '    npx weft collective alltoall \\',
    '      --gpus 64',
    '    npx weft --help',
    '    npx weft topology check my.topo',
    'weft                  9600     1.42 %',
    'weft for lulesh (synthetic)',
    '```',
    '$ npx weft route compare --fabric quartz1',
    '```',
  ].join('\n');
  expect(commandsIn(page)).toEqual([
    ['run', 'a.yaml', '--set', 'x=[ { y: 1 } ]'],
    ['collective', 'alltoall', '--gpus', '64'],
    ['route', 'compare', '--fabric', 'quartz1'],
  ]);
});

describe('expectations', () => {
  const row = compared(outcome(answer), outcome({ ...answer, digest: 'bb' }));

  it('cover what their pattern matches, and tell when nothing changed', () => {
    const list = readExpectations(
      '- { case: "run *.yaml", reason: hash changed }\n- { case: other, reason: r }',
      'e.yaml',
    );
    expect(reasonOf(row, list)).toBe('hash changed');
    expect(reasonOf({ ...row, name: 'run x.json' }, list)).toBeNull();
    expect(unmet([row], list).map((each) => each.case)).toEqual(['other']);
  });

  it('may be of some figures alone: a case in which others differ, or that fails, is not covered', () => {
    const list = readExpectations('- { case: "*", figures: [digest, "fct.*"], reason: r }', 'e.yaml');
    const [more, failed] = [{ ...answer, digest: 'bb', hops: [3] }, outcome({}, { status: 70, stdout: '' })];
    expect(reasonOf(row, list)).toBe('r');
    expect(reasonOf(compared(outcome(answer), outcome({ ...answer, fct: { meanNs: 6 } })), list)).toBe('r');
    expect(reasonOf(compared(outcome(answer), outcome(more)), list)).toBeNull();
    expect(reasonOf(compared(outcome(answer), failed), list)).toBeNull();
  });

  it.each([
    '- { case: x }',
    '- { case: x, figures: [], reason: r }',
    'case: x',
    '- { case: x, reason: r, more: 1 }',
    '- { case: "", reason: r }',
  ])('without a reason, or in another form, are refused: %s', (text) => {
    expect(() => readExpectations(text, 'e.yaml')).toThrow(/^e\.yaml: /);
  });

  it('an empty file expects nothing', () => {
    expect(readExpectations('', 'e.yaml')).toEqual([]);
  });
});

it('the table counts every case once and fits 80 columns', () => {
  const equal = compared(outcome(answer), outcome(answer));
  const different = compared(outcome(answer), outcome({ ...answer, digest: 'bb' }));
  const lines = summaryTable([equal, { ...equal, group: 'random' }, { ...different, group: 'random' }]).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  const counts = lines.slice(1).map((line) => line.trim().split(/\s+/));
  expect(counts).toEqual([
    ['examples', '1', '1', '0', '0', '0', '0', '0'],
    ['random', '2', '1', '0', '1', '0', '0', '0'],
    ['all', '3', '2', '0', '1', '0', '0', '0'],
  ]);
  expect(rowText(different, [])).toContain('aa there, bb here');
  expect(rowText(different, [])).toContain('NOT EXPECTED');
});

it('figures of a list with twice the same name are kept apart', () => {
  expect(
    [
      ...figuresOf([
        { name: 'a', x: 1 },
        { name: 'a', x: 2 },
      ]),
    ].filter(([, value]) => typeof value === 'number'),
  ).toEqual([
    ['[a].x', 1],
    ['[1].x', 2],
  ]);
});

/** A lock file with packages by path. */
function lock(packages: Readonly<Record<string, string>>): string {
  const paths = ['', ...Object.keys(packages)];
  return JSON.stringify({
    packages: Object.fromEntries(paths.map((path) => [path, { version: packages[path] ?? '0.1.0' }])),
  });
}

it('packages suffice if all that the other lock file names are there in its versions', () => {
  const here = lock({ 'node_modules/a': '1.0.0', 'node_modules/b': '2.0.0' });
  expect(packagesSuffice(lock({ 'node_modules/a': '1.0.0' }), here)).toBe(true);
  expect(packagesSuffice(lock({ 'node_modules/a': '1.0.1' }), here)).toBe(false);
  expect(packagesSuffice(lock({ 'node_modules/c': '1.0.0' }), here)).toBe(false);
});
