// Lines of entries of a table file, which a message names: beside those that a search of the text finds, for tables whose
// lines go by LID, and for such that are mixed, cut, written twice or full of remarks.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import type { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { identifiedTree } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

const linked = identifiedTree('fat-tree', { pods: 3, edgesPerPod: 3, hostsPerEdge: 6, aggregationPerPod: 3, cores: 9 });
// every switch has one port more than cables
const identity = { ...linked.identity, radix: linked.identity.radix.map((ports) => ports + 1) };
const { fabric } = linked;
const tree = { ...linked, identity };
const blocks = [...lftTexts(tree, [routeFtree(fabric, identity) as ForwardingTables])]
  .join('')
  .split(/(?=Unicast)/)
  .map((block) => block.split('\n'));

const guid = (node: number): string => identity.portGuid[node]!.toString(16).padStart(16, '0');

/** The line of the entry of a switch for a node, from 1, in its last table; 0: none. */
function lineIn(lines: readonly string[], node: number, destination: number): number {
  let head = -1;
  lines.forEach((line, i) => {
    if (line.startsWith('Unicast') && line.includes(`guid 0x${guid(node)}`)) head = i;
  });
  if (head === -1) return 0;
  for (let i = head + 1; i < lines.length && !lines[i]!.startsWith('Unicast'); i++)
    if (
      lines[i]!.startsWith('0x') &&
      !lines[i]!.startsWith('255', 7) &&
      lines[i]!.includes(`portguid 0x${guid(destination)}`)
    )
      return i + 1;
  return 0;
}

/** What happens to a table: nothing to most of them. */
const change = fc.constantFrom(
  'none',
  'none',
  'none',
  'swap',
  'remark',
  'drop',
  'no way',
  'twice',
  'renumber',
  'dead',
  'reverse',
);

function changed(block: readonly string[], what: string, at: number): string[] {
  const lines = [...block];
  const entry = 1 + (at % (lines.length - 4));
  if (what === 'swap') [lines[entry], lines[entry + 1]] = [lines[entry + 1]!, lines[entry]!];
  if (what === 'remark') lines.splice(entry, 0, '# a remark', '');
  if (what === 'drop') lines.splice(entry, 1);
  if (what === 'no way' && !lines[entry]!.startsWith('000', 7))
    lines[entry] = lines[entry]!.replace(/ \d{3} /, ' 255 ');
  // two LIDs each stand before the GUID of the other
  if (what === 'renumber')
    [lines[entry], lines[entry + 1]] = [
      lines[entry]!.slice(0, 6) + lines[entry + 1]!.slice(6),
      lines[entry + 1]!.slice(0, 6) + lines[entry]!.slice(6),
    ];
  // a port without a cable
  if (what === 'dead' && !lines[entry]!.startsWith('000', 7)) {
    const ports = Math.max(...lines.map((line) => (line.startsWith('0x') ? Number(line.slice(7, 10)) : 0)));
    lines[entry] = lines[entry]!.replace(/ \d{3} /, ` ${String(ports + 1).padStart(3, '0')} `);
  }
  if (what === 'reverse') {
    const entries = lines.filter((line) => line.startsWith('0x'));
    entries.forEach((line, i) => (lines[entries.length - i] = line));
  }
  return what === 'twice' ? [...lines.filter((line) => line !== ''), ...lines] : lines;
}

it(`finds every entry where it stands (WEFT_SEED=${seed})`, () => {
  let moved = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(change, fc.nat(200)), { minLength: blocks.length, maxLength: blocks.length }),
      fc.constantFrom(700, 5000, 1 << 20),
      (changes, pieceBytes) => {
        const lines = blocks.flatMap((block, i) => {
          const own = changed(block, ...changes[i]!);
          return i < blocks.length - 1 ? own.slice(0, -1) : own;
        });
        const bytes = Buffer.from(lines.join('\n'));
        const reader = new LftReader(tree, 'f.lfts', new Diagnostics());
        for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
        expect(reader.end()).not.toBeNull();
        for (const node of reader.tables.switches)
          for (let destination = 0; destination < fabric.nodeCount; destination++) {
            const line = reader.entryLines.line(0, reader.tables.rowOf[node]!, destination);
            expect(line).toBe(lineIn(lines, node, destination));
            if (line > 0) moved++;
          }
      },
    ),
    { seed, numRuns: 25 },
  );
  expect(moved).toBeGreaterThan(1000);
});
