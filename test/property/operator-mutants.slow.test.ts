// What operators hand in, changed line by line: captures, counters, tables, lanes, LIDs, on a tree of alike switches with
// hosts on a spine and a cable missing. Commands end with 0, 1 or 2 in bounded time, JSON holds numbers alone, and what
// is valid is so by a walk of its own that reads the changed tables itself. WEFT_DRAWS=3000 draws more.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import {
  changedLines,
  commands,
  fabric,
  good,
  identity,
  kinds,
  ports,
  warningsIn,
  writeOperatorFiles,
} from '../support/operator-files.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { seed } from '../support/seed.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 300);
/** what a command may take on so small a fabric, on a busy machine */
const mostMs = 5000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-mutants-'));
  await writeOperatorFiles(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One number of a line made another, in its own notation. */
function otherValue(line: string, random: RandomStream): string {
  const numbers = [...line.matchAll(/(?<![\w.])(?:0x[0-9a-f]+|\d+)(?![\w])/g)];
  const at = numbers[random.nextBelow(Math.max(1, numbers.length))];
  if (at === undefined) return line;
  const own = at[0];
  const hex = own.startsWith('0x');
  const next = BigInt(own) + BigInt(1 + random.nextBelow(3));
  const written = hex ? `0x${next.toString(16).padStart(own.length - 2, '0')}` : String(next).padStart(own.length, '0');
  return line.slice(0, at.index) + written + line.slice(at.index + own.length);
}

/** One change of lines. */
function mutant(text: string, random: RandomStream): string {
  const lines = text.split('\n');
  const at = random.nextBelow(lines.length);
  const other = random.nextBelow(lines.length);
  const more = 1 + random.nextBelow(6);
  switch (random.nextBelow(10)) {
    case 0:
      lines.splice(at, more);
      break;
    case 1:
      lines.splice(other, 0, ...lines.slice(at, at + more));
      break;
    case 2:
      [lines[at], lines[other]] = [lines[other]!, lines[at]!];
      break;
    case 3:
      lines.splice(at + 1, 0, otherValue(lines[at]!, random));
      break;
    case 4:
      lines.length = at;
      break;
    case 5:
      lines[at] = lines[at]!.slice(0, random.nextBelow(lines[at]!.length + 1));
      break;
    case 6: {
      const [a, b] = [lines[at]!.split(/(\s+)/), lines[other]!.split(/(\s+)/)];
      const field = random.nextBelow(Math.min(a.length, b.length));
      [a[field], b[field]] = [b[field]!, a[field]!];
      lines[at] = a.join('');
      if (other !== at) lines[other] = b.join('');
      break;
    }
    case 7:
      lines[at] = lines[at]!.replace(/\d+/g, () => String(random.nextUint32()));
      break;
    default:
      lines[at] = otherValue(lines[at]!, random);
  }
  return lines.join('\n');
}

/** Values of JSON that are no answer. */
function nonsense(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return value < 0 && !/[gG]ap|delta|change/.test(path) ? [`${path} ${value}`] : [];
  if (typeof value === 'string') return /\b(NaN|Infinity|undefined|\[object)\b/.test(value) ? [`${path} ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, own]) => nonsense(own, `${path}.${key}`));
}

const run = (words: readonly string[]): Promise<CommandResult> => runCommand(folder, [...words, '--json']);

const hex = (node: number): string => (identity.portGuid[node] ?? 0n).toString(16);

/** Whether every host reaches every other by tables as their text has them: switch, end port and number of each row. */
function reaches(text: string): boolean {
  const next = new Map<string, number>();
  let own = '';
  for (const line of text.split('\n')) {
    const header = /^Unicast lids .* guid 0x0*([0-9a-f]+) /.exec(line)?.[1];
    if (header !== undefined) own = header;
    // without a GUID the LID counts, as in OpenSM
    const row = /^0x0*([0-9a-f]+) +(\d+)(?:\s.*portguid 0x0*([0-9a-f]+)[:\s]|\s|$)/.exec(line);
    if (row !== null) next.set(`${own} ${row[3] ?? hex(identity.lid.indexOf(parseInt(row[1]!, 16)))}`, Number(row[2]));
  }
  const behind = new Map(
    ports.map((port) => [
      `${hex(fabric.portNode[port]!)} ${identity.portNumber[port]!}`,
      fabric.portNode[fabric.portPeer[port]!]!,
    ]),
  );
  return [...fabric.hosts].every((to) =>
    [...fabric.hosts].every((from) => {
      let node = fabric.portNeighbour[fabric.portOffset[from]!]!;
      for (let hops = 0; hops <= fabric.nodeCount && node !== to; hops++) {
        const port = next.get(`${hex(node)} ${hex(to)}`);
        const then = port === undefined ? undefined : behind.get(`${hex(node)} ${port}`);
        if (then === undefined) return false;
        node = then;
      }
      return node === to;
    }),
  );
}

it('the files as they are: taken by every command, and nothing is said', async () => {
  for (const words of kinds.flatMap((kind) => commands[kind])) {
    const { code, stdout, stderr } = await run(words);
    expect({ words, code: code <= 1, stderr }).toEqual({ words, code: true, stderr: '' });
    expect([words, ...nonsense(JSON.parse(stdout)), ...warningsIn(stdout)]).toEqual([words]);
  }
  expect(reaches(good['a.lfts'])).toBe(true);
});

describe(`mutants (WEFT_SEED=${seed})`, () => {
  it(`${draws} of them: every command ends in time with 0, 1 or 2, says why, and answers in numbers`, async () => {
    const random = new RandomStream(seed, 'mutants');
    const codes = [0, 0, 0];
    const faults: object[] = [];
    for (let draw = 0; draw < draws; draw++) {
      const kind = kinds[draw % kinds.length]!;
      let text: string = good[kind];
      for (let i = random.nextBelow(3); i >= 0; i--) text = mutant(text, random);
      await writeFile(join(folder, kind), text);
      for (const words of commands[kind]) {
        const before = (await readdir(folder)).length;
        const began = performance.now();
        const { code, stdout, stderr } = await run(words);
        const tookMs = performance.now() - began;
        const odd: string[] = [];
        if (![0, 1, 2].includes(code)) odd.push(`code ${code}: ${stderr.slice(0, 300)}`);
        if (tookMs > mostMs) odd.push(`${tookMs} ms`);
        if (code === 2 && (stdout !== '' || !stderr.includes('error: ')))
          odd.push(`2: ${stdout.slice(0, 99)} ${stderr}`);
        if (/\b(NaN|undefined|\[object)\b/.test(stderr) || stderr.length > 20_000) odd.push(stderr.slice(0, 300));
        if ((await readdir(folder)).length !== before) odd.push('files were left');
        if (code < 2) {
          const said = JSON.parse(stdout) as { validity?: { valid: boolean } | null };
          odd.push(...nonsense(said));
          if (kind.endsWith('.lfts') && words[1] === 'import' && said.validity?.valid === true && !reaches(text))
            odd.push('valid, but a walk does not arrive');
        }
        codes[code]!++;
        if (odd.length > 0)
          faults.push({ draw, kind, words: words.slice(0, 2).join(' '), odd, text: changedLines(good[kind], text) });
      }
      await writeFile(join(folder, kind), good[kind]);
    }
    expect(faults).toEqual([]);
    expect(Math.min(...codes)).toBeGreaterThan(0);
  });
});
