// The canonical digest of a run's records: SHA-256 of every table's columns, little-endian, batch by batch in
// documented order. Batches have a fixed number of rows, so the digest does not depend on how the run was sliced;
// files, timings and progress stand outside.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { RunningDigest } from '../base/host.js';
import type { Batch, RecordSink, TableSchema } from '../records/schema.js';

/** Passes records on to another sink, if there is one, and digests them on the way. */
export class DigestSink implements RecordSink {
  private readonly tables = new Map<string, RunningDigest>();

  /**
   * @param newDigest a SHA-256 of the host's, if it has one that is faster
   * @param passedOver tables that are handed on alone
   */
  constructor(
    private readonly next: RecordSink | undefined,
    private readonly newDigest: () => RunningDigest = () => sha256.create(),
    private readonly passedOver: readonly TableSchema[] = [],
  ) {}

  get full(): boolean {
    return this.next?.full ?? false;
  }

  put(batch: Batch): void {
    if (!this.passedOver.includes(batch.schema)) this.add(batch);
    this.next?.put(batch);
  }

  private add(batch: Batch): void {
    let hash = this.tables.get(batch.schema.name);
    if (hash === undefined) {
      hash = this.newDigest();
      this.tables.set(batch.schema.name, hash);
    }
    for (const column of batch.columns) {
      hash.update(new Uint8Array(column.buffer, column.byteOffset, batch.rows * column.BYTES_PER_ELEMENT));
    }
  }

  async drain(): Promise<void> {
    await this.next?.drain();
  }

  /** The digest of all tables, in order of their names, as hexadecimal. Call it once, at the end. */
  digest(): string {
    const all = sha256.create();
    for (const name of [...this.tables.keys()].sort()) {
      all.update(utf8ToBytes(`${name}\n`));
      all.update(this.tables.get(name)!.digest());
    }
    return bytesToHex(all.digest());
  }
}
