// Properties: a trace that is written is read back, wherever the file is cut; garbage gives diagnostics, never an
// exception.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxTransferBytes } from '../../src/flows/work-source.js';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { NodeKind, FabricBuilder } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { hostPairs } from '../../src/fabric/host-pairs.js';
import { formatTraceRow, traceHeader, TraceParser } from '../../src/formats/trace-csv.js';
import { loadTrace, scanTrace } from '../../src/formats/trace-source.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const fabric = generateFabric('dcn+', { gpus: 16, gpusPerServer: 8, nicsPerAsw: 8 });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

type Row = [startPs: number, source: number, destination: number, sizeBytes: number];

const row: fc.Arbitrary<Row> = fc
  .tuple(
    fc.oneof(fc.maxSafeNat(), fc.nat(5000)),
    fc.nat(15),
    fc.nat(14),
    fc.oneof(
      fc.maxSafeNat().map((n) => n % maxTransferBytes),
      fc.nat(5000),
    ),
  )
  .map(([startPs, source, step, size]) => [startPs, source, (source + 1 + step) % 16, Math.max(size, 1)]);

function read(pieces: readonly Uint8Array[]): { rows: Row[]; diagnostics: Diagnostics; lastLine: number } {
  const rows: Row[] = [];
  const diagnostics = new Diagnostics();
  const parser = new TraceParser('t', fabric, diagnostics, {
    row: (...[startPs, source, destination, size]) => void rows.push([startPs, source, destination, size]),
  });
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return { rows, diagnostics, lastLine: parser.lastLine };
}

/** Cuts bytes at some places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const inner = Int32Array.from(places, (place) => place % (bytes.length + 1));
  inner.sort();
  const at = [0, ...inner, bytes.length];
  return at.slice(1).map((until, i) => bytes.subarray(at[i]!, until));
}

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

it(`rows that are written are read back, wherever the file is cut (WEFT_SEED=${seed})`, () => {
  const noise = fc.constantFrom('', '\n', '# comment, 1, 2\n', '\r\n', '  \t\n');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(row, noise)),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.array(fc.nat()),
      (lines, end, withHeader, places) => {
        const text =
          (withHeader ? traceHeader + end : '') +
          lines.map(([fields, before]) => `${before}${formatTraceRow(...fields)}${end}`).join('');
        const { rows, diagnostics } = read(cut(bytesOf(text), places));
        expect(diagnostics.list).toEqual([]);
        expect(rows).toEqual(lines.map(([fields]) => fields));
      },
    ),
    { seed, numRuns: rounds(200) },
  );
});

it(`cutting a file changes nothing, be it as broken as it may (WEFT_SEED=${seed})`, () => {
  const words = fc.constantFrom(
    '0',
    '8',
    '16',
    '99',
    '-1',
    '1.5',
    'x',
    ',',
    ',',
    ',',
    '\n',
    '\n',
    '\r',
    ' ',
    '#',
    '.',
    '9007199254740993',
    '\uFEFF',
    '\0',
    'timestamp_ns',
    'src',
    '"',
  );
  const text = fc.oneof(
    fc.array(words, { maxLength: 60 }).map((list) => bytesOf(list.join(''))),
    fc.uint8Array({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (bytes) => {
      const whole = read([bytes]);
      const lines = bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 1);
      for (const { line, column } of whole.diagnostics.list) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(bytes.length + 1);
      }
      for (let place = 0; place <= bytes.length; place++) {
        const halves = read(cut(bytes, [place]));
        expect(halves.rows).toEqual(whole.rows);
        expect(halves.diagnostics.list).toEqual(whole.diagnostics.list);
      }
    }),
    { seed, numRuns: rounds(150) },
  );
});

it(`a loaded trace comes in order of time, ties in the order of the file (WEFT_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        row.map(([startPs, source, destination, size]): Row => [startPs % 7, source, destination, size]),
        { minLength: 1 },
      ),
      async (rows) => {
        const pieces = cut(bytesOf(rows.map((fields) => `${formatTraceRow(...fields)}\n`).join('')), [50]);
        const diagnostics = new Diagnostics();
        const scan = await scanTrace(stream(pieces), 't', fabric, diagnostics);
        expect(diagnostics.hasErrors).toBe(false);
        const list = await loadTrace(() => stream(pieces), 't', fabric, scan);
        const read: number[][] = [];
        list.expand(Infinity, {
          transfer: (id, source, destination, size, startPs) => read.push([id, startPs, source, destination, size]),
        });
        const expected = rows.map(([startPs, source, destination, size], id) => [
          id,
          startPs,
          source,
          destination,
          size,
        ]);
        expected.sort((a, b) => a[1]! - b[1]! || a[0]! - b[0]!);
        expect(read).toEqual(expected);
        expect([scan.rows, scan.sorted]).toEqual([rows.length, expected.every(([id], i) => id === i)]);
      },
    ),
    { seed, numRuns: rounds(60) },
  );
});

it(`hosts are connected exactly if a search that stops at hosts says so (WEFT_SEED=${seed})`, () => {
  const kinds = fc.array(fc.constantFrom<NodeKind>(NodeKind.host, NodeKind.host, NodeKind.switch, NodeKind.nvswitch), {
    minLength: 2,
    maxLength: 14,
  });
  fc.assert(
    fc.property(kinds, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }), (nodes, ends) => {
      const builder = new FabricBuilder();
      for (const kind of nodes) builder.addNode(kind);
      for (const [a, b] of ends)
        if (a % nodes.length !== b % nodes.length) builder.addLink(a % nodes.length, b % nodes.length, 1e9, 0);
      const built = builder.build();
      const connected = hostPairs(built);
      for (const source of built.hosts) {
        const reached = new Set([source]);
        for (const node of reached) {
          if (node !== source && built.nodeKind[node] === NodeKind.host) continue;
          for (let port = built.portOffset[node]!; port < built.portOffset[node + 1]!; port++)
            reached.add(built.portNode[built.portPeer[port]!]!);
        }
        for (const destination of built.hosts)
          if (destination !== source) expect(connected(source, destination)).toBe(reached.has(destination));
      }
    }),
    { seed, numRuns: rounds(200) },
  );
});
