// A file that is written from its start to its end while the producer goes on: `append` only queues, the writing
// happens behind it.
// Invariant: bytes reach the file in the order of the appends; after an error nothing more is written and every wait
// throws it.

import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { outputError } from './output-error.js';

/** Queued bytes beyond which the producer should wait. */
const fullBytes = 2 * 1024 * 1024;

/** One output file, open for appending. */
export class OutputFile {
  private queue: Uint8Array[] = [];
  private queuedBytes = 0;
  private writing: Promise<void> | null = null;
  private failure: Error | null = null;
  private readonly digest = createHash('sha256');

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Creates the file; it must not exist. @throws OutputError */
  static async create(path: string): Promise<OutputFile> {
    try {
      return new OutputFile(path, await open(path, 'wx'));
    } catch (error) {
      throw outputError(path, error);
    }
  }

  /** True if the producer should let `drain` run: too much is queued, or there is an error to be told. */
  get full(): boolean {
    return this.queuedBytes > fullBytes || this.failure !== null;
  }

  /** Queues text (as UTF-8) or bytes, which must not change afterwards. */
  append(content: string | Uint8Array): void {
    if (content.length === 0 || this.failure !== null) return;
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    this.queue.push(bytes);
    this.queuedBytes += bytes.length;
    this.writing ??= this.writeQueue();
  }

  /** Resolves when everything queued has been handed to the operating system. @throws OutputError */
  async drain(): Promise<void> {
    await this.writing;
    if (this.failure !== null) throw this.failure;
  }

  /** Writes what is queued and closes the file. @returns SHA-256 of all its bytes, hexadecimal @throws OutputError */
  async close(): Promise<string> {
    try {
      await this.drain();
    } finally {
      await this.release();
    }
    return this.digest.digest('hex');
  }

  /** Closes the file without writing what is queued; never throws. */
  async abandon(): Promise<void> {
    this.queue = [];
    await this.writing;
    await this.release().catch(() => {});
  }

  private async release(): Promise<void> {
    try {
      await this.handle.close();
    } catch (error) {
      throw outputError(this.path, error);
    }
  }

  /** Never rejects: the failure is kept until somebody waits. */
  private async writeQueue(): Promise<void> {
    try {
      while (this.queue.length > 0) {
        const bytes = Buffer.concat(this.queue);
        this.queue = [];
        this.digest.update(bytes);
        await this.handle.appendFile(bytes);
        this.queuedBytes -= bytes.length;
      }
    } catch (error) {
      this.failure = outputError(this.path, error);
      this.queue = [];
    } finally {
      this.writing = null;
    }
  }
}
