// Node's host: files are read whole or in pieces, and what cannot be read says why.

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostFileError } from '../../src/base/host.js';
import { DigestSink } from '../../src/app/digest.js';
import { flowTable } from '../../src/records/flow-records.js';
import { TableWriter } from '../../src/records/schema.js';
import { InputDigests } from '../../src/storage/input-digests.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { largestTextBytes, readRegularFile } from '../../src/storage/regular-file.js';

describe('nodeHost', () => {
  const host = nodeHost();
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-host-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads what came with a task, from its place, and nothing else', async () => {
    const place = join(folder, 'content');
    await writeFile(place, 'a: 1\n');
    const digests = new InputDigests();
    const tasks = nodeHost(digests, new Map([['/far/away/s.yaml', place]]));
    expect(await tasks.readText('/far/away/s.yaml')).toBe('a: 1\n');
    expect(digests.digestOf('/far/away/s.yaml')?.sizeBytes).toBe(5);
    // it is there, but it did not come
    const there = join(folder, 'there');
    await writeFile(there, 'b: 2\n');
    for (const path of [there, place, '/dev/zero', '/etc/passwd', '../there', '']) {
      await expect(tasks.readText(path)).rejects.toThrow(HostFileError);
      await expect(tasks.readBytes(path)[Symbol.asyncIterator]().next()).rejects.toThrow(HostFileError);
      await expect(tasks.openRun!(path)).rejects.toThrow(HostFileError);
    }
  });

  async function pieces(path: string): Promise<Uint8Array[]> {
    const list = [];
    for await (const piece of host.readBytes(path)) list.push(piece.slice());
    return list;
  }

  it('digests records as the digest without a host does', () => {
    const sinks = [new DigestSink(undefined), new DigestSink(undefined, host.sha256)];
    for (const sink of sinks) {
      const writer = new TableWriter(flowTable, sink);
      for (let row = 0; row < 5000; row++) {
        writer.columns.forEach((column, i) => {
          column[writer.rows] = row * (i + 1);
        });
        writer.commit();
      }
      writer.flush();
    }
    const [plain, native] = sinks.map((sink) => sink.digest());
    expect(native).toBe(plain);
  });

  it('reads a file in pieces that add up to it', async () => {
    const bytes = Uint8Array.from({ length: 2_400_000 }, (_, i) => i % 251);
    const path = join(folder, 'bytes');
    await writeFile(path, bytes);
    const list = await pieces(path);
    expect(list.map((piece) => piece.length)).toEqual([1_048_576, 1_048_576, 302_848]);
    expect(Buffer.concat(list).equals(bytes)).toBe(true);
  });

  it('reads an empty file as nothing', async () => {
    const path = join(folder, 'empty');
    await writeFile(path, '');
    expect(await pieces(path)).toEqual([]);
    expect(await host.readText(path)).toBe('');
  });

  it('closes the file when the reader stops early', async () => {
    const path = join(folder, 'bytes');
    for await (const piece of host.readBytes(path)) {
      expect(piece.length).toBe(1_048_576);
      break;
    }
  });

  it('says where a text is not UTF-8', async () => {
    // a replacement character by right, then a Latin-1 letter in the third line, beyond the first piece
    const first = Buffer.from(`\ufffd${'x'.repeat(3000)}\n\nab`);
    await writeFile(join(folder, 'latin1'), Buffer.concat([first, Buffer.from([0xe9, 0x0a])]));
    await expect(nodeHost().readText(join(folder, 'latin1'))).rejects.toThrow('line 3, column 3 is not UTF-8');
  });

  it('takes digests of files read to their end, while they are read', async () => {
    const digests = new InputDigests();
    const watched = nodeHost(digests);
    // a byte order mark and a letter of two bytes: the digest is of the bytes, not of the text
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa9);
    const expected = { sizeBytes: 5, sha256: createHash('sha256').update(bytes).digest('hex') };
    for (const name of ['text', 'trace', 'part']) await writeFile(join(folder, name), bytes);
    expect(await watched.readText(join(folder, 'text'))).toBe('\uFEFF\u00E9');
    for await (const piece of watched.readBytes(join(folder, 'trace'))) expect(piece.length).toBe(5);
    for await (const piece of watched.readBytes(join(folder, 'part'))) {
      expect(piece.length).toBe(5);
      break;
    }
    expect(['text', 'trace', 'part'].map((name) => digests.digestOf(join(folder, name)))).toEqual([
      expected,
      expected,
      null,
    ]);
    await writeFile(join(folder, 'trace'), 'changed');
    await watched.readText(join(folder, 'trace'));
    expect(digests.digestOf(join(folder, 'trace'))).toEqual(expected);
  });

  it('says why a file cannot be read', async () => {
    const missing = join(folder, 'missing.yaml');
    await expect(host.readText(missing)).rejects.toMatchObject({
      name: 'HostFileError',
      reason: 'missing',
      message: `${missing}: no such file`,
    });
    await expect(host.readText(join(folder, 'empty', 'x'))).rejects.toMatchObject({ reason: 'missing' });
    await expect(host.readText(folder)).rejects.toMatchObject({ reason: 'directory' });
    await expect(pieces(missing)).rejects.toMatchObject({ reason: 'missing' });
    await expect(pieces(folder)).rejects.toMatchObject({ reason: 'directory' });
  });

  it('takes regular files alone, through links too, and waits for nobody', async () => {
    const kinds: [string, string][] = [['/dev/zero', 'a device']];
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    kinds.push([fifo, 'a FIFO']);
    const link = join(folder, 'link');
    await symlink('/dev/zero', link);
    kinds.push([link, 'a device']);
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    kinds.push([socket, 'a socket']);
    for (const [path, kind] of kinds) {
      const refusal = { reason: 'not-regular', message: expect.stringContaining(`it is ${kind}`) as string };
      await expect(host.readText(path)).rejects.toMatchObject(refusal);
      await expect(pieces(path)).rejects.toMatchObject(refusal);
    }
    server.close();
    await writeFile(join(folder, 'words'), 'words');
    await symlink(join(folder, 'words'), join(folder, 'good'));
    expect(await host.readText(join(folder, 'good'))).toBe('words');
  });

  it('refuses what is no text, with the place of its first zero', async () => {
    const path = join(folder, 'utf16');
    await writeFile(path, Buffer.from('name: x', 'utf16le'));
    await expect(host.readText(path)).rejects.toMatchObject({
      reason: 'not-text',
      message: expect.stringContaining('byte 2 is 0') as string,
    });
  });

  it('reads texts up to a size, and says which', async () => {
    const path = join(folder, 'large');
    await writeFile(path, '');
    await truncate(path, largestTextBytes + 1);
    await expect(host.readText(path)).rejects.toMatchObject({
      reason: 'too-large',
      message: `${path}: is too large to be read whole (501 MB, at most 500 MB)`,
    });
    await writeFile(path, 'x'.repeat(3_000_001));
    expect((await readRegularFile(path, 3_000_001)).length).toBe(3_000_001);
    await expect(readRegularFile(path, 3_000_000)).rejects.toMatchObject({ reason: 'too-large' });
  });

  it.skipIf(process.platform !== 'linux')('reads a file that does not tell its size, up to the limit', async () => {
    expect(await host.readText('/proc/self/maps')).toContain('[stack]');
    await expect(readRegularFile('/proc/self/maps', 1000)).rejects.toMatchObject({ reason: 'too-large' });
  });

  it('sees paths from the file that names them', () => {
    expect(host.resolve('examples/a/scenario.yaml', '../trace.csv')).toBe('examples/trace.csv');
    expect(host.resolve('scenario.yaml', 'trace.csv')).toBe('trace.csv');
    expect(host.resolve('examples/scenario.yaml', '/data/trace.csv')).toBe('/data/trace.csv');
  });

  it('has clocks', async () => {
    const before = host.wallMs();
    await host.breathe();
    expect(host.wallMs()).toBeGreaterThanOrEqual(before);
    expect(host.cpuSeconds()).toBeGreaterThan(0);
    expect(host.peakMemoryBytes()).toBeGreaterThan(10e6);
  });
});
