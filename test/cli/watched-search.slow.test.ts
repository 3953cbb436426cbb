// A thread that searches routes and never looks whether it has to end is ended from outside: at its time, or when the
// user asks. One that looks is left to end by itself.

import { describe, expect, it } from 'vitest';
import { routedFabric, generatedFabric } from '../../src/app/routes/fabric-input.js';
import { patternTraffic } from '../../src/app/routes/traffic-input.js';
import type { SearchSettings } from '../../src/app/routes/route-algorithm.js';
import { searchInThreads, type ThreadOptions } from '../../src/cli/route/search-thread.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import type { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { changesBetween } from '../../src/routing/table-changes.js';
import { routeRandom } from '../../src/routing/random-minimal.js';

const source = routedFabric(generatedFabric('fat-tree', { k: 4 })!);
const { traffic } = patternTraffic({ traffic: 'all-to-all', seed: 1, allocation: 'contiguous' }, source);
const settings: SearchSettings = {
  traffic,
  seed: 1,
  seconds: 0.2,
  mostWork: Infinity,
  current: null,
  mostChanges: null,
  threshold: 0.9,
};
const begun = routeRandom(source.tree, 7);
const better = routeRandom(source.tree, 8);

/** What differs from the tables in the beginning, as a text that makes it. */
function changesText(tables: ForwardingTables): string {
  const changes = changesBetween(begun.entries, tables.entries);
  return 'all' in changes
    ? `{ all: Uint8Array.of(${changes.all.join()}) }`
    : `{ cells: Uint32Array.of(${changes.cells.join()}), entries: Uint8Array.of(${changes.entries.join()}) }`;
}

/** A thread that says some things and then computes for ever. */
function deaf(...said: readonly string[]): ThreadOptions {
  const text = `import { parentPort } from 'node:worker_threads';
    const begun = Uint8Array.of(${begun.entries.join()});
    const ftree = 'unknown', incumbent = 4, best = ${changesText(better)};
    const state = { stage: 'deaf', incumbent: 5, bound: 4 };
    ${said.map((word) => `parentPort.postMessage({ ${word}, ftree, incumbent });`).join(' ')}
    for (;;);`;
  return {
    worker: new URL(`data:text/javascript,${encodeURIComponent(text)}`),
    patience: { askedMs: 200, leastMs: 200, perSetUp: 2, settingUpMs: 500 },
  };
}

const quiet = { report: () => {}, whenStopped: new Promise<never>(() => {}) };

describe('a search that is deaf', () => {
  it.each([
    ['after its first look', ['begun', 'state']],
    ['before its first look', ['begun']],
  ])('ends at its time with the tables that it began with: %s', async (_, said) => {
    const { tables, notes, outOfTime, search } = await searchInThreads('weft', source, settings, quiet, deaf(...said));
    expect(tables[0]!.entries).toEqual(begun.entries);
    expect([outOfTime, search]).toEqual([true, undefined]);
    expect(notes).toEqual([
      expect.stringContaining(
        'by --time, from outside, for it did not answer at once; these are the tables that it began with',
      ),
    ]);
  });

  it.each([
    ['with the tables that it began with', ['begun', 'state'], begun],
    ['with better ones that it told of', ['begun', 'state', 'best'], better],
    ['with dmodk where it had not even begun', [], routeDmodK(source.tree)],
  ])('ends when it is asked to, %s', async (_, said, wanted) => {
    // asked once it has said everything, or, if it says nothing, at once
    const asks: (() => void)[] = [];
    const whenStopped = new Promise<void>((resolve) => {
      if (said.length === 0) resolve();
      else asks.push(resolve);
    });
    const running = searchInThreads(
      'weft',
      source,
      { ...settings, seconds: 1e6 },
      { report: () => asks[0]?.(), whenStopped },
      deaf(...said),
    );
    expect((await running).tables[0]!.entries).toEqual(wanted.entries);
  });

  it('is left out beside one that ended', async () => {
    // of two threads the second is deaf; the first says its result
    const text = `import { parentPort, workerData } from 'node:worker_threads';
      const entries = Uint8Array.of(${begun.entries.join()});
      parentPort.postMessage({ begun: entries });
      parentPort.postMessage({ state: { stage: '', incumbent: 5, bound: 4 } });
      if (workerData.place === 1) for (;;);
      const score = { maxLoad: 5, netMaxLoad: 5, linksAboveThreshold: 0, l2: 1, phaseMax: [5] };
      parentPort.postMessage({ result: { entries, notes: ['done'], cpuSeconds: 1, search: { score, provenWork: null } } });`;
    const options = { ...deaf(), worker: new URL(`data:text/javascript,${encodeURIComponent(text)}`) };
    const { notes } = await searchInThreads('weft', source, { ...settings, workers: 2 }, quiet, options);
    expect(notes).toEqual(['done', 'the best of 1 searches, number 1']);
  });
});

it('a search that looks ends by itself, at its time and with a result', async () => {
  const hard = {
    traffic: patternTraffic({ traffic: 'random-permutation', seed: 3, allocation: 'contiguous' }, source).traffic,
  };
  const { search } = await searchInThreads('weft', source, { ...settings, ...hard, patience: 1e6 }, quiet);
  expect(search!.work).toBeGreaterThan(0);
});
