// What is swept: values split as YAML has them, seeds, and the order of combinations.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { Combinations, mostSweptRuns } from '../../src/scenario/sweep/combinations.js';
import { readSeeds } from '../../src/scenario/sweep/seed-list.js';
import { readSweptSettings, type SweptSetting } from '../../src/scenario/sweep/swept-setting.js';
import { splitValues } from '../../src/scenario/sweep/value-list.js';
import { seed } from '../support/seed.js';

describe('the values of a setting', () => {
  it.each<[string, readonly string[]]>([
    ['a', ['a']],
    ['', ['']],
    ['1, 2 ,3', ['1', '2', '3']],
    ['{file: a.topo, x: [1, 2]},{file: b.topo}', ['{file: a.topo, x: [1, 2]}', '{file: b.topo}']],
    ['[1,2],[3]', ['[1,2]', '[3]']],
    ['leaf[2],leaf[3]', ['leaf[2]', 'leaf[3]']],
    ['"a,b",c', ['"a,b"', 'c']],
    ["'it''s, so',c", ["'it''s, so'", 'c']],
    ['"a\\",b",c', ['"a\\",b"', 'c']],
    // within a word a quote is a letter
    ["it's,that's", ["it's", "that's"]],
    ['{a: "}", b: \',\'},x', ['{a: "}", b: \',\'}', 'x']],
    ['__proto__,constructor', ['__proto__', 'constructor']],
  ])('of %s', (text, values) => {
    expect(splitValues(text)).toEqual(values);
  });

  it.each<[string, number, RegExp]>([
    ['a,{b', 3, /\{ is not closed/],
    ['a]', 2, /\] closes nothing/],
    ['{a]', 3, /\] stands where \} is due/],
    ['"a,b', 1, /a quote is not closed/],
    ['a,,b', 3, /a value is empty/],
    ['a,', 3, /a value is empty/],
    [',a', 1, /a value is empty/],
  ])('of %s are refused at column %i', (text, column, message) => {
    const split = splitValues(text);
    expect(split).toMatchObject({ column });
    expect((split as { message: string }).message).toMatch(message);
  });

  it(`written as YAML in one line are the values that were written (seed ${seed})`, () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.stringMatching(/^[a-z][a-z0-9._-]{0,8}$/),
      fc.json({ maxDepth: 3 }),
      fc.string().map((text) => `'${text.replace(/[^ -~]/g, '.').replaceAll("'", "''")}'`),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (values) => {
        // JSON may hold characters that YAML does not take; quotes and brackets are what matters here
        const texts = values.map((text) => text.replace(/[^ -~]/g, '.').trim());
        expect(splitValues(texts.join(','))).toEqual(texts);
        expect(parse(`[${texts.join(',')}]`, { uniqueKeys: false })).toHaveLength(texts.length);
      }),
      { seed },
    );
  });
});

function settingsOf(...texts: string[]): { settings: SweptSetting[]; mistakes: string[] } {
  const diagnostics = new Diagnostics();
  const settings = readSweptSettings(texts, diagnostics);
  return { settings, mistakes: diagnostics.list.map(({ file, message }) => `${file}: ${message}`) };
}

describe('settings', () => {
  it.each<[string, Partial<SweptSetting>]>([
    ['a=1,2.5,1e-3', { kind: 'number', numbers: [1, 2.5, 0.001], unit: '1' }],
    ['a=true,false', { kind: 'flag', numbers: null, unit: null }],
    ['a=1KiB,2kB,0', { kind: 'quantity', numbers: [1024, 2000, 0], unit: 'B' }],
    ['a=100Gbps,1Tbps', { kind: 'quantity', numbers: [1e11, 1e12], unit: 'bit/s' }],
    ['a=1us,2.5ns', { kind: 'quantity', numbers: [1000, 2.5], unit: 'ns' }],
    ['a=unlimited,1MiB', { kind: 'quantity', numbers: [null, 1048576], unit: 'B' }],
    ['a=5,1MiB', { kind: 'word', numbers: null, unit: null }],
    ['a=true,1', { kind: 'word', numbers: null }],
    ['a=fluid,packet', { kind: 'word', numbers: null }],
    ['a=Infinity,NaN', { kind: 'word' }],
    ['a=1e999,1', { kind: 'word' }],
  ])('%s', (text, setting) => {
    expect(settingsOf(text).settings).toMatchObject([setting]);
  });

  it.each<[string[], string]>([
    [['a=1,2,1'], '--set a: a value is given twice'],
    [['a=1', 'a=2'], '--set a: a is given twice'],
    [['a=[1'], '--set: [ is not closed'],
  ])('%s are refused', (texts, message) => {
    expect(settingsOf(...texts).mistakes).toEqual([message]);
  });
});

describe('seeds', () => {
  it.each<[string, number[]]>([
    ['7', [7]],
    ['1..3', [1, 2, 3]],
    ['5, 1 .. 2,9', [5, 1, 2, 9]],
    ['9007199254740990..9007199254740991', [9007199254740990, 9007199254740991]],
  ])('%s', (text, seeds) => {
    const list = readSeeds(text);
    expect(Array.from({ length: list.count }, (_, i) => list.at(i))).toEqual(seeds);
    expect(readSeeds(list.text).text).toBe(list.text);
  });

  it.each(['', '-1', '1.5', '3..1', '1..', 'a', '1..3,2', '9007199254740992', '1-3', '1..2..3'])('not %s', (text) => {
    expect(() => readSeeds(text)).toThrow(/--seeds: error/);
  });
});

describe('combinations', () => {
  it('come with the first setting slowest and seeds fastest, each once', () => {
    const { settings } = settingsOf('a=1,2', 'b=x', 'c=p,q,r');
    const combinations = new Combinations(settings, readSeeds('1..2'));
    expect([combinations.count, combinations.runs]).toEqual([6, 12]);
    const runs = Array.from({ length: 12 }, (_, run) => combinations.at(run));
    expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(12);
    expect(runs.slice(0, 3)).toEqual([
      { overrides: ['a=1', 'b=x', 'c=p'], seed: 1 },
      { overrides: ['a=1', 'b=x', 'c=p'], seed: 2 },
      { overrides: ['a=1', 'b=x', 'c=q'], seed: 1 },
    ]);
    for (let run = 0; run < 12; run += 2) expect(combinations.runWith(combinations.choicesOf(run))).toBe(run);
    expect(new Combinations(settings, null).at(5)).toEqual({ overrides: ['a=2', 'b=x', 'c=r'], seed: null });
    expect(new Combinations([], readSeeds('4..5')).at(1)).toEqual({ overrides: [], seed: 5 });
  });

  it(`of more than ${mostSweptRuns} runs are refused with their numbers, without being made`, () => {
    const values = Array.from({ length: 1000 }, (_, i) => i).join(',');
    const { settings } = settingsOf(`a=${values}`, `b=${values}`);
    expect(new Combinations(settings, null).runs).toBe(1_000_000);
    expect(() => new Combinations(settings, readSeeds('1..2'))).toThrow(/too many runs[^]*1000 x 1000 x 2 seeds/);
    expect(() => new Combinations([], readSeeds('0..9007199254740991'))).toThrow(/too many runs/);
  });
});
