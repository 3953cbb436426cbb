// Files of routes given in each other's place, mistyped names, readings in the wrong order: one message that says what
// it is and where it belongs.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const leaf = tree.identity.nodeGuid[tree.identity.nodeName.indexOf('leaf00')]!.toString(16);

/** A reading of two ports of a leaf. */
function reading(words: number): string {
  return `Data Counters for 0x${leaf} "leaf00"\n   GUID 0x${leaf} port 1: [PortXmitData == ${words}]\n   GUID 0x${leaf} port 2: [PortXmitData == ${words}]\n`;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-mixed-up-'));
  const { portGuid } = tree.identity;
  const files = {
    fabric: `#\n# Topology file: generated on Sat Nov 21 13:41:57 2026\n#\n\n${writeIbnetdiscover(tree)}`,
    guid2lid: Array.from(
      portGuid,
      (guid, node) =>
        `0x${guid.toString(16).padStart(16, '0')} 0x${(node + 1).toString(16).padStart(4, '0')} 0x${(node + 1).toString(16).padStart(4, '0')}\n\n`,
    ).join(''),
    traffic: 'source,destination,bytes\n0,5,100\n',
    counters: reading(100),
    later: reading(200),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  expect((await weft('route', 'compute', '--fabric', '@fabric', '--algorithm', 'ftree', '--out', '@tables')).code).toBe(
    0,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function weft(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const world = scriptedContext();
  const code = await runProgram(
    words.map((word) => word.replace(/^@/, `${folder}/`)),
    world,
  );
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

describe("files in each other's place", () => {
  const belongs: Record<string, [string, string]> = {
    fabric: ['a fabric', '--fabric'],
    tables: ['forwarding tables', '--tables'],
    guid2lid: ['LIDs', '--guid2lid'],
    traffic: ['a traffic matrix', '--traffic'],
    counters: ['counters of ports', '--counters'],
  };
  const all = { fabric: '@fabric', guid2lid: '@guid2lid', tables: '@tables', counters: '@counters' };
  /** Every option with the file of another kind. */
  const pairs = ['fabric', 'guid2lid', 'tables', 'counters', 'traffic'].flatMap((option) =>
    Object.keys(belongs)
      .filter((file) => file !== option)
      .map((file) => [option, file] as const),
  );

  it.each(pairs)('--%s with %s', async (option, file) => {
    const words =
      option === 'traffic'
        ? ['evaluate', '--fabric', '@fabric', '--tables', '@tables', '--traffic', `@${file}`]
        : [
            'import',
            ...Object.entries({ ...all, [option]: `@${file}` }).flatMap(([name, path]) => [`--${name}`, path]),
          ];
    const { code, stdout, stderr } = await weft('route', ...words);
    expect([code, stdout]).toEqual([2, '']);
    const [kind, place] = belongs[file]!;
    expect(stderr).toContain(`error: the file holds ${kind}`);
    expect(stderr).toContain(`belongs to ${place}`);
    expect(stderr.match(/error:/g)).toHaveLength(1);
  });

  it('are taken in their own', async () => {
    expect(
      (await weft('route', 'import', ...Object.entries(all).flatMap(([name, path]) => [`--${name}`, path]))).code,
    ).toBe(0);
    expect(
      (await weft('route', 'evaluate', '--fabric', '@fabric', '--tables', '@tables', '--traffic', '@traffic')).code,
    ).toBe(0);
  });
});

describe('other mistakes', () => {
  it.each([
    [['route', 'compute', '--fabric', 'quartz', '--algorithm', 'ftree'], 'did you mean quartz1?'],
    [
      ['route', 'compute', '--fabric', '@fabric', '--algorithm', 'weft', '--traffic', 'lulsh-star'],
      'did you mean lulesh?',
    ],
    [
      ['route', 'compute', '--fabric', 'quartz1', '--guid2lid', '@guid2lid', '--algorithm', 'ftree'],
      'this fabric has no GUIDs',
    ],
  ])('%j', async (words, hint) => {
    const { code, stderr } = await weft(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it.each([
    ['warnings first', '#warn: counter SymbolErrors = 65535 \t(threshold 10) lid 1 port 5\n', 1],
    ['a verdict first', '# Checked Switch: nodeguid 0x1 with failure\nError check on lid 1 (a) port 5:  FAILED \n', 2],
  ])('counters of ibcheckerrors: %s', async (_, text, line) => {
    await writeFile(join(folder, 'checked'), text);
    const { code, stdout, stderr } = await weft('route', 'import', '--fabric', '@fabric', '--counters', '@checked');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`checked:${line}:1: error: the file is what ibcheckerrors prints`);
    expect(stderr).toContain('ibqueryerrors --data --counters');
    expect(stderr.match(/error:/g)).toHaveLength(1);
  });

  it.each<[string, string, boolean]>([
    ['counters', '65535', true],
    ['extended counters', '65535', false],
    ['extended counters', '18446744073709551615', true],
  ])('errors that stand where they stop are marked in JSON: %s at %s', async (table, count, isFull) => {
    const lid = tree.identity.lid[tree.identity.nodeName.indexOf('leaf00')]!;
    await writeFile(
      join(folder, 'full'),
      `# Port ${table}: Lid ${lid} port 1 (CapMask: 0x5200)\nSymbolErrorCounter:......${count}\n`,
    );
    const { stdout } = await weft('route', 'import', '--fabric', '@fabric', '--counters', '@full', '--json');
    const { counters } = JSON.parse(stdout) as { counters: { links: { errorCounts: { isFull: boolean }[] }[] } };
    expect(counters.links.flatMap(({ errorCounts }) => errorCounts.map((each) => each.isFull))).toEqual([isFull]);
  });

  it('readings in the wrong order are said', async () => {
    const words = ['route', 'import', '--fabric', '@fabric', '--tables', '@tables', '--interval', '1s'];
    expect((await weft(...words, '--before', '@later', '--counters', '@counters')).stdout).toContain(
      "in each other's place?",
    );
    expect((await weft(...words, '--before', '@counters', '--counters', '@later')).stdout).not.toContain(
      "in each other's place?",
    );
  });

  it('a unit behind an amount', async () => {
    await writeFile(join(folder, 'units.csv'), 'source,destination,bytes\n0,5,10GB\n');
    const { code, stderr } = await weft(
      'route',
      'evaluate',
      '--fabric',
      '@fabric',
      '--tables',
      '@tables',
      '--traffic',
      '@units.csv',
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/units\.csv:2:5: error[^]*the unit of all amounts stands in the header/);
  });
});
