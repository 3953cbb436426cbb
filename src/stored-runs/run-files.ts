// The files of a stored run, wherever they are: on a disk (storage/node-run-files.ts), or given to a page by a person.

import type { RunningDigest } from '../base/host.js';

/** A file whose bytes can be read by their places. */
export interface OpenedFile {
  readonly sizeBytes: number;
  /** The bytes of a part, all of them, in an array of its own. @throws HostFileError */
  read(from: number, until: number): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export interface RunFiles {
  /** The path of a file in a folder. */
  join(folder: string, name: string): string;
  /** @throws HostFileError */
  open(path: string): Promise<OpenedFile>;
  /** A whole file as UTF-8. @param mostBytes a larger one is refused @throws HostFileError */
  readText(path: string, mostBytes?: number): Promise<string>;
  sha256(): RunningDigest;
}
