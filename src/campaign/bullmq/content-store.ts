// The files of campaigns on a worker's disk, by SHA-256.
// Invariants: a file has its name only once its whole content is there; nothing but the store's own folder is written;
// all of it goes away with `remove`.

import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputError } from '../../storage/output-error.js';

export class ContentStore {
  /** by SHA-256: where it is, once it is there */
  private readonly places = new Map<string, Promise<string>>();

  private constructor(readonly folder: string) {}

  /** @param parent folder in which the store's own is made; left out: the system's for temporary files @throws OutputError */
  static async create(parent = tmpdir()): Promise<ContentStore> {
    try {
      return new ContentStore(await mkdtemp(join(parent, 'weft-worker-')));
    } catch (error) {
      throw outputError(parent, error);
    }
  }

  /** The place of a content. @param fetch brings it if it is not there yet @throws OutputError, and what `fetch` throws */
  place(sha256: string, fetch: () => Promise<Buffer>): Promise<string> {
    const known = this.places.get(sha256);
    if (known !== undefined) return known;
    const made = this.keep(sha256, fetch).catch((error: unknown) => {
      this.places.delete(sha256);
      throw error;
    });
    this.places.set(sha256, made);
    return made;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async keep(sha256: string, fetch: () => Promise<Buffer>): Promise<string> {
    const content = await fetch();
    // names come from outside
    const place = join(this.folder, createHash('sha256').update(sha256).digest('hex'));
    try {
      await writeFile(`${place}.new`, content);
      await rename(`${place}.new`, place);
    } catch (error) {
      await rm(`${place}.new`, { force: true }).catch(() => {});
      throw outputError(this.folder, error);
    }
    return place;
  }
}
