// A host without a machine: files are texts in memory, there is no clock, and nothing to let in between two slices.
// What the library takes if it is given no other, in a browser as in Node.
// Invariant: what is computed with it is the same as with any other host; only times and memory of the run are unknown.

import { HostFileError, type Host } from '../base/host.js';
import { bytesOfUtf8 } from '../formats/byte-lines.js';

/** What a memory host cannot know by itself. In a browser: `performance.now` and a `setTimeout` of 0 ms. */
export type MemoryHostAbilities = Partial<
  Pick<Host, 'wallMs' | 'cpuSeconds' | 'peakMemoryBytes' | 'sha256' | 'breathe'>
>;

/**
 * Makes a host whose files are in memory.
 * @param files the text of each file by its path; folders are separated by `/`, and a path in a scenario is relative to
 * the folder of the scenario
 * @param abilities a clock, so that long slices are cut and times are reported; a breath, so that messages and timers
 * get their turn during a run. Left out: times are 0, and a run takes its thread until it ends
 */
export function memoryHost(files: Readonly<Record<string, string>> = {}, abilities: MemoryHostAbilities = {}): Host {
  const texts = new Map(Object.entries(files).map(([path, text]) => [normalized(path), text]));
  const textOf = (path: string): string => {
    const text = texts.get(normalized(path));
    if (text !== undefined) return text;
    const folder = `${normalized(path)}/`;
    throw new HostFileError(path, [...texts.keys()].some((name) => name.startsWith(folder)) ? 'directory' : 'missing');
  };
  return {
    readText: async (path) => textOf(path),
    readBytes: async function* (path) {
      const bytes = bytesOfUtf8(textOf(path));
      for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.slice(from, from + pieceBytes);
    },
    resolve: (from, path) => normalized(path.startsWith('/') ? path : from.slice(0, from.lastIndexOf('/') + 1) + path),
    wallMs: () => 0,
    cpuSeconds: () => 0,
    peakMemoryBytes: () => 0,
    breathe: () => Promise.resolve(),
    ...abilities,
  };
}

/** bytes of a piece of a file */
const pieceBytes = 256 * 1024;

/** A path without `.`, and without what `..` takes back. */
function normalized(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '.' || (step === '' && steps.length > 0)) continue;
    const last = steps.at(-1);
    if (step === '..' && last !== undefined && last !== '..' && last !== '') steps.pop();
    else steps.push(step);
  }
  return steps.join('/');
}
