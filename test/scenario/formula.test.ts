// Expressions and formulas of a sweep: against arithmetic on fractions of BigInt, whatever the formula; mistakes with
// their places; which values are formulas at all.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { Combinations } from '../../src/scenario/sweep/combinations.js';
import { isExpression, parseExpression, pathsOf } from '../../src/scenario/sweep/expression.js';
import { scenarioNumbers } from '../../src/scenario/sweep/scenario-numbers.js';
import { readSweptSettings } from '../../src/scenario/sweep/swept-setting.js';
import { seed } from '../support/seed.js';

/** A formula as text, and what it comes to; null: a division leaves a remainder, or is by zero. */
interface Case {
  readonly text: string;
  readonly value: bigint | null;
  readonly isAtom: boolean;
}

const names = { 'a.x': 12n, 'b[0].y': 7n, c: 2n };
const atom: fc.Arbitrary<Case> = fc.oneof(
  fc.integer({ min: 0, max: 99 }).map((value) => ({ text: String(value), value: BigInt(value), isAtom: true })),
  fc.constantFrom(...Object.entries(names)).map(([text, value]) => ({ text, value, isAtom: true })),
);
const { formula } = fc.letrec<{ formula: Case }>((tie) => ({
  formula: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(tie('formula'), fc.constantFrom('+', '-', '*', '/'), tie('formula'))
      .map(([left, operator, right]): Case => {
        const wrapped = ({ text, isAtom }: Case): string => (isAtom ? text : `(${text})`);
        const [a, b] = [left.value, right.value];
        const value =
          a === null || b === null
            ? null
            : operator === '+'
              ? a + b
              : operator === '-'
                ? a - b
                : operator === '*'
                  ? a * b
                  : b === 0n || a % b !== 0n
                    ? null
                    : a / b;
        return { text: `${wrapped(left)} ${operator} ${wrapped(right)}`, value, isAtom: false };
      }),
  ),
}));

function combinationsOf(texts: readonly string[], scenario = ''): Combinations {
  const diagnostics = new Diagnostics();
  const settings = readSweptSettings(texts, diagnostics, scenarioNumbers(scenario, 's.yaml'));
  expect(diagnostics.list).toEqual([]);
  return new Combinations(settings, null);
}

/** What a formula comes to where x is 8. */
function valueBesideEight(text: string): string {
  return combinationsOf(['x=8,3', `r=${text}`])
    .at(0)
    .overrides[1]!.slice(2);
}

describe('a setting that follows from others', () => {
  it(`is what fractions of whole numbers make it (seed ${seed})`, () => {
    fc.assert(
      fc.property(formula, ({ text, value, isAtom }) => {
        fc.pre(!isAtom && /[a-c]/.test(text) && (value === null || Number.isSafeInteger(Number(value))));
        const swept = Object.entries(names).map(([path, number]) => `${path}=${number}`);
        const run = combinationsOf([...swept, `result=${text}`]).at(0);
        if (value === null) expect(run.infeasible).toMatch(/leaves a remainder|divided by zero/);
        else expect(run).toEqual({ overrides: [...swept, `result=${value}`], seed: null });
      }),
      { seed, numRuns: 300 },
    );
  });

  it('binds as arithmetic does', () => {
    expect(valueBesideEight('1+x*2')).toBe('17');
    expect(valueBesideEight('32/x/2')).toBe('2');
    expect(valueBesideEight('10-x-1')).toBe('1');
    expect(valueBesideEight('-x+10')).toBe('2');
    expect(valueBesideEight('0.5*x')).toBe('4');
    expect(valueBesideEight('0.5/x')).toBe('0.0625');
  });

  it('takes numbers of the scenario and of other formulas, one for each combination', () => {
    const scenario = 'workload: { pipelineParallel: 4 }';
    const combinations = combinationsOf(
      [
        'workload.tensorParallel=2,8,3',
        'workload.dataParallel=gpus.count/(workload.tensorParallel*workload.pipelineParallel)',
        'gpus.count=64*workload.pipelineParallel',
      ],
      scenario,
    );
    expect([0, 1, 2].map((run) => combinations.valuesOf(run))).toEqual([
      ['2', '32', '256'],
      ['8', '8', '256'],
      ['3', null, '256'],
    ]);
    expect(combinations.at(2).infeasible).toMatch(
      /workload\.dataParallel leaves a remainder: 256\/12\n.*256 = 21 x 12 \+ 4/,
    );
  });

  it.each(['a/b.topo', '{file: x/a.topo}', '"2*x"', '1e-3', '-5', 'leaf-spine', '2*y', 'x'])(
    'is not meant by %s',
    (text) => {
      const [, setting] = combinationsOf(['x=1', `r=${text}`]).settings;
      expect(setting!.kind).not.toBe('formula');
    },
  );
});

describe('an expression', () => {
  it.each<[string, number, RegExp]>([
    ['', 1, /there is nothing/],
    ['a +', 4, /expected expression/],
    ['(a', 3, /unclosed \(/],
    ['a b', 1, /an operator is missing/],
    ['f(1)', 2, /no functions/],
    ['a ? 1 : 2', 1, /more than numbers/],
    ['[1]', 1, /more than numbers/],
    ['a[b]', 2, /only a number/],
    ['a % 2', 3, /% is not known/],
    ['~a', 1, /~ is not known/],
    ['"a', 3, /unclosed quote/],
    ['this', 1, /more than numbers/],
    [`${'1+'.repeat(1000)}1`, 2001, /longer than 2000/],
  ])('%s is refused at column %i', (text, column, message) => {
    const read = parseExpression(text);
    expect(isExpression(read)).toBe(false);
    expect(read).toEqual({ column, message: expect.stringMatching(message) as unknown });
  });

  it('as deep as its length lets it be is read or refused, and no more', () => {
    expect(() => parseExpression(`${'('.repeat(999)}1${')'.repeat(999)}`)).not.toThrow();
    expect(() => parseExpression('-'.repeat(1999) + '1')).not.toThrow();
  });

  it('names columns as they are, and texts in single quotes', () => {
    const read = parseExpression(`"check.all flows finished" = 'failed' or not (fct.p99Ns <= 2e6 && jobs[1].x <> 3)`);
    expect(isExpression(read) && pathsOf(read)).toEqual(['check.all flows finished', 'fct.p99Ns', 'jobs[1].x']);
    expect(read).toMatchObject({ kind: 'binary', operator: 'or', right: { kind: 'unary', operator: 'not' } });
  });
});
