// The DMA of an RNIC: operations by hand, and adamaps that its caches hold or not.

import { describe, expect, it } from 'vitest';
import { type DmaSubmission, DmaOperation, RnicDma } from '../../src/backends/packet/nic/rnic-dma.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { SideColumns } from '../../src/backends/packet/side-columns.js';
import { AdamapCaches } from '../../src/backends/packet/transport/omnidma/adamap-caches.js';
import { EventWheel } from '../../src/engine/event-wheel.js';

const { listAppend, listToTable, listPrefetch, listMiss, tableMiss } = DmaOperation;

/** A DMA at 128 Gb/s and 250 ns, as the peer's scripts have it, and what it was asked for. */
function dmaOf(variant: 'single' | 'duplex'): { dma: RnicDma; clock: { nowPs: number }; seen: DmaSubmission[] } {
  const clock = { nowPs: 0 };
  const seen: DmaSubmission[] = [];
  const watcher = { submitted: (submission: DmaSubmission): void => void seen.push({ ...submission }) };
  const dma = new RnicDma({
    variant,
    bandwidthBps: 128e9,
    latencyPs: 250_000,
    tlpPayloadBytes: 256,
    tlpOverheadBytes: 20,
    nodeCount: 2,
    clock,
    watcher,
  });
  return { dma, clock, seen };
}

describe('duplex', () => {
  it('34 B are 54 B on the bus, and take 3.375 ns after 250 ns', () => {
    const { dma, seen } = dmaOf('duplex');
    expect(dma.submit(0, 7, listAppend, 34)).toBe(253_375);
    expect(seen).toEqual([
      { host: 0, pair: 7, operation: 1, bytes: 54, waitPs: 0, servicePs: 253_375, donePs: 253_375 },
    ]);
  });

  it('puts 20 B around every 256 B', () => {
    const { dma, seen } = dmaOf('duplex');
    dma.submit(0, 0, listMiss, 256);
    dma.submit(1, 0, listMiss, 257);
    expect(seen.map(({ bytes }) => bytes)).toEqual([276, 297]);
  });

  it('waits for bytes before it alone, and reads do not wait for writes', () => {
    const { dma, clock, seen } = dmaOf('duplex');
    dma.submit(0, 0, listAppend, 34);
    // 3.375 ns behind the write before it; a read at once; another host at once
    expect(dma.submit(0, 0, listToTable, 34)).toBe(256_750);
    expect(dma.submit(0, 0, tableMiss, 34)).toBe(253_375);
    expect(dma.submit(1, 0, listAppend, 34)).toBe(253_375);
    clock.nowPs = 5_000;
    expect(dma.submit(0, 0, listAppend, 34)).toBe(5_000 + 1_750 + 253_375);
    expect(seen.map(({ waitPs }) => waitPs)).toEqual([0, 3_375, 0, 0, 1_750]);
  });
});

describe('single', () => {
  it('54 B occupy it for 253.375 ns', () => {
    const { dma } = dmaOf('single');
    expect(dma.submit(0, 0, listAppend, 54)).toBe(253_375);
    expect(dma.submit(0, 0, listPrefetch, 54)).toBe(506_750);
  });

  it('serves reads and writes in order of arrival, without what PCIe adds', () => {
    const { dma, clock, seen } = dmaOf('single');
    expect(dma.submit(0, 0, listAppend, 34)).toBe(252_125);
    expect(dma.submit(0, 0, tableMiss, 34)).toBe(504_250);
    expect(dma.submit(1, 0, tableMiss, 34)).toBe(252_125);
    clock.nowPs = 600_000;
    expect(dma.submit(0, 0, listMiss, 68)).toBe(854_250);
    expect(seen.map(({ bytes, waitPs }) => [bytes, waitPs])).toEqual([
      [34, 0],
      [34, 252_125],
      [34, 0],
      [68, 0],
    ]);
  });
});

/** Three maps of a list and two entries of a table are held. */
function cachesOf(): { caches: AdamapCaches; pair: number; operations: () => [number, number][] } {
  const { dma, seen } = dmaOf('duplex');
  const wheel = new EventWheel();
  const pairs = new QueuePairs();
  const columns = new SideColumns(wheel.records, pairs);
  const caches = new AdamapCaches({ pairs, columns, dma, bits: 16, listCache: 3, tableCache: 2 });
  const pair = pairs.allocate();
  // 34 B a map: bytes on the bus less 20
  const operations = (): [number, number][] =>
    seen.splice(0).map(({ operation, bytes }) => [operation, (bytes - 20) / 34]);
  return { caches, pair, operations };
}

describe('caches of a queue pair', () => {
  it('hold the first maps of the list; the others are written, and read in one piece when there is room', () => {
    const { caches, pair, operations } = cachesOf();
    for (let before = 0; before < 5; before++) caches.appended(pair, before);
    expect(operations()).toEqual([
      [listAppend, 1],
      [listAppend, 1],
    ]);
    caches.reached(pair, 2);
    expect(operations()).toEqual([]);
    // two gone from the front, three left: the two that are not held come
    caches.removed(pair, 0);
    caches.removed(pair, 0);
    caches.refill(pair, 3);
    expect(operations()).toEqual([[listPrefetch, 2]]);
    // a map behind those held: all up to it are read
    caches.appended(pair, 3);
    caches.appended(pair, 4);
    operations();
    caches.reached(pair, 4);
    expect(operations()).toEqual([[listMiss, 2]]);
    expect([caches.listLooks.values[pair], caches.listHits.values[pair]]).toEqual([2, 1]);
  });

  it('hold the entries of the table that were used last', () => {
    const { caches, pair, operations } = cachesOf();
    caches.entered(pair);
    expect(operations()).toEqual([[listToTable, 1]]);
    for (const entry of [1, 2, 1, 3, 2, 1]) caches.used(pair, entry);
    // 1 and 2 come; 1 is there; 3 takes the place of 2; 2 that of 1; 1 that of 3
    expect(operations().map(([operation]) => operation)).toEqual([5, 5, 5, 5, 5]);
    caches.forgotten(pair, 2);
    caches.used(pair, 1);
    caches.used(pair, 2);
    expect(operations()).toEqual([[tableMiss, 1]]);
    expect([caches.tableLooks.values[pair], caches.tableHits.values[pair]]).toEqual([8, 2]);
  });

  it('say when all of what a packet asked for is done', () => {
    const { caches, pair } = cachesOf();
    caches.entered(pair);
    caches.entered(pair);
    expect(caches.takeDonePs()).toBe(256_750);
    expect(caches.takeDonePs()).toBe(0);
  });
});
