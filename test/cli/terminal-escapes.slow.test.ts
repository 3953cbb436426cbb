// What steers a terminal (titles, cursor, colours, direction of writing) never leaves the program as it came in: hostile
// names in every kind of file, in keys, paths and arguments, on a terminal and off it, as text and as JSON.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { formatDiagnostic } from '../../src/base/diagnostics.js';
import { printable, printableLines } from '../../src/base/printable.js';
import { runProgram } from '../../src/cli/program.js';
import { safeMessages, safeOutput } from '../../src/cli/safe-stream.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { escaped } from '../../src/report/svg-text.js';
import { coloured } from '../../src/report/text-style.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { KeptStream, scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

/** All that printable text may not hold, written apart from the program's own list. */
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/;
const hostile = '\u001b]0;owned\u0007\u001b[2J\rX\u009b31m\u202e\u2028Y';
/** as YAML and JSON write it */
const quoted = JSON.stringify(hostile).replace(
  /[\u007f-\uffff]/g,
  (own) => `\\u${own.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

const fabric = 'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 2, spines: 1 }\n';
const transfers = 'traffic: { transfers: [{ source: 0, destination: 2, size: 1KiB }] }\n';
const layer = (name: string, more = ''): string =>
  `workload:\n  layers:\n    - name: ${name}\n      times: 2\n      forward: { compute: 1us, collective: allreduce, size: 1MiB${more} }\n`;

let folder = '';
const files: Record<string, string> = {
  'name.yaml': `name: ${quoted}\n${fabric}${transfers}`,
  'key.yaml': `${quoted}: 1\n${fabric}${transfers}`,
  'value.yaml': `backend: ${quoted}\n${fabric}${transfers}`,
  'inner.yaml': `packet: { ${quoted}: 1 }\n${fabric}${transfers}`,
  'trace.yaml': `${fabric}traffic: { trace: ${quoted} }\n`,
  'raw.yaml': `name: ${hostile}\n${fabric}${transfers}`,
  'layer.yaml': `${fabric}${layer(quoted)}`,
  'layer-key.yaml': `${fabric}${layer('a', `, ${quoted}: 1`)}`,
  'job.yaml': `${fabric}jobs:\n  - name: ${quoted}\n    ranks: 0-3\n    layers:\n      - { name: a, forward: { compute: 1us } }\n`,
  'bad.topo': `4 1 0 ${hostile} 2 A100\n2 3\n`,
  'bad.conf': `${hostile} 1\n`,
  'bad.csv': `source,destination,bytes,phase\n0,1,5,${hostile.replace(/[\r\u2028]/g, '')}\n1,0,7,${'p'.repeat(150)}\n`,
  'unknown.csv': `source,destination,bytes\n${hostile.replace('\r', '')},1,5\n`,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-escapes-'));
  const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
  const net = writeIbnetdiscover(tree);
  const lfts = [...lftTexts(tree, [routeDmodK(recogniseFatTree(tree.fabric).tree!)])].join('');
  const name = hostile.replace(/[\r\u2028]/g, '');
  Object.assign(files, {
    'f.net': net,
    'odd.net': net.replaceAll('core00', name),
    'named.net': net.replaceAll('leaf00', name).replaceAll('node003', `${name}3`),
    'cut.net': net.replaceAll('leaf00', name).slice(0, 700),
    'a.lfts': lfts,
    'cut.lfts': lfts.replaceAll('leaf00', name).replace(/\n0x0001 \d+/, `\n0x0001 ${name}`),
  });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Command lines; `@file` is a file of the folder and HOSTILE the name. */
const commandLines = [
  ...['name', 'key', 'value', 'inner', 'trace', 'raw', 'layer', 'layer-key', 'job'].map((own) => `run @${own}.yaml`),
  'run @name.yaml --backend analytical,fluid',
  'run HOSTILE',
  'run @name.yaml --set HOSTILE=1',
  'run @name.yaml --set name=HOSTILE',
  'run @name.yaml --HOSTILE',
  'HOSTILE',
  'compare-fabrics @layer.yaml --gpus 16 --backend analytical --fabrics HOSTILE',
  'compare-fabrics @layer.yaml --gpus 16 --backend analytical --fabrics spectrum-x',
  'collective HOSTILE --fabric dcn+',
  'collective allreduce --fabric HOSTILE',
  'topology check @bad.topo',
  'topology check @named.net',
  'topology check @odd.net',
  'topology check @cut.net',
  'topology generate HOSTILE',
  'run -c @bad.conf -n @bad.topo --trace @bad.csv',
  'route evaluate --fabric @named.net --tables @a.lfts',
  'route evaluate --fabric @f.net --tables @cut.lfts',
  'route evaluate --fabric @f.net --tables @a.lfts --traffic @bad.csv',
  'route compute --fabric @named.net --algorithm dmodk --traffic @bad.csv',
  'route compare --fabric @named.net --algorithms dmodk --traffic @bad.csv',
  'traffic stats --fabric @f.net --traffic @bad.csv',
  'traffic stats --fabric @named.net --traffic @unknown.csv',
  'traffic stats --fabric @f.net --traffic HOSTILE',
];

describe('nothing that steers a terminal is printed', () => {
  it.each(commandLines)('%s', async (line) => {
    const words = line.split(' ').map((word) => word.replace('@', `${folder}/`).replace('HOSTILE', hostile));
    for (const isTTY of [false, true])
      for (const json of [[], ['--json']]) {
        const context = {
          ...scriptedContext({ makePlan, simulate }),
          stdout: new KeptStream(isTTY),
          stderr: new KeptStream(),
        };
        const code = await runProgram([...words, ...json], context);
        expect(code).not.toBe(70);
        const stdout = context.stdout.text.replace(/\u001b\[(?:\d|3\d)m/g, '');
        expect(steering.exec(stdout)).toBeNull();
        expect(steering.exec(context.stderr.text)).toBeNull();
        if (json.length > 0 && stdout !== '') expect(() => JSON.parse(stdout) as unknown).not.toThrow();
      }
  });

  it('a name in a report is shown with what it holds, and in JSON it is what it was', async () => {
    const context = scriptedContext({ makePlan, simulate });
    await runProgram(['run', join(folder, 'name.yaml'), '--json'], context);
    expect((JSON.parse(context.stdout.text) as { name: string }).name).toBe(hostile);
    const people = scriptedContext({ makePlan, simulate });
    await runProgram(['run', join(folder, 'name.yaml')], people);
    expect(people.stdout.text).toContain('\\x1b]0;owned\\x07\\x1b[2J\\x0dX\\u009b31m\\u202e\\u2028Y');
  });
});

describe('what is too long is cut, and its length said', () => {
  it.each([
    ['a key', (long: string) => `${long}: 1\n${fabric}${transfers}`],
    ['an inner key', (long: string) => `packet: { ${long}: 1 }\n${fabric}${transfers}`],
    ['a value', (long: string) => `backend: ${long}\n${fabric}${transfers}`],
    ['a path', (long: string) => `${fabric}traffic: { trace: ${long} }\n`],
  ])('%s', async (_, text) => {
    const file = join(folder, 'long.yaml');
    await writeFile(file, text('k'.repeat(70_000)));
    const context = scriptedContext({ makePlan, simulate });
    expect(await runProgram(['run', file], context)).toBe(2);
    expect(context.stderr.text).toMatch(/k{20}\.\.\. \(70\d\d\d characters\)/);
    expect(context.stderr.text.length).toBeLessThan(6000);
  });
});

describe('printable', () => {
  it(`leaves what is printable, and no control character (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = printable(text);
        expect(steering.test(shown) || /[\n\t]/.test(shown)).toBe(false);
        expect(printable(shown)).toBe(shown);
        const lines = printableLines(text);
        expect(steering.test(lines)).toBe(false);
        expect(lines.split('\n').length).toBe(text.split('\n').length);
        // JSON stays the same value
        expect(JSON.parse(printableLines(JSON.stringify(text)))).toBe(text);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('says how long a text is that it cuts', () => {
    expect(printable('abc\u001b', 4)).toBe('abc\\x1b');
    expect(printable('abcd\u001b', 4)).toBe('abcd... (5 characters)');
  });

  it('texts in pictures are, since XML has no control characters', () => {
    expect(steering.exec(escaped(hostile))).toBeNull();
    expect(escaped('a<b>\u0000')).toBe('a&lt;b&gt;\\x00');
  });

  it('every part of a diagnostic is printable', () => {
    const part = { file: hostile, message: hostile, got: hostile, wanted: hostile, hint: hostile };
    const text = formatDiagnostic({ severity: 'error', code: 'x', line: 1, column: 1, ...part });
    expect(steering.exec(text)).toBeNull();
    expect(text.split('\n')).toHaveLength(4);
  });
});

describe('streams', () => {
  it('let colours through on a terminal, and nothing else', () => {
    const text = (['red', 'green', 'yellow', 'bold', 'dim'] as const)
      .map((colour) => coloured({ colour: true, unicode: true }, colour, 'x'))
      .join('');
    const [terminal, file] = [new KeptStream(true), new KeptStream(false)];
    safeOutput(terminal).write(`${text}\u001b[5m`);
    expect(terminal.text).toBe(`${text}\\x1b[5m`);
    safeOutput(file).write(text);
    expect(file.text).not.toContain('\u001b');
    const messages = new KeptStream(true);
    safeMessages(messages).write(`${text}\n${'m'.repeat(9000)}\n`);
    expect(steering.exec(messages.text)).toBeNull();
    expect(messages.text).toMatch(/\nm{4000}\.\.\. \(9000 characters\)\n$/);
  });
});
