// Transfers that were added in any order come in order of time, ties as they were added: beside a sort of all at once.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { TransferList } from '../../src/flows/transfer-list.js';
import { seed } from '../support/seed.js';

/** Starts as a list hands them out. */
function handedOut(list: TransferList): [id: number, startPs: number][] {
  const seen: [number, number][] = [];
  for (let now = list.nextStartPs(); now !== Infinity; now = list.nextStartPs())
    list.expand(now, { transfer: (id, _from, _to, _size, startPs) => void seen.push([id, startPs]) });
  return seen;
}

const random = new RandomStream(seed, 'merged-order');
const draw = (below: number): number => Math.floor(random.nextFraction() * below);
const shapes: Record<string, (i: number) => number> = {
  'in order': (i) => 3 * i,
  backwards: (i) => 1e9 - i,
  'with many ties': () => draw(50),
  'at random': () => draw(2 ** 52),
  'in order but for one': (i) => (i === 4096 ? 5 : 10 * i),
};

describe.each(Object.entries(shapes))(`transfers %s (seed ${seed})`, (_name, startOf) => {
  it.each([1, 2, 4095, 4096, 4097, 8192, 10_000])('of which there are %d', (count) => {
    const starts = Array.from({ length: count }, (_, i) => startOf(i));
    const list = new TransferList();
    for (const startPs of starts) list.add(0, 1, 8, startPs);
    const wanted = starts.map((startPs, id): [number, number] => [id, startPs]).sort((a, b) => a[1] - b[1]);
    const again = list.fromStart();
    expect(handedOut(list)).toEqual(wanted);
    expect(handedOut(again)).toEqual(wanted);
  });
});

it('takes more transfers after a look at the first', () => {
  const list = new TransferList();
  for (const startPs of [7, 5]) list.add(0, 1, 8, startPs);
  expect(list.nextStartPs()).toBe(5);
  for (const startPs of [6, 1]) list.add(0, 1, 8, startPs);
  expect(handedOut(list)).toEqual([
    [3, 1],
    [1, 5],
    [2, 6],
    [0, 7],
  ]);
});
