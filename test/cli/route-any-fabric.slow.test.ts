// weft route on fabrics that are no fat trees: a 3x3 torus with a host on every switch, whose answers are known by hand.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { checkDeadlock } from '../../src/routing/channel-dependencies.js';
import { layeredLanes } from '../../src/routing/lane-layers.js';
import { ShortestHops } from '../../src/routing/port-hops.js';
import { routeSssp } from '../../src/routing/sssp.js';
import { RandomStream } from '../../src/base/random.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import { type CommandResult, runCommand, runCommandForJson } from '../support/run-command.js';
import { randomSwitches } from '../support/random-routes.js';
import { seed } from '../support/seed.js';
import { identifiedSwitches, torusLinks } from '../support/switch-fabrics.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-torus-'));
  const torus = identifiedSwitches(Array<number>(9).fill(1), torusLinks([3, 3]), 1);
  await writeFile(join(folder, 'torus.net'), writeIbnetdiscover(torus));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

const json = (...words: string[]): Promise<Record<string, unknown>> => runCommandForJson(folder, words);

it('dfsssp, judged: every pair arrives over 1 or 2 links, on lanes without a circle', async () => {
  const fabric = ['--fabric', '@torus.net', '--traffic', 'all-to-all'];
  const made = await json('route', 'compute', ...fabric, '--algorithm', 'dfsssp', '--out', '@a.lfts');
  // 9 hosts send to 4 neighbours and 4 others two links away: 9 x 12 over 36 directed links; 8 pairs end at each host
  expect(made).toMatchObject({
    fabric: { isTree: false, hosts: 9, switches: 9 },
    deadlockFree: true,
    omittedEntries: 0,
    validity: { valid: true },
    phases: [{ links: 36, lostFlows: 0, netAdaptiveBound: 3 }],
  });
  expect(made['maxLoad']).toBe(8);
  const judged = await json('route', 'evaluate', ...fabric, '--tables', '@a.lfts');
  expect(judged).toMatchObject({ maxLoad: 8, lanes: 1, deadlockFree: made['lanes'] === 1, validity: { valid: true } });
  expect(await json('traffic', 'stats', ...fabric)).toMatchObject({ fabric: { isTree: false } });
  expect(await json('route', 'import', '--fabric', '@torus.net', '--tables', '@a.lfts')).toMatchObject({
    deadlockFree: made['lanes'] === 1,
  });
});

it('weft on a torus: never worse than dfsssp, on lanes without a circle, with a bound over all ways', async () => {
  const fabric = ['--fabric', '@torus.net', '--traffic', 'random-permutation', '--seed', '3', '--algorithm'];
  const given = await json('route', 'compute', ...fabric, 'dfsssp');
  const made = await json('route', 'compute', ...fabric, 'weft', '--out', '@w.lfts', '--lanes-out', '@w.lanes');
  expect(made).toMatchObject({ deadlockFree: true, omittedEntries: 0, validity: { valid: true } });
  expect((made['verdicts'] as { ok: boolean }[]).every(({ ok }) => ok)).toBe(true);
  expect(made['maxLoad']).toBeLessThanOrEqual(given['maxLoad'] as number);
  expect(made['lowerBound']).toBeLessThanOrEqual(made['maxLoad'] as number);
  const { lanes, maxLoad } = made;
  const judged = ['route', 'evaluate', ...fabric.slice(0, -1), '--tables', '@w.lfts', '--lanes', '@w.lanes'];
  expect(await json(...judged)).toMatchObject({ maxLoad, lanes, deadlockFree: true });
  const solved = await json(...judged, '--adaptive-bound', 'lp');
  expect(solved).toMatchObject({ maxLoad, adaptiveBoundExact: true });
  expect(solved['adaptiveBound']).toBeLessThanOrEqual(maxLoad as number);
  // tables in use are a start as well: nothing found is worse, and a limit on changes holds
  const current = ['--current', '@w.lfts'];
  const again = await json('route', 'compute', ...fabric, 'weft', ...current);
  expect(again['maxLoad']).toBeLessThanOrEqual(maxLoad as number);
  await weft('route', 'compute', '--fabric', '@torus.net', '--algorithm', 'dfsssp', '--out', '@d.lfts');
  for (const most of [0, 3]) {
    const limited = ['--current', '@d.lfts', '--most-changes', String(most)];
    const near = await json('route', 'compute', ...fabric, 'weft', ...limited);
    expect(near['changedEntries']).toBeLessThanOrEqual(most);
    expect(near['maxLoad']).toBeLessThanOrEqual(given['maxLoad'] as number);
  }
});

it('weft on a torus leads around what other traffic fills', async () => {
  // two ways of two hops from switch 0 to switch 4; other traffic fills the first link of the way in use
  const words = ['route', 'compute', '--fabric', '@torus.net', '--traffic', '@one.csv', '--algorithm', 'weft'];
  await writeFile(join(folder, 'one.csv'), 'source,destination,bytes\n0,4,1000\n');
  const alone = await json(...words, '--out', '@alone.lfts');
  const { guid, port } = (alone['phases'] as { netMaxPort: { guid: string; port: number } }[])[0]!.netMaxPort;
  await writeFile(join(folder, 'busy'), `   GUID ${guid} port ${port}: [PortXmitData == 250000]\n`);
  const around = await json(...words, '--background', '@busy');
  expect(around['background']).toMatchObject({ maxLoad: 1e6, backgroundMaxLoad: 1e6 });
  expect((around['phases'] as { netMaxPort: object }[])[0]!.netMaxPort).not.toMatchObject({ guid, port });
});

it('up*/down* from a root is free of deadlock on one lane; what needs a tree says why there is none', async () => {
  const root = identifiedSwitches(Array<number>(9).fill(1), torusLinks([3, 3]), 1).identity.nodeGuid[9]!;
  await writeFile(join(folder, 'roots'), `0x${root.toString(16)}\n`);
  const words = ['route', 'compute', '--fabric', '@torus.net', '--algorithm'];
  expect(await json(...words, 'updn', '--roots', '@roots')).toMatchObject({ lanes: 1, deadlockFree: true });
  expect(await weft(...words, 'updn')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--roots FILE/) as string,
  });
  expect(await weft(...words, 'random')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no fat tree: two switches of level 1/) as string,
  });
});

it('a transition: safe to the same tables; from up*/down* to others in steps that are told, and back', async () => {
  const words = ['route', 'compute', '--fabric', '@torus.net', '--algorithm'];
  const root = identifiedSwitches(Array<number>(9).fill(1), torusLinks([3, 3]), 1).identity.nodeGuid;
  for (const [i, at] of [9, 13].entries()) {
    await writeFile(join(folder, 'roots'), `0x${root[at]!.toString(16)}\n`);
    await json(...words, 'updn', '--roots', '@roots', '--out', `@${i}.lfts`);
  }
  const between = ['--fabric', '@torus.net'];
  expect(await json('route', 'transition', '@0.lfts', '@0.lfts', ...between)).toMatchObject({
    safe: true,
    changedEntries: 0,
    steps: [],
    violations: [],
  });
  for (const [from, to] of ['01', '10']) {
    const told = (await json('route', 'transition', `@${from}.lfts`, `@${to}.lfts`, ...between)) as {
      safe: boolean;
      steps: unknown[];
      violations: unknown[];
    };
    expect(told.safe).toBe(told.violations.length === 0);
    expect(told.steps.length).toBeGreaterThan(0);
  }
  const { stdout } = await weft('route', 'transition', '@0.lfts', '@1.lfts', ...between);
  expect(stdout).toMatch(/any order +(safe|NOT SAFE)[^]*step 1/);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it(`sssp takes shortest ways, and its lanes have no circle, on 40 random fabrics (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'layers');
  let most = 1;
  for (let round = 0; round < 40; round++) {
    const fabric = randomSwitches(random, 12, 16);
    const identity = generatedIdentity(
      fabric,
      Array.from(fabric.nodeKind, (kind) => kind - 1),
    )!;
    const tables = routeSssp(fabric, identity);
    const hops = new ShortestHops(fabric);
    for (const host of fabric.hosts) {
      const target = fabric.portNode[fabric.portPeer[fabric.portOffset[host]!]!]!;
      hops.towards(target);
      for (const from of tables.switches) {
        let steps = 0;
        for (let node = from; node !== target; steps++)
          node = fabric.portNode[fabric.portPeer[tables.port(node, host)]!]!;
        expect(steps).toBe(hops.least[from]);
      }
    }
    const lanes = layeredLanes([tables], 8)!;
    expect(checkDeadlock([tables], lanes)).toEqual({ lanes: lanes.count, cycle: null });
    if (lanes.count > 1) expect(checkDeadlock([tables]).cycle).not.toBeNull();
    most = Math.max(most, lanes.count);
  }
  expect(most).toBeGreaterThanOrEqual(1);
});
