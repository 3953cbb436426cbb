// What was read of the input files: their sizes and SHA-256, taken while they are read, so that no file is read for its
// digest alone.
// Invariant: a digest is of the exact bytes of one whole reading; of several readings of a path (a trace has two) the
// first counts.

import { createHash } from 'node:crypto';
import type { InputRole } from '../scenario/input-files.js';

/** What identifies the content of a file. */
export interface InputDigest {
  readonly sizeBytes: number;
  /** hexadecimal */
  readonly sha256: string;
}

/** An input file of a run, as the manifest lists it. */
export interface InputFile extends InputDigest {
  readonly role: InputRole;
  /** as the scenario writes it; of the scenario or conf itself its name without the folder */
  readonly path: string;
}

/** One reading of a file, piece by piece; nothing counts before `end`. */
export interface ReadingDigest {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** Collects the digests of the files that one command reads, from the first plan on that it makes. */
export class InputDigests {
  private readonly digests = new Map<string, InputDigest>();

  /** @param wanted whether digests are taken; left out: they are */
  constructor(private wanted = true) {}

  /** From now on digests are taken: other commands read gigabytes that nothing names by their digest. */
  begin(): void {
    this.wanted = true;
  }

  /** A file that was read at once. */
  whole(path: string, bytes: Uint8Array): void {
    const reading = this.reading(path);
    reading?.add(bytes);
    reading?.end();
  }

  /** Begins a reading. @returns null if no digest is wanted, or this path was read to its end before */
  reading(path: string): ReadingDigest | null {
    if (!this.wanted || this.digests.has(path)) return null;
    const hash = createHash('sha256');
    let sizeBytes = 0;
    return {
      add: (bytes) => {
        hash.update(bytes);
        sizeBytes += bytes.length;
      },
      end: () => {
        this.digests.set(path, { sizeBytes, sha256: hash.digest('hex') });
      },
    };
  }

  /** @param path as the host was asked for it @returns null if it was not read to its end */
  digestOf(path: string): InputDigest | null {
    return this.digests.get(path) ?? null;
  }
}
