// A worker of campaigns carries out runs of sweeps, reads what came with them, and nothing else, whatever is put into the
// queue. A real Redis, and the worker in this process with children of its own.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CampaignWorker } from '../../src/campaign/bullmq/bullmq-worker.js';
import { chunkResultText, readChunk, readChunkResult } from '../../src/campaign/bullmq/chunk.js';
import { portableText } from '../../src/campaign/portable-data.js';
import { travellingModule } from '../../src/cli/engines/task-kinds.js';
import { hasRedis, LiveRedis } from '../support/live-redis.js';

const version = '1.2.3';
const campaign = '0123456789abcdef0123456789abcdef';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const scenarioOf = (fabric: string): string =>
  `fabric: ${fabric}\ntraffic: { transfers: [{ source: 0, destination: 9, size: 1MiB }] }\n`;
const tree = '{ generate: fat-tree, k: 4, hostRate: 100Gbps, aggregationRate: 100Gbps, coreRate: 100Gbps }';
const run = { overrides: [], seed: 1 };

describe.skipIf(!hasRedis)('a worker', () => {
  let server: LiveRedis;
  let redis: Redis;
  let queue: Queue;
  let events: QueueEvents;
  let worker: CampaignWorker;
  let working: Promise<void>;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-hostile-'));
    await writeFile(join(folder, 'secret.yaml'), scenarioOf(tree));
    await mkdir(join(folder, 'shared'));
    await symlink(folder, join(folder, 'shared/link'));
    server = await LiveRedis.start();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    queue = new Queue(`runs-${version}`, { connection: redis, prefix: 'weft' });
    events = new QueueEvents(queue.name, { connection: redis, prefix: 'weft' });
    await events.waitUntilReady();
    worker = await CampaignWorker.begin({
      address: { url: server.url },
      version,
      jobs: 1,
      store: folder,
      roots: [join(folder, 'shared')],
      moduleOf: travellingModule,
      say: () => {},
    });
    working = worker.run();
  });
  afterAll(async () => {
    worker?.stop();
    await working;
    await worker?.close();
    expect((await readdir(folder)).sort()).toEqual(['secret.yaml', 'shared']);
    await events?.close();
    await queue?.close();
    redis?.disconnect();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  interface Put {
    readonly kind?: unknown;
    readonly version?: unknown;
    readonly files?: unknown;
    readonly contents?: readonly string[];
    readonly scenario?: string;
    readonly data?: unknown;
    readonly text?: string;
    readonly input?: unknown;
  }

  /** of which each put is one: a worker keeps what it knows of one */
  let campaigns = 0;

  /** What comes of a job: the outcome of its task, or why it failed. */
  async function comes(put: Put): Promise<string> {
    const { contents = [], scenario = 's.yaml', text } = put;
    const files = put.files ?? new Map(contents.map((content) => ['s.yaml', sha256(content)]));
    for (const content of contents) await redis.set(`weft:content:${sha256(content)}`, content);
    const record = { kind: 'sweep', version, shared: { scenario, files: new Map(), runsFolder: null }, files };
    const own = Object.fromEntries(Object.entries(put).filter(([key]) => key === 'kind' || key === 'version'));
    const id = sha256(`${campaigns++}`).slice(0, 32);
    await redis.set(`weft:campaign:${id}`, text ?? portableText({ ...record, ...own }));
    const job = await queue.add('tasks', put.data ?? { campaign: id, tasks: [[7, portableText(put.input ?? run)]] });
    try {
      const [end] = readChunkResult(await job.waitUntilFinished(events))!.ends;
      const [place, outcome] = end!;
      expect(place).toBe(7);
      return 'error' in outcome ? (outcome.error as Error).message : JSON.stringify(outcome);
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('carries out a task that is one', async () => {
    expect(await comes({ contents: [scenarioOf(tree)] })).toMatch(/"outcome":"finished".*"verdict":"passed"/);
  });

  it.each<[string, Put, RegExp]>([
    ['that it has no module for', { kind: '/tmp/evil.js' }, /\/tmp\/evil\.js is no kind of task/],
    ['by a name that all objects have', { kind: 'constructor' }, /is no kind of task/],
    ['of a kind that does not travel', { kind: 'collective' }, /collective is no kind of task that may come/],
    ['of another version', { version: '9.9.9' }, /it is of weft 9\.9\.9/],
    ['of a campaign that is no JSON', { text: '{' }, /its campaign is no JSON/],
    ['of a campaign that is too large', { text: `"${'x'.repeat(65e6)}"` }, /more than 64000000/],
    ['whose files are none', { files: { path: 1 } }, /no list of files/],
    ['whose digest is a path', { files: new Map([['s.yaml', '../../etc/passwd']]) }, /no path or SHA-256/],
    ['that names no campaign', { data: { campaign: '../x', tasks: [[0, '{}']] } }, /names no campaign/],
    ['that is no object', { data: 5 }, /it is no object/],
    [
      'of very many tasks',
      { data: { campaign, tasks: Array.from({ length: 65 }, () => [1, '{}']) } },
      /no list of 1 to 64 tasks/,
    ],
    ['that is too large', { data: { campaign, tasks: [[1, 'x'.repeat(1e6 + 1)]] } }, /more than 1000000 characters/],
  ])('refuses a task %s, and goes on', async (_what, put, why) => {
    expect(await comes(put)).toMatch(why);
  });

  it.each(['/dev/zero', '/etc/passwd', '../../etc/passwd', 'secret.yaml'])(
    'reads no scenario %s that did not come with it',
    async (path) => {
      for (const scenario of [path, join(folder, path)])
        expect(await comes({ scenario })).toMatch(/none of the files that came with the task/);
    },
  );

  it.each(['/dev/zero', '../secret.yaml', '/proc/self/environ'])(
    'reads no file %s that a scenario names',
    async (path) => {
      const text = await comes({ contents: [scenarioOf(`{ file: ${path} }`)] });
      expect(text).toMatch(/none of the files that came with the task/);
    },
  );

  it('writes a run below the folder that was named to it', async () => {
    const contents = [scenarioOf(tree)];
    const target = join(folder, 'shared/runs/3');
    const input = { scenario: 's.yaml', overrides: [], folders: { shown: 'runs/3', target, partial: '/etc/evil' } };
    expect(await comes({ kind: 'plan', contents, input })).toMatch(/"outcome":"finished"/);
    expect(await readdir(join(folder, 'shared/runs'))).toEqual(['3']);
    expect(await readdir(target)).toContain('manifest.json');
  });

  it.each(['', 'link/evil', '../shared-too/evil'])('writes no run into %j beside it', async (path) => {
    const target = resolve(folder, 'shared', path);
    const contents = [scenarioOf(tree)];
    const input = { scenario: 's.yaml', overrides: [], folders: { shown: path, target, partial: target } };
    expect(await comes({ kind: 'plan', contents, input })).toMatch(/may not write results into this folder/);
    expect(existsSync(join(target, 'manifest.json'))).toBe(false);
  });

  it('takes no content that is not what its digest says', async () => {
    const files = new Map([['s.yaml', sha256('other')]]);
    await redis.set(`weft:content:${sha256('other')}`, scenarioOf(tree));
    expect(await comes({ files })).toMatch(/the content of a file is not/);
  });

  it('reads no other file of its store', async () => {
    const content = scenarioOf(tree);
    const name = sha256(sha256(content));
    expect(await comes({ contents: [content], scenario: name })).toMatch(/none of the files that came/);
  });
});

describe('what goes through the queue', () => {
  it('is refused if it is none of ours', () => {
    for (const data of [null, 'text', [], { campaign }, { campaign, tasks: [] }, { campaign, tasks: [[-1, '']] }])
      expect(() => readChunk(data)).toThrow(/^the task is refused: /);
    for (const text of [null, 5, '', '{}', '{"wallMs":1,"ends":[[0]]}', '{"wallMs":1,"ends":[[0,{}]]}'])
      expect(readChunkResult(text)).toBeNull();
  });

  it('comes back as it went', () => {
    const result = { wallMs: 5, ends: [[3, { result: new Map([['a', 1]]) }] as const] };
    expect(readChunkResult(chunkResultText(result))).toEqual(result);
  });
});
