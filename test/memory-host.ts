// A host whose files are in memory, for tests: paths with `/`, folders implied by the files in them.

import { HostFileError, type Host } from '../src/base/host.js';

/** A file's content: text, bytes, or bytes in given pieces. */
export type MemoryFile = string | Uint8Array | readonly Uint8Array[];

export interface MemoryHost extends Host {
  /** may be changed between calls */
  readonly files: Map<string, MemoryFile>;
  /** how often each file was opened */
  readonly opened: Map<string, number>;
}

/** Makes a host with the given files. */
export function memoryHost(files: Readonly<Record<string, MemoryFile>> = {}): MemoryHost {
  const stored = new Map(Object.entries(files));
  const opened = new Map<string, number>();
  const open = (path: string): MemoryFile => {
    opened.set(path, (opened.get(path) ?? 0) + 1);
    const content = stored.get(path);
    if (content !== undefined) return content;
    const folder = `${path.replace(/\/$/, '')}/`;
    throw new HostFileError(path, [...stored.keys()].some((name) => name.startsWith(folder)) ? 'directory' : 'missing');
  };
  return {
    files: stored,
    opened,
    readText: async (path) => {
      const content = open(path);
      return typeof content === 'string' ? content : new TextDecoder().decode(Buffer.concat(piecesOf(content)));
    },
    readBytes: async function* (path) {
      yield* piecesOf(open(path));
    },
    resolve: (from, path) =>
      path.startsWith('/')
        ? path
        : `${from.slice(0, from.lastIndexOf('/') + 1)}${path}`.replace(/(^|\/)(\.\/)+/g, '$1'),
    wallMs: () => 0,
    cpuSeconds: () => 0,
    peakMemoryBytes: () => 0,
    breathe: () => Promise.resolve(),
  };
}

function piecesOf(content: MemoryFile): Uint8Array[] {
  if (typeof content === 'string') return content === '' ? [] : [new TextEncoder().encode(content)];
  return content instanceof Uint8Array ? [content] : [...content];
}
