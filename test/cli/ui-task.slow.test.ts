// What a process of `weft ui` carries out, in this one: it reads what was named, and nothing else; of folders and scenarios
// that are damaged it tells in a sentence. WEFT_DRAWS=2000 draws so many with bytes in them that nobody wrote.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOfBytes } from '../../src/app/view/run-bytes.js';
import { RandomStream } from '../../src/base/random.js';
import performUiTask, { type UiTask } from '../../src/cli/ui/ui-task.js';
import { uiRefusal } from '../../src/cli/ui/ui-work.js';
import { seed } from '../support/seed.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 40);
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const fabric = 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }';
const job = `seed: 3
${fabric}
workload: { layers: [{ name: l, weightGradient: { collective: allreduce, size: 1MiB, group: dp } }] }
`;
const traced = `${fabric}\ntraffic: { trace: flows.csv }\n`;
const random = new RandomStream(seed, 'damage');
let home = '';
let named = '';

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'weft-ui-task-'));
  named = join(home, 'named');
  for (const folder of ['named', 'secret']) mkdirSync(join(home, folder));
  writeFileSync(join(named, 'flows.csv'), 'timestamp_ns,src,dst,size_bytes\n0,0,4,1048576\n');
  writeFileSync(join(home, 'secret/flows.csv'), 'timestamp_ns,src,dst,size_bytes\nsecret words\n');
  symlinkSync(join(home, 'secret/flows.csv'), join(named, 'led.csv'));
  symlinkSync(join(home, 'secret'), join(named, 'led'));
  writeFileSync(join(named, 'job.yaml'), job);
  execFileSync(process.execPath, [program, 'run', 'job.yaml', '--out', 'run', '--quiet'], { cwd: named });
  // as of before there were digests: nothing behind them is spared
  cpSync(join(named, 'run'), join(named, 'old'), { recursive: true });
  for (const name of ['manifest.json', 'summary.json']) {
    const path = join(named, 'old', name);
    const { sha256: _, sha256OfRest: __, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(rest));
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What comes of a task: nothing where something is shown, else why nothing is. */
async function saidOf(task: UiTask): Promise<string> {
  const tools = { report: () => {}, stopRequested: () => false } as unknown as Parameters<typeof performUiTask>[2];
  try {
    const result = await performUiTask(null, task, tools);
    if ('bytes' in result) {
      const { view } = runOfBytes(result.bytes);
      expect(view.linkLoads).toHaveLength(view.links.length * view.bins);
    }
    return '';
  } catch (error) {
    const { diagnostics, text } = uiRefusal(error);
    return `${text}${diagnostics.map(({ message }) => message).join('; ')}`;
  }
}

function opened(folder: string): Promise<string> {
  return saidOf({ kind: 'open', folders: [named], path: join(named, folder) });
}

function looked(text: string, isOnDisk: boolean, files = {}): Promise<string> {
  const scenario = { text, file: isOnDisk ? join(named, 'own.yaml') : 'scenario.yaml', isOnDisk, files };
  return saidOf({ kind: 'forecast', folders: [named], scenario });
}

/** What is said is a sentence, without what only Weft's authors can read. */
function expectSentence(said: string, of: string): void {
  expect(said, of).toMatch(/\w+ \w+/);
  expect(said, of).not.toMatch(/node_modules|\n\s+at |dist\//);
}

describe('what is read', () => {
  it('is what was named', async () => {
    expect(await opened('run')).toBe('');
    expect(await looked(traced, true)).toBe('');
    expect(await looked(traced.replace('flows.csv', './led/../flows.csv'), true)).toBe('');
  });

  it.each([
    ['above the folder', '../secret/flows.csv'],
    ['by an absolute path', '/etc/passwd'],
    ['that is not there, outside', '/etc/no-such-file'],
    ['through a link', 'led.csv'],
    ['through a link to a folder', 'led/flows.csv'],
    ['beside a folder of which the name begins alike', '../named-too/flows.csv'],
  ])('is no file %s', async (_, file) => {
    const said = await looked(traced.replace('flows.csv', file), true);
    expect(said).toMatch(/lies outside of the folders that were named to weft ui/);
    expect(said).not.toMatch(/words|root:/);
  });

  it('is nothing of the disk for a text that is typed', async () => {
    expect(await looked(traced, false)).toMatch(/no such file/);
    expect(await looked(traced, false, { 'flows.csv': 'timestamp_ns,src,dst,size_bytes\n0,0,4,1\n' })).toBe('');
  });

  it.each(['flows.parquet', 'manifest.json', 'fabric.topo'])('is no %s that a link leads to', async (name) => {
    const folder = join(named, 'mixed');
    cpSync(join(named, 'run'), folder, { recursive: true });
    cpSync(join(folder, name), join(home, 'secret', name));
    rmSync(join(folder, name));
    symlinkSync(join(home, 'secret', name), join(folder, name));
    const said = await opened('mixed');
    rmSync(folder, { recursive: true });
    expect(said).toMatch(new RegExp(`mixed/${name}.*outside of the folders`));
  });
});

describe('a folder that is damaged', () => {
  const damage: Readonly<Record<string, (folder: string) => void>> = {
    'no manifest that can be read': (folder) => writeFileSync(join(folder, 'manifest.json'), '{"format":'),
    'a manifest of something else': (folder) => writeFileSync(join(folder, 'manifest.json'), '{}'),
    'no table': (folder) => rmSync(join(folder, 'flows.parquet')),
    'a table cut off': (folder) => {
      const bytes = readFileSync(join(folder, 'flows.parquet'));
      writeFileSync(join(folder, 'flows.parquet'), bytes.subarray(0, bytes.length >> 1));
    },
    'a table of zeros': (folder) => writeFileSync(join(folder, 'paths.csv'), Buffer.alloc(5000)),
    'no fabric': (folder) => rmSync(join(folder, 'fabric.topo')),
    'a summary that is a list': (folder) => writeFileSync(join(folder, 'summary.json'), '['),
    'a fabric that is a folder': (folder) => {
      rmSync(join(folder, 'fabric.topo'));
      mkdirSync(join(folder, 'fabric.topo'));
    },
  };

  it.each(Object.keys(damage).flatMap((kind) => ['run', 'old'].map((of) => [kind, of] as const)))(
    'is told of in a sentence: %s, in %s',
    async (kind, of) => {
      const folder = join(named, 'damaged');
      cpSync(join(named, of), folder, { recursive: true });
      damage[kind]!(folder);
      const said = await opened('damaged');
      rmSync(folder, { recursive: true });
      expectSentence(said, kind);
    },
  );

  it(`by chance is shown, or told of (WEFT_SEED=${seed})`, async () => {
    const names = readdirSync(join(named, 'old'));
    cpSync(join(named, 'old'), join(named, 'damaged'), { recursive: true });
    expect(await opened('damaged')).toBe('');
    let told = 0;
    for (let i = 0; i < draws; i++) {
      const name = names[random.nextBelow(names.length)]!;
      writeFileSync(join(named, 'damaged', name), damaged(readFileSync(join(named, 'old', name))));
      const said = await opened('damaged');
      cpSync(join(named, 'old', name), join(named, 'damaged', name));
      if (said === '') continue;
      told++;
      expectSentence(said, name);
    }
    // a part of the files alone is read for the page
    expect(told).toBeGreaterThanOrEqual(Math.floor(draws / 10));
  }, 600_000);
});

it(`a scenario that is damaged is looked at, or told of (WEFT_SEED=${seed})`, async () => {
  let told = 0;
  for (let i = 0; i < draws; i++) {
    const text = damaged(Buffer.from(job)).toString('latin1');
    const said = await looked(text, false);
    if (said === '') continue;
    told++;
    expectSentence(said, text);
  }
  expect(told).toBeGreaterThanOrEqual(Math.floor(draws / 4));
}, 600_000);

it('what Weft itself does wrong is told without its place', () => {
  const { text } = uiRefusal(new TypeError('/secret/place is undefined'));
  expect(text).toMatch(/^It cannot be shown: /);
  expect(text).not.toMatch(/secret|\n/);
});

/** Bytes with some changed, taken out, doubled or cut off. */
function damaged(bytes: Buffer): Buffer {
  const at = (): number => random.nextBelow(Math.max(1, bytes.length));
  const kind = random.nextBelow(5);
  const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number];
  if (kind === 0) return bytes.subarray(0, at());
  if (kind === 1) return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  const changed = Buffer.from(bytes);
  for (let i = 0; i < (kind === 3 ? 1 : 20); i++)
    changed[at()] = kind === 3 ? random.nextBelow(256) : 48 + random.nextBelow(10);
  return changed;
}
