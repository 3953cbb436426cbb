// Lines of paths.csv straight from their bytes: what is taken is what the reader of texts takes, whatever stands there.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { asciiOf } from '../../src/formats/byte-lines.js';
import { PathRows } from '../../src/formats/path-rows.js';
import { PathsCsvFormatter, pathsCsvHeader } from '../../src/formats/paths-csv.js';
import { PathColumns, readPathLine } from '../../src/formats/paths-csv-reader.js';
import { hopTable } from '../../src/records/flow-records.js';
import { seed } from '../support/seed.js';

const own = PathColumns.ofFirstLine('paths.csv', 1, pathsCsvHeader.trim(), new Diagnostics())!;
const port = fc.nat(65_535);

/** A line as Weft writes it, of a path that took one port or several at each hop. */
const line = fc
  .record({
    ends: fc.tuple(fc.nat(), fc.nat(70_000), fc.nat(70_000), port, port),
    hops: fc.array(
      fc.record({
        node: fc.nat(100_000),
        ports: fc.uniqueArray(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ ends, hops }) => {
    const rows = hops.flatMap(({ node, ports }, hop) => ports.map((number) => [...ends, hop, node, number]));
    const formatter = new PathsCsvFormatter();
    const columns = hopTable.columns.map((_, i) => Float64Array.from(rows, (row) => row[i]!));
    return formatter.push({ schema: hopTable, rows: rows.length, columns }) + formatter.end();
  });

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function taken(rows: PathRows): number[] {
  const { flowId, source, destination, sourcePort, destinationPort, count, hop, node } = rows;
  const lists = [hop, node, rows.interface].flatMap(({ values }) => Array.from(values.subarray(0, count)));
  return [flowId, source, destination, sourcePort, destinationPort, ...lists];
}

/** The rows that the reader of texts finds. */
function byText(text: string): number[] {
  const rows = new PathRows();
  rows.take(readPathLine('paths.csv', 2, text, own, new Diagnostics())!);
  return taken(rows);
}

describe(`rows of paths.csv, seed ${seed}`, () => {
  it('takes every line that Weft writes', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const bytes = bytesOf(lines.join('').trimEnd());
        const rows = new PathRows();
        let at = 0;
        for (const text of lines) {
          const next = rows.scan(bytes, at, bytes.length);
          expect(next).toBe(Math.min(at + text.length, bytes.length));
          expect(taken(rows)).toEqual(byText(text.trim()));
          at = next;
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  it('leaves a damaged line, or reads it as the reader of texts does', () => {
    const odd = fc.constantFrom(...'0123456789abfF:|+,- ;\r\n\u00ff');
    const changes = fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 2 });
    let left = 0;
    fc.assert(
      fc.property(line, changes, fc.nat(200), (text, changed, cut) => {
        const bytes = bytesOf(text).subarray(0, Math.max(1, text.length - Math.max(0, cut - 150)));
        for (const [place, character] of changed) bytes[place % bytes.length] = character.charCodeAt(0);
        const newline = bytes.indexOf(10);
        const rows = new PathRows();
        const next = rows.scan(bytes, 0, bytes.length);
        if (next < 0) {
          left++;
          return;
        }
        expect(next).toBe(newline < 0 ? bytes.length : newline + 1);
        expect(taken(rows)).toEqual(byText(asciiOf(bytes, 0, newline < 0 ? bytes.length : newline)));
      }),
      { seed, numRuns: 1000 },
    );
    expect(left).toBeGreaterThan(100);
  });
});
