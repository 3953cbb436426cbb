// `weft trace generate`: the source's command, the example's file, what is refused, and that what is written can be read.

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({});
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-trace-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const example = 'examples/web-search';
const exampleWords = `trace generate poisson --gpus 64 --gpus-per-server 1 --load 0.6 --bandwidth 100Gbps --sizes ${example}/web-search.txt --duration 2ms`;

describe('weft trace generate', () => {
  it("does what the source's script does with the same words", async () => {
    const out = join(folder, 'my_trace.csv');
    const words = '--arrival server_pair --src-server 0 --dst-server 1 --gpus-per-server 8 --kv-mb 10 --rounds 1';
    const { code, stdout } = await weft('trace', 'generate', ...words.split(' '), '--out', out);
    expect([code, stdout]).toEqual([0, `${out}: 8 transfers, 80MiB, the last at 0ps\n`]);
    const rows = (await readFile(out, 'utf8')).trimEnd().split('\n').slice(1);
    const wanted = (await readFile('examples/server-pair/trace.csv', 'utf8')).trimEnd().split('\n');
    expect(rows).toEqual(wanted.filter((line) => /^\d/.test(line)));
  });

  it("prints the example's trace to the byte, in the time and load that it says", async () => {
    const { code, stdout } = await weft(...exampleWords.split(' '));
    expect(code).toBe(0);
    expect(stdout).toBe(await readFile(`${example}/trace.csv`, 'utf8'));
    const rows = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').map(Number));
    expect(rows.every(([ns], i) => ns! <= 2e6 && ns! >= (rows[i - 1]?.[0] ?? 0))).toBe(true);
    // 60 % of 64 x 100 Gb/s for 2 ms; the deviation of a compound Poisson sum is sqrt(n x mean square of sizes)
    const wantedBytes = (0.6 * 64 * 100e9 * 2e-3) / 8;
    const squares = rows.reduce((sum, [, , , size]) => sum + size! ** 2, 0);
    const bytes = rows.reduce((sum, [, , , size]) => sum + size!, 0);
    expect(Math.abs(bytes - wantedBytes)).toBeLessThan(4 * Math.sqrt(squares));
  });

  it('says what it wrote, also as JSON, and leaves other files alone', async () => {
    const out = join(folder, 'a.csv');
    const words = [
      'trace',
      'generate',
      'one-to-one',
      '--src',
      '1',
      '--dst',
      '9',
      '--flows',
      '3',
      '--interval-ns',
      '1.5',
      '--size',
      '2KB',
    ];
    const { stdout } = await weft(...words, '--out', out, '--json');
    expect(JSON.parse(stdout)).toEqual({
      file: out,
      pattern: 'one-to-one',
      transfers: 3,
      sizeBytes: 6000,
      lastStartNs: 3,
      seed: 1,
    });
    expect(await readFile(out, 'utf8')).toBe('timestamp_ns,src,dst,size_bytes\n0,1,9,2000\n1.5,1,9,2000\n3,1,9,2000\n');
    const again = await weft(...words, '--out', out);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists')]);
    expect((await weft(...words, '--out', out, '--force')).code).toBe(0);
    expect(await readdir(folder)).toEqual(['a.csv']);
  });

  it.each([
    ['', /--arrival: error: which pattern\?/],
    ['pareto', /there is no such pattern[^]*found: {2}pareto[^]*server-pair/],
    ['poisson --arrival burst', /the pattern is named twice/],
    ['poisson --src 3', /--src: error: has no effect on the pattern poisson[^]*one-to-one/],
    ['server-pair --flows 3', /--flows: error: has no effect/],
    ['constant --rate 10 --interval 1us', /--rate: error: says the same as --interval/],
    ['constant --size 1KB --kv-mb 3', /--kv-mb: error: says the same as --size/],
    ['poisson --load 0.5', /--load: error: needs the other/],
    ['poisson --load 0.5 --bandwidth fast', /'--bandwidth <rate>' argument 'fast' is invalid[^]*a rate with its unit/],
    ['poisson --gpus 8', /all GPUs that send and receive are of one server/],
    ['poisson --gpus 12', /--gpus-per-server: error: servers would be of different sizes/],
    ['poisson --gpus many', /'--gpus <count>' argument 'many' is invalid[^]*a whole number from 2/],
    ['poisson --sources 0-200', /--sources: error: there is no rank 200/],
    ['server-pair --src-server 1 --dst-server 1', /would send to itself/],
    ['one-to-one --gpus 8', /--dst: error: a GPU would send to itself/],
    ['hotspot --hot-share 2', /'--hot-share <share>' argument '2' is invalid[^]*0 to 1/],
    ['constant --duration soon', /'--duration <time>' argument 'soon' is invalid[^]*a time with its unit/],
    ['constant --size 0B', /'--size <size>' argument '0B' is invalid[^]*a size such as/],
    ['constant --json', /--json needs --out/],
  ])('refuses %j', async (words, message) => {
    const { code, stdout, stderr } = await weft('trace', 'generate', ...words.split(' ').filter((word) => word !== ''));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it('has help that fits 80 columns and names files that are there', async () => {
    const { code, stdout } = await weft('trace', 'generate', '--help');
    expect([code, Math.max(...stdout.split('\n').map((line) => line.length)) <= 80]).toEqual([0, true]);
    const named = [...stdout.matchAll(/\b(?:examples|docs)\/[\w./-]*\w/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('refuses a file of sizes at the place of its mistake', async () => {
    const sizes = join(folder, 'sizes.txt');
    await writeFile(sizes, '0 0\n10 5O\n');
    const { code, stderr } = await weft('trace', 'generate', 'poisson', '--sizes', sizes);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${sizes}:2:4: error: no percentage`)]);
  });
});
