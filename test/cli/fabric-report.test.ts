// weft report --fabric: the health of a fabric as a page. The faults are put in by hand, so what the first sentence
// names is known; judgements are those of the commands that make them alone.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

// three leaves with two hosts each, under three spines; LIDs as written
const tree = identifiedTree('leaf-spine', { leaves: 3, spines: 3, hostsPerLeaf: 2 });
const guids = new Map(tree.identity.nodeName.map((name, node) => [name, tree.identity.nodeGuid[node]!] as const));
const net = writeIbnetdiscover(tree);
const hex = (name: string): string => `0x${guids.get(name)!.toString(16)}`;

let folder = '';
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-health-'));
  await writeFile(at('f.net'), net);
  await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'minhop', '--out', '@a.lfts');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a command; `@` in front of a word stands for the folder. */
async function weft(...words: string[]): Promise<{ text: string; code: number | undefined }> {
  const world = scriptedContext();
  const code = await runProgram(
    words.map((word) => (word.startsWith('@') ? at(word.slice(1)) : word)),
    world,
  );
  return { text: world.stdout.text + world.stderr.text, code };
}

/** The page about a fabric, what was printed, its lines unfolded, and the exit code. */
async function report(...words: string[]): Promise<{ page: string; text: string; code: number | undefined }> {
  const { text, code } = await weft('report', '--fabric', ...words, '--out', '@p.html', '--force');
  const unfolded = words.includes('--json') ? text : text.replaceAll('\n', ' ');
  return { page: await readFile(at('p.html'), 'utf8').catch(() => ''), text: unfolded, code };
}

/** The capture with one cable at another rate, from both its ends. */
function slowed(leaf: string, port: number, spine: string): string {
  const peer = `"S-${guids.get(spine)!.toString(16).padStart(16, '0')}"`;
  const own = `"S-${guids.get(leaf)!.toString(16).padStart(16, '0')}"`;
  return net
    .replace(new RegExp(`(Switch\\s+\\d+ ${own}[^]*?\\n\\[${port}\\]\\s+${peer}.*?)4xEDR`), '$14xDDR')
    .replace(new RegExp(`(Switch\\s+\\d+ ${peer}[^]*?\\]\\s+${own}.*?)4xEDR`), '$14xDDR');
}

it('a whole fabric with valid tables is healthy, and what was not looked at is said', async () => {
  const { page, text, code } = await report('@f.net', '--tables', '@a.lfts', '--against', '@f.net');
  expect(code).toBe(0);
  expect(text).toMatch(/^Healthy: no cable[^]*the tables lead everywhere and cannot deadlock[^]*nothing changed/);
  expect(page).toContain('Not given, so not looked at: errors and load of links (--counters).');
  // nothing runs in it, nothing is fetched
  expect(page).not.toMatch(/<script|(?:src|href)="(?!#|data:)/);
  expect(page).toContain("default-src 'none'");
});

it('a slow cable: both its ends with GUID and port, as topology check has them, and exit code 1', async () => {
  await writeFile(at('slow.net'), slowed('leaf00', 3, 'spine00'));
  const { page, text, code } = await report('@slow.net');
  expect(code).toBe(1);
  expect(text).toMatch(/^Not healthy: 1 slow cable\. First: [^]*leaf00\[3\] - spine00\[1\] \(16Gbps, others 100Gbps\)/);
  for (const [name, port] of [
    ['leaf00', 3],
    ['spine00', 1],
  ] as const)
    expect(page).toContain(
      `${name} <strong>port ${port}</strong><div class="hash">0x${guids.get(name)!.toString(16).padStart(16, '0')}`,
    );
  // the drawing has the cable, once in each direction, in the colour of slow ones
  expect(page.match(/stroke="#641605"/g)).toHaveLength(2);
  const alone = JSON.parse((await weft('topology', 'check', '@slow.net', '--json')).text) as { findings: unknown };
  const { text: json } = await report('@slow.net', '--json');
  const object = JSON.parse(json) as { isHealthy: boolean; sentences: string[]; check: { findings: unknown } };
  expect(object.isHealthy).toBe(false);
  expect(object.check.findings).toEqual(alone.findings);
  const { text: changed } = await report('@slow.net', '--against', '@f.net');
  expect(changed).toContain('1 cable at another rate');
});

it('errors: those that a cable makes are a fault, congestion is none; the worst port is first', async () => {
  await writeFile(at('harmless'), `   GUID ${hex('leaf01')} port 1: [PortXmitDiscards == 900]\n`);
  const harmless = await report('@f.net', '--counters', '@harmless');
  expect(harmless.code).toBe(0);
  expect(harmless.text).toContain('no port counts errors that a');
  expect(harmless.page).toContain('PortXmitDiscards 900');
  await writeFile(
    at('bad'),
    `   GUID ${hex('leaf01')} port 1: [PortXmitDiscards == 900] [SymbolErrorCounter == 2]\n` +
      `   GUID ${hex('leaf02')} port 4: [SymbolErrorCounter == 30] [PortXmitWait == 7]\n`,
  );
  const bad = await report('@f.net', '--counters', '@bad');
  expect(bad.code).toBe(1);
  expect(bad.text).toMatch(
    /^Not healthy: 2 ports with errors[^]*First: look at the cable at leaf02\[4\], to spine01\[3\]/,
  );
  expect(bad.page).toMatch(/Ports with errors[^]*leaf02 <strong>port 4[^]*leaf01 <strong>port 1/);
  expect(bad.page).toMatch(/Longest waits[^]*leaf02 <strong>port 4[^]*<td>7<\/td>/);
});

it('tables that leave a host out come before anything else, by pairs; tables in a circle are no mistake of the caller', async () => {
  await writeFile(at('slow.net'), slowed('leaf00', 3, 'spine00'));
  const tables = await readFile(at('a.lfts'), 'utf8');
  const lid = tree.identity.lid[tree.identity.nodeName.findIndex((name) => /^(?:node|host)0* /.test(name))]!;
  const entry = `0x${lid.toString(16).padStart(4, '0')} `;
  // no switch leads to the first host: three leaves have no way to it
  await writeFile(at('less.lfts'), tables.replaceAll(new RegExp(`^${entry}.*\n`, 'gm'), ''));
  const { text, code } = await report('@slow.net', '--tables', '@less.lfts');
  expect(code).toBe(1);
  expect(text).toMatch(/^Not healthy: 3 pairs \(leaf, host\) without a way; 1 slow cable\. First: mend the tables/);
  // leaf01 and spine00 send it to each other
  const block = (name: string, port: string, from: string): string =>
    from.replace(
      new RegExp(`(guid ${hex(name).replace('0x', '0x0*')} [^]*?\n${entry})\\d{3}`),
      (_, head: string) => head + port,
    );
  await writeFile(at('loop.lfts'), block('spine00', '002', block('leaf01', '003', tables)));
  const loop = await report('@f.net', '--tables', '@loop.lfts');
  expect(loop.code).toBe(1);
  expect(loop.text).toMatch(/^Not healthy: packets go round in circles/);
  expect(loop.page).toMatch(/go round in circles: [^<]*leaf01 -&gt; spine00 -&gt; leaf01/);
});

it('the load of links stands there where traffic is given, as route evaluate has it', async () => {
  const { text } = await report('@f.net', '--tables', '@a.lfts', '--traffic', 'all-to-all', '--json');
  const evaluated = JSON.parse(
    (await weft('route', 'evaluate', '--fabric', '@f.net', '--tables', '@a.lfts', '--traffic', 'all-to-all', '--json'))
      .text,
  ) as Record<string, unknown>;
  const { tables } = JSON.parse(text) as { tables: Record<string, unknown> };
  for (const key of ['maxLoad', 'adaptiveBound', 'phases', 'validity', 'deadlockFree'])
    expect(tables[key], key).toEqual(evaluated[key]);
  expect(tables['maxLoad']).toBeGreaterThan(0);
});

it('names of nodes become no markup, long lists are cut with their count', async () => {
  const bad = 'leaf00 <img src=x onerror=alert(1)>';
  await writeFile(at('bad.net'), slowed('leaf00', 3, 'spine00').replaceAll('"leaf00"', `"${bad}"`));
  const { page } = await report('@bad.net');
  expect(page).toContain('&lt;img src=x');
  expect(page).not.toContain('<img');
  const ports = [1, 2, 3, 4, 5].flatMap((port) => ['leaf00', 'leaf01', 'leaf02'].map((name) => [name, port] as const));
  const more = [1, 2, 3].flatMap((port) => ['spine00', 'spine01', 'spine02'].map((name) => [name, port] as const));
  await writeFile(
    at('many'),
    [...ports, ...more]
      .map(([name, port]) => `   GUID ${hex(name)} port ${port}: [SymbolErrorCounter == 3]\n`)
      .join(''),
  );
  // 15 ports of leaves and 9 of spines
  expect((await report('@f.net', '--counters', '@many')).page).toContain('and 4 more: ');
});

it('a fabric in parts is not healthy, in topology check as well; what is no fat tree is not drawn, which is said', async () => {
  // two hosts on each of two switches, and nothing between these
  await writeFile(
    at('parts.topo'),
    '6 1 0 2 4 NONE\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n',
  );
  const { text, code } = await report('@parts.topo');
  expect(text).toMatch(
    /^Not healthy: the fabric falls into parts. First: [^]* from host\[0\] to host\[2\]: no path does/,
  );
  const checked = await weft('topology', 'check', '@parts.topo');
  expect([code, checked.code]).toEqual([1, 1]);
  expect(checked.text).toContain('health      TO MEND: the fabric falls into parts');
  expect((await report('dragonfly')).page).toContain(
    'Fat trees alone are drawn, and this is none: two switches of level 1',
  );
});

it('LIDs are summed up: range, holes, end ports without one', async () => {
  const lines = net.match(/lid \d+ lmc/g)!.length;
  expect(lines).toBeGreaterThan(0);
  const { text } = await report('@f.net', '--json');
  const lids = Array.from(tree.identity.lid).filter((lid) => lid > 0);
  const [lowest, highest] = [Math.min(...lids), Math.max(...lids)];
  expect((JSON.parse(text) as { lids: unknown }).lids).toEqual({
    endPorts: 12,
    lowest,
    highest,
    without: 0,
    free: highest - lowest + 1 - 12,
    perHost: 1,
  });
});

it.each([
  [['report'], /missing-runs|what is the report to be about/],
  [['report', '--counters', '@bad'], /told of a fabric[^]*add --fabric FILE/],
  [['report', '@run', '--fabric', '@f.net'], /belongs to a report of runs/],
  [['report', '--fabric', '@f.net', '--png', '@x'], /--png: error: this belongs to a report of runs/],
  [['report', '--fabric', '@f.net', '--traffic', 'all-to-all'], /traffic and lanes say nothing without tables/],
  [['report', '--fabric', '@f.net', '--out', '@f.net', '--force'], /f\.net/],
])('%j is refused', async (words, expected) => {
  const { text, code } = await weft(...words);
  expect(code).toBe(2);
  expect(text).toMatch(expected);
});
