// Ctrl-C while weft route compute searches: the best tables so far are written and reported, and the process ends with
// 130. And what the line of progress says.

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { runProgram } from '../../src/cli/program.js';
import { searchText, SearchSession } from '../../src/cli/route/search-session.js';
import { StageProgress } from '../../src/cli/stage-progress.js';
import { trafficFrom } from '../../src/cli/route/search-thread.js';
import { SparseTraffic, UniformTraffic } from '../../src/flows/traffic/matrix.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { KeptStream, scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-route-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Traffic on which the search does not come to an end soon: pairs with sizes of all kinds. */
function hardTraffic(hosts: number): string {
  const random = new RandomStream(1, 'hard traffic');
  const lines = ['source,destination,bytes'];
  for (let from = 0; from < hosts; from++)
    for (let to = 0; to < hosts; to++)
      if (from !== to && random.nextFraction() < 0.2)
        lines.push(`${from},${to},${1 + Math.floor(1000 * random.nextFraction() * random.nextFraction())}`);
  return `${lines.join('\n')}\n`;
}

async function interrupted(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let ended = 0;
  const world = scriptedContext({
    endWith: (code) => {
      ended = code;
    },
  });
  const listeners = process.listenerCount('SIGINT');
  const running = runProgram(
    words.map((word) => word.replace(/^@/, `${folder}/`)),
    world,
  );
  while (process.listenerCount('SIGINT') === listeners)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  process.emit('SIGINT', 'SIGINT');
  const code = await running;
  expect(process.listenerCount('SIGINT')).toBe(listeners);
  return { code: code || ended, stdout: world.stdout.text, stderr: world.stderr.text };
}

describe('Ctrl-C', () => {
  it.each([[[]], [['--workers', '2']]])('keeps the best tables so far %j', async (more) => {
    await writeFile(join(folder, 'f.net'), writeIbnetdiscover(identifiedTree('fat-tree', { k: 8 })));
    await writeFile(join(folder, 'm.csv'), hardTraffic(128));
    const fabric = ['--fabric', '@f.net', '--traffic', '@m.csv', '--json'];
    const { code, stdout, stderr } = await interrupted(
      'route',
      'compute',
      ...fabric,
      '--algorithm',
      'weft',
      '--time',
      '60s',
      '--out',
      '@new.lfts',
      ...more,
    );
    expect([code, stderr]).toEqual([130, 'stopping cleanly; press Ctrl-C again to end at once\n']);
    const report = JSON.parse(stdout) as { maxLoad: number; notes: string[] };
    expect(report).toMatchObject({ interrupted: true, provenOptimal: false, validity: { valid: true } });
    expect(report.notes[0]).toContain('it was stopped');
    expect((await stat(join(folder, 'new.lfts'))).size).toBeGreaterThan(0);
    const world = scriptedContext();
    expect(
      await runProgram(
        ['route', 'evaluate', '--tables', '@new.lfts', ...fabric].map((word) => word.replace(/^@/, `${folder}/`)),
        world,
      ),
    ).toBe(0);
    expect((JSON.parse(world.stdout.text) as { maxLoad: number }).maxLoad).toBe(report.maxLoad);
  });

  it('is heard once by a session, and by nobody after it', async () => {
    const stderr = new KeptStream(true);
    let nowMs = 0;
    const session = new SearchSession('weft', stderr, new StageProgress(stderr, () => nowMs), () => nowMs);
    nowMs = 3000;
    session.report({ stage: 'greedy', incumbent: 6, bound: 5 });
    expect(stderr.text).toContain('weft: 3 s, greedy, load 6, bound 5, gap 20.00 %');
    expect(session.exitCode).toBe(null);
    process.emit('SIGTERM', 'SIGTERM');
    await session.whenStopped;
    expect([session.stopRequested(), session.exitCode]).toEqual([true, 143]);
    const said = stderr.text;
    nowMs = 10_000;
    session.report({ stage: 'conflicts', incumbent: 5, bound: 5 });
    expect(stderr.text).toBe(said);
    session.close();
  });
});

describe('the line of progress', () => {
  it.each([
    [null, 'weft: 0 s'],
    [{ stage: 'start', incumbent: Infinity, bound: 4 }, 'weft: 0 s, start, bound 4'],
    [{ stage: '256 moves', incumbent: 8, bound: null }, 'weft: 0 s, 256 moves, load 8'],
    [{ stage: 'cores', incumbent: 0, bound: 0 }, 'weft: 0 s, cores, load 0, bound 0'],
    [{ stage: '', incumbent: 9, bound: 8 }, 'weft: 0 s, load 9, bound 8, gap 12.50 %'],
  ] as const)('%j', (state, line) => {
    expect(searchText('weft', 0.4, state)).toBe(line);
  });

  it('says how long the search may take, if that is limited', () => {
    expect(searchText('weft', 62, null, 90)).toBe('weft: 1 min 02 s of 1 min 30 s');
  });
});

describe('what a thread is sent', () => {
  it('is traffic again on the other side', () => {
    const sparse = new SparseTraffic(3, 'bytes', Int32Array.of(0, 1, 1, 2), Int32Array.of(1, 0), Float64Array.of(5, 7));
    const traffic = {
      name: 'a',
      hostCount: 3,
      unit: 'bytes',
      note: '',
      phases: [
        { name: 'p', matrix: sparse },
        { name: 'q', matrix: new UniformTraffic(3, 'bytes', 2) },
      ],
    } as const;
    expect(trafficFrom(structuredClone(traffic))).toEqual(traffic);
  });
});
