// What is odd about cables is what was made odd: one cable slowed, lost or crossed in trees of two and three levels; a
// torus, a dragonfly and whole trees have nothing odd.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFabric } from '../../src/app/check-fabric.js';
import type { FoundCable } from '../../src/report/fabric-check-text.js';
import { RandomStream } from '../../src/base/random.js';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { referencePath } from '../reference.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

const trees = {
  'two levels': { pods: 1, edgesPerPod: 5, hostsPerEdge: 3, aggregationPerPod: 4 },
  'three levels': { pods: 4, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 3, cores: 6 },
} as const;

/** The lines of a written fabric that are one cable between switches: index of both lines. */
function cables(
  lines: readonly string[],
): { readonly at: readonly [number, number]; readonly ends: readonly string[] }[] {
  const found: { at: readonly [number, number]; ends: readonly string[] }[] = [];
  const place = new Map<string, number>();
  let own = '';
  lines.forEach((line, i) => {
    own = /^(?:Switch|Ca)\t\d+ "([^"]+)"/.exec(line)?.[1] ?? own;
    const port = /^\[(\d+)\](?:\(\w+\))? \t"(S-[^"]+)"\[(\d+)\]/.exec(line);
    if (port === null || !own.startsWith('S-')) return;
    const [here, there] = [`${own}:${port[1]}`, `${port[2]}:${port[3]}`];
    place.set(here, i);
    const back = place.get(there);
    if (back !== undefined) found.push({ at: [back, i], ends: [here, there] });
  });
  return found;
}

const endKeys = ({ ends }: FoundCable): string[] => ends.map(({ guid, port }) => `S-${guid!.slice(2)}:${port}`).sort();

const switchKeys = ({ ends }: FoundCable): string => ends.map(({ guid }) => `S-${guid!.slice(2)}`).join();

async function check(text: string): ReturnType<typeof checkFabric> {
  return checkFabric({ fabric: { text } }, scriptedContext().host);
}

describe.each(Object.entries(trees))(`%s (WEFT_SEED=${seed})`, (name, parameters) => {
  const whole = writeIbnetdiscover(identifiedTree('fat-tree', parameters)).split('\n');
  const all = cables(whole);
  const random = new RandomStream(seed, `findings ${name}`);
  const draws = Array.from({ length: 20 }, () => all[random.nextBelow(all.length)]!);

  it('whole: nothing', async () => {
    const { findings, isOdd } = await check(whole.join('\n'));
    expect([all.length > 10, findings, isOdd]).toEqual([true, [], false]);
  });

  it('a host on any switch above the leaves: that one, and no other thing', async () => {
    // a leaf that has lost a host is a leaf
    const gone = whole.findIndex((line) => line.startsWith('Ca'));
    const adapter = /"H-\w+"/.exec(whole[gone]!)![0];
    const lacking = whole.filter((line, i) => i !== gone + 1 && !(line.startsWith('[') && line.includes(adapter)));
    expect([whole.length - lacking.length, (await check(lacking.join('\n'))).findings]).toEqual([2, []]);
    let upper = 0;
    for (const [at, line] of lacking.entries()) {
      const [, radix, guid] = /^Switch\t(\d+) "(S-\w+)"\s+# "(?:spine|core)/.exec(line) ?? [];
      if (radix === undefined) continue;
      upper++;
      const port = Number(radix) + 1;
      const lines = [...lacking];
      lines[at] =
        `${line.replace(radix, String(port))}\n[${port}] \t"H-00000000000000f0"[1](f1) \t\t# "extra HCA-1" lid 0 4xEDR`;
      const extra = `Ca\t1 "H-00000000000000f0"\t\t# "extra HCA-1"\n[1](f1) \t"${guid}"[${port}]\t\t# lid 0 lmc 0 "s" lid 0 4xEDR\n`;
      const { findings, isOdd } = await check(`${lines.join('\n')}\ncaguid=0xf0\n${extra}`);
      expect([findings.map(({ kind }) => kind), isOdd]).toEqual([['host-above-leaves'], false]);
      expect(findings[0]!.links.map(endKeys)).toEqual([[`S-00000000000000f0:1`, `${guid}:${port}`].sort()]);
    }
    expect(upper).toBe(name === 'two levels' ? 4 : 18);
  });

  it('a cable that fell back: that one, with both its ports', async () => {
    for (const { at, ends } of draws) {
      const lines = whole.map((line, i) => (at.includes(i) ? line.replace('4xEDR', '1xSDR') : line));
      const { findings } = await check(lines.join('\n'));
      const slow = findings.filter(({ kind }) => kind === 'slow-link');
      expect(slow.map(({ links, isFault }) => [links.map(endKeys), isFault])).toEqual([[[[...ends].sort()], true]]);
      expect(slow[0]!.links[0]).toMatchObject({ rateBps: 2e9, usualRateBps: 100e9 });
    }
  });

  it('a cable that is gone: between which switches, and on which ports', async () => {
    for (const { at, ends } of draws) {
      const { findings } = await check(whole.filter((_, i) => !at.includes(i)).join('\n'));
      const missing = findings.filter(({ kind }) => kind === 'missing-link');
      expect(missing.map(({ links }) => links.length)).toEqual([1]);
      const guids = missing[0]!.links[0]!.ends.map(({ guid }) => `S-${guid!.slice(2)}`).sort();
      expect(guids).toEqual(ends.map((end) => end.split(':')[0]!).sort());
      // a port is named or left open, but never a wrong one
      for (const { guid, port } of missing[0]!.links[0]!.ends)
        if (port !== null) expect(ends).toContain(`S-${guid!.slice(2)}:${port}`);
    }
  });
});

it('a spine without any cable upwards: each that it lacks, to the cores that have one less', async () => {
  const lines = writeIbnetdiscover(identifiedTree('fat-tree', trees['three levels'])).split('\n');
  const all = cables(lines);
  const gone = all.filter(
    ({ ends }) => ends.some((end) => end.startsWith(spine(1))) && /S-0002c9000003/.test(`${ends}`),
  );
  // 6 cores in 3 groups: one for each of the 3 spines of a pod
  expect(gone).toHaveLength(2);
  const { findings } = await check(lines.filter((_, i) => !gone.some(({ at }) => at.includes(i))).join('\n'));
  expect(findings.map(({ kind, isFault }) => [kind, isFault])).toEqual([
    ['missing-link', true],
    ['unbalanced-uplinks', false],
  ]);
  const wanted = gone.map(({ ends }) =>
    ends
      .map((end) => end.split(':')[0]!)
      .sort()
      .join(),
  );
  for (const { links } of findings) expect(links.map(switchKeys).sort()).toEqual(wanted.sort());
});

/** Index of a leaf, a spine or a core in its GUID: `leaf(3)`. */
const switchKey =
  (kind: number) =>
  (index: number): string =>
    `S-${(0x0002c90000000000n + BigInt(kind * 0x10000 + index * 16)).toString(16).padStart(16, '0')}`;
const [leaf, spine, core] = [1, 2, 3].map((kind) => switchKey(kind)) as [
  (index: number) => string,
  (index: number) => string,
  (index: number) => string,
];

const fourSpines = { pods: 4, edgesPerPod: 4, hostsPerEdge: 3, aggregationPerPod: 4, cores: 4 };
it.each([
  ['in two levels', trees['two levels'], [leaf(0), spine(0)], [leaf(1), spine(1)]],
  // each pod has two spines: half of what the two leaves lead to is then in the other pod
  ['between pods', { ...fourSpines, aggregationPerPod: 2 }, [leaf(0), spine(0)], [leaf(4), spine(2)]],
  ['between pods, second leaves', { ...fourSpines, aggregationPerPod: 2 }, [leaf(9), spine(5)], [leaf(13), spine(7)]],
  // two leaves of four that lead twice to one spine, and not to another
  ['in a pod', fourSpines, [leaf(0), spine(3)], [leaf(3), spine(2)]],
  // three spines per group, of which none leads to all its cores as most do
  [
    'to cores',
    { pods: 3, edgesPerPod: 3, hostsPerEdge: 3, aggregationPerPod: 2, cores: 8 },
    [spine(3), core(4)],
    [spine(5), core(7)],
  ],
] as const)('two cables crossed at their upper ends %s: both, by the ports that lead elsewhere', async (...words) => {
  const [, parameters, [low0, up0], [low1, up1]] = words;
  const lines = writeIbnetdiscover(identifiedTree('fat-tree', parameters)).split('\n');
  const all = cables(lines);
  const of = (low: string, up: string): (typeof all)[number] =>
    all.find(({ ends }) => ends.some((end) => end.startsWith(low)) && ends.some((end) => end.startsWith(up)))!;
  const [first, second] = [of(low0, up0), of(low1, up1)];
  const portOf = (cable: typeof first, node: string): string =>
    cable.ends.find((end) => end.startsWith(node))!.split(':')[1]!;
  const swapped = lines.slice();
  const point = (line: number, to: string, port: string): void => {
    swapped[line] = swapped[line]!.replace(/"S-\w+"\[\d+\]/, `"${to}"[${port}]`).replace(
      /# "[^"]*" lid \d+/,
      '# "" lid 0',
    );
  };
  const lineOf = (cable: typeof first, node: string): number => cable.at.find((i) => !lines[i]!.includes(`"${node}"`))!;
  point(lineOf(first, low0), up1, portOf(second, up1));
  point(lineOf(second, low1), up0, portOf(first, up0));
  point(lineOf(first, up0), low1, portOf(second, low1));
  point(lineOf(second, up1), low0, portOf(first, low0));
  const { findings } = await check(swapped.join('\n'));
  expect(findings.map(({ kind }) => kind)).toEqual(['crossed-link']);
  expect(findings[0]!.links.map((link) => endKeys(link).join(' ')).sort()).toEqual(
    [
      [`${low0}:${portOf(first, low0)}`, `${up1}:${portOf(second, up1)}`],
      [`${low1}:${portOf(second, low1)}`, `${up0}:${portOf(first, up0)}`],
    ]
      .map((ends) => ends.sort().join(' '))
      .sort(),
  );
});

it('an uplink that is plugged into another leaf: that cable', async () => {
  const lines = writeIbnetdiscover(identifiedTree('fat-tree', trees['two levels'])).split('\n');
  const cable = cables(lines).find(({ ends }) => [leaf(0), spine(0)].every((node) => `${ends}`.includes(node)))!;
  const [own, there] = [leaf(0), spine(0)].map((node) => cable.ends.find((end) => end.startsWith(node))!);
  const [ownPort] = own!.split(':').slice(1);
  // leaves have ports 1 to 7: the cable goes into port 9 of leaf 2
  const at = cable.at.find((i) => lines[i]!.includes(`"${spine(0)}"`))!;
  lines[at] = lines[at]!.replace(`"${spine(0)}"[${there!.split(':')[1]}]`, `"${leaf(2)}"[9]`);
  const head = lines.findIndex((line) => line.startsWith('Switch') && line.includes(`"${leaf(2)}"`));
  lines[head] = lines[head]!.replace(/^Switch\t\d+/, 'Switch\t9');
  const moved = `[9]\t"${leaf(0)}"[${ownPort}]\t\t# "leaf00" lid 0 4xEDR`;
  const other = cable.at.find((i) => i !== at)!;
  const text = lines.flatMap((line, i) => (i === other ? [] : i === head ? [line, moved] : [line])).join('\n');
  const { findings } = await check(text);
  expect(findings.map(({ kind }) => kind)).toEqual(['crossed-link', 'unbalanced-uplinks']);
  expect(findings[0]!.links.map((link) => endKeys(link))).toEqual([[own!, `${leaf(2)}:9`].sort()]);
});

it.each(['torus', 'dragonfly', 'dragonfly+', 'leaf-spine', 'quartz1', 'spectrum-x', 'alibaba-hpn'])(
  '%s: no fault',
  async (family) => {
    const { findings } = await checkFabric({ fabric: family }, scriptedContext().host);
    expect(findings.filter(({ isFault }) => isFault)).toEqual([]);
  },
);

const captures = referencePath('trials-2');
describe.skipIf(captures === null)('captures of trials', () => {
  it.each([
    ['edr-one-ddr.net.gz', '0x0000000000000011:35', '0x0000000000000021:11', 16e9],
    ['slow-before.net', '0x0000000000000100:8', '0x0000000000004000:1', 2e9],
  ])('%s: the one slow cable', async (file, a, b, rateBps) => {
    const bytes = readFileSync(join(captures!, file));
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    const { findings } = await check(text);
    const faults = findings.filter(({ isFault }) => isFault);
    expect(faults.map(({ kind, links }) => [kind, links.length, links[0]!.rateBps])).toEqual([
      ['slow-link', 1, rateBps],
    ]);
    expect(faults[0]!.links[0]!.ends.map(({ guid, port }) => `${guid}:${port}`).sort()).toEqual([a, b].sort());
  });
});

it('the command: exit codes and --against, and other files by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-check-'));
  try {
    const whole = writeIbnetdiscover(identifiedTree('fat-tree', trees['two levels']));
    const lines = whole.split('\n');
    const [gone] = cables(lines);
    const files = {
      'whole.net': whole,
      'less.net': lines.filter((_, i) => !gone!.at.includes(i)).join('\n'),
      'topology.conf': 'SwitchName=s0 Nodes=n[0-3]\n',
      'topo.xml': '<system version="1">\n</system>\n',
      'topo.txt': '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV18\t0-47\n',
      'fabric.yaml': 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\n',
      'k4.topo':
        'Nodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Up 2\nRadix_Down 2\nQueue_up 100\nQueue_Down 100\nSwitch_Latency_ns 0\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 100\nRadix_Up 2\nRadix_Down 2\nQueue_up 100\nQueue_Down 100\nSwitch_Latency_ns 0\nDownlink_Latency_ns 1000\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nQueue_Down 100\nSwitch_Latency_ns 0\nDownlink_Latency_ns 1000\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const run = async (...words: string[]): Promise<string> => {
      const world = scriptedContext();
      const code = await runProgram(
        ['topology', 'check', ...words.map((word) => (word.includes('.') ? join(folder, word) : word))],
        world,
      );
      return `${code} ${world.stdout.text}${world.stderr.text}`;
    };
    expect(await run('whole.net')).toMatch(/^0 [^]*no cable is at fault/);
    expect(await run('less.net')).toMatch(/^1 [^]*TO MEND: 1 cable missing/);
    expect(await run('whole.net', '--against', 'less.net')).toMatch(/^1 [^]*changed {5}1 cable added/);
    expect(await run('whole.net', '--against', 'whole.net')).toMatch(/^0 [^]*nothing since then/);
    expect(await run('fabric.yaml')).toMatch(/^0 [^]*hosts {7}4 /);
    expect(await run('k4.topo')).toMatch(/^0 [^]*hosts {7}16 /);
    expect(await run('topology.conf')).toMatch(/^2 [^]*Slurm's topology\.conf/);
    expect(await run('topo.xml')).toMatch(/^2 [^]*NCCL's topology/);
    expect(await run('topo.txt')).toMatch(/^2 [^]*nvidia-smi topo -m/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
