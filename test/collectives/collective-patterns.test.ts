// Collectives and training iterations as traffic: sums against closed forms, pairs against groups written by hand.

import { expect, it } from 'vitest';
import { collectivePattern } from '../../src/collectives/collective-patterns.js';
import type { TrafficPattern } from '../../src/flows/traffic/catalogue.js';

function pairs(pattern: TrafficPattern, ranks: number, phase: number): Map<string, number> {
  const sent = new Map<string, number>();
  pattern.send(ranks, 1, phase, (from, to, weight) => {
    sent.set(`${from}>${to}`, (sent.get(`${from}>${to}`) ?? 0) + weight);
  });
  return sent;
}

const pattern = (name: string): TrafficPattern => collectivePattern(name) as TrafficPattern;
const sum = (sent: Map<string, number>): number => [...sent.values()].reduce((total, weight) => total + weight, 0);

it.each([2, 3, 4, 5, 8, 13, 64])('an allreduce of %i ranks sends 2(n-1) payloads, in a ring and over trees', (n) => {
  const ring = pairs(pattern('ring-allreduce'), n, 0);
  const trees = pairs(pattern('tree-allreduce'), n, 0);
  expect(sum(ring)).toBeCloseTo(2 * (n - 1), 9);
  expect(sum(trees)).toBeCloseTo(2 * (n - 1), 9);
  expect(ring.size).toBe(n);
  // nobody passes on more than the two halves, up and down: 2 in, 2 out beside what its children take
  for (let rank = 0; rank < n; rank++) {
    let out = 0;
    for (const [pair, weight] of trees) if (pair.startsWith(`${rank}>`)) out += weight;
    expect(out).toBeLessThanOrEqual(2 + 1e-9);
  }
});

it('a training iteration has the groups of its sizes, a phase for each kind', () => {
  const training = pattern('training-tp2-pp2-dp2-ep2');
  expect(training.ranks).toBe(8);
  expect(training.phases).toEqual(['tp', 'ep', 'pp forward', 'pp backward', 'dp']);
  const of = (phase: number): string[] => [...pairs(training, 8, phase).keys()].sort();
  expect(of(0)).toEqual(['0>1', '1>0', '2>3', '3>2', '4>5', '5>4', '6>7', '7>6']);
  expect(of(1)).toEqual(['0>2', '1>3', '2>0', '3>1', '4>6', '5>7', '6>4', '7>5']);
  expect(of(2)).toEqual(['0>4', '1>5', '2>6', '3>7']);
  expect(of(3)).toEqual(['4>0', '5>1', '6>2', '7>3']);
  expect(of(4)).toEqual(of(1));
  // of its payload an all-to-all of two sends half, a ring of two all of it
  expect(sum(pairs(training, 8, 1))).toBeCloseTo(4, 9);
  expect(sum(pairs(training, 8, 4))).toBeCloseTo(8, 9);
});

it('says what is wrong with sizes', () => {
  expect(collectivePattern('stencil')).toBeNull();
  for (const name of [
    'training',
    'training-dp1',
    'training-dp8-ep3',
    'training-dp8-dp8',
    'training-dp0',
    'training-xy4',
    'training-tp99999-dp99999',
  ])
    expect(collectivePattern(name)).toEqual(expect.any(String));
});
