// Files that are read while a plan is made: a stop is heard after each piece, and what reads on afterwards is left alone.

import { describe, expect, it } from 'vitest';
import { type Host, readingUntil, Stopped } from '../../src/base/host.js';
import { scriptedContext } from '../support/command-context.js';

/** A file of pieces without an end. */
const { host } = scriptedContext({});
async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield await Promise.resolve(Uint8Array.of(1));
}
const stopped = (): boolean => true;
const endlessHost: Host = { ...host, readBytes: endless, readText: () => Promise.resolve('text') };

describe('readingUntil', () => {
  it('leaves off at the piece after the stop', async () => {
    let pieces = 0;
    const work = readingUntil(
      endlessHost,
      () => pieces === 3,
      async (reading) => {
        for await (const piece of reading.readBytes('a')) pieces += piece.length;
      },
    );
    await expect(work).rejects.toBeInstanceOf(Stopped);
    expect(pieces).toBe(3);
  });

  it('leaves off after a text, and at the end of what reads nothing', async () => {
    await expect(readingUntil(endlessHost, stopped, (reading) => reading.readText('a'))).rejects.toThrow(Stopped);
    await expect(readingUntil(endlessHost, stopped, () => Promise.resolve(1))).rejects.toThrow(Stopped);
  });

  it('leaves alone who reads on once it is made', async () => {
    let isStopped = false;
    const pieces = await readingUntil(
      endlessHost,
      () => isStopped,
      (reading) => Promise.resolve(reading.readBytes('a')[Symbol.asyncIterator]()),
    );
    isStopped = true;
    expect((await pieces.next()).value).toEqual(Uint8Array.of(1));
  });
});
