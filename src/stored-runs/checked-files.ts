// The files of a run's folder, each held to the digest in its manifest before it is read.
// Invariants: a file is read for its digest once, and only if somebody asks for what it holds; memory is one piece.

import { bytesToHex } from '@noble/hashes/utils.js';
import { requireUnchanged } from '../records/run-digests.js';
import type { TablePiece, TableSource } from '../records/run-tables.js';
import type { RunFiles } from './run-files.js';

const pieceBytes = 1 << 20;

export class CheckedFiles {
  private readonly checks = new Map<string, Promise<void>>();

  /** @param digests as the manifest has them, by names of files; null: it has none, and nothing is checked */
  constructor(
    readonly files: RunFiles,
    private readonly folder: string,
    private readonly digests: ReadonlyMap<string, string> | null,
  ) {}

  /** Refuses a file that is not as the run wrote it. @param name in the folder @throws InputError, HostFileError */
  check(name: string): Promise<void> {
    const known = this.checks.get(name) ?? this.compare(name);
    this.checks.set(name, known);
    return known;
  }

  /** The same table; its file is checked before the first of its rows. @param name of the file, in the folder */
  table(source: TableSource, name: string): TableSource {
    const check = (): Promise<void> => this.check(name);
    async function* pieces(columns: readonly string[]): AsyncGenerator<TablePiece> {
      await check();
      yield* source.pieces(columns);
    }
    return { ...source, pieces };
  }

  private async compare(name: string): Promise<void> {
    const wanted = this.digests?.get(name);
    if (wanted === undefined) return;
    const path = this.files.join(this.folder, name);
    requireUnchanged(path, await digestOf(this.files, path), wanted);
  }
}

/** SHA-256 of a file, hexadecimal. @throws HostFileError */
async function digestOf(files: RunFiles, path: string): Promise<string> {
  const file = await files.open(path);
  try {
    const digest = files.sha256();
    for (let from = 0; from < file.sizeBytes; from += pieceBytes)
      digest.update(await file.read(from, Math.min(file.sizeBytes, from + pieceBytes)));
    return bytesToHex(Uint8Array.from(digest.digest()));
  } finally {
    await file.close();
  }
}
