// fct.txt: the text is SimAI's, to the character, and mistakes in it are found where they are.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { PathsCsvFormatter, pathsCsvHeader } from '../../src/formats/paths-csv.js';
import { fctLine, fctText, readFct } from '../../src/formats/simai-fct.js';
import { flowTable, hopTable } from '../../src/records/flow-records.js';
import type { Batch, RecordSink } from '../../src/records/schema.js';
import { burstFlow, writeFacts } from '../support/hand-made-run.js';

/** The batches of the facts' tables. */
async function batchesOf(flowCount: number): Promise<Batch[]> {
  const batches: Batch[] = [];
  const sink: RecordSink = { full: false, put: (batch) => batches.push(batch), drain: () => Promise.resolve() };
  const facts = Array.from({ length: flowCount }, (_, i) => burstFlow(i, 20 + (i % 8), 10_000, 849_712_499 + 1000 * i));
  await writeFacts(sink, facts);
  return batches;
}

describe('fct.txt', () => {
  it('writes the lines of SimAI, rounding picoseconds to whole nanoseconds', async () => {
    const batches = await batchesOf(2);
    const flows = batches.find((batch) => batch.schema === flowTable)!;
    expect(fctText(flows)).toBe(
      '0b000001 0b000801 10000 100 10485760 0 849712 850591\n0b000101 0b000901 10000 100 10485760 0 849713 850591\n',
    );
  });

  it('reads them back', () => {
    const diagnostics = new Diagnostics();
    const [row] = readFct('fct.txt', '\n0b000001  0b000801 10000 100 10485760 0 849712 850591\r\n', diagnostics);
    expect(diagnostics.list).toEqual([]);
    expect(row).toEqual({
      sourceAddress: 0x0b000001,
      destinationAddress: 0x0b000801,
      sourcePort: 10_000,
      destinationPort: 100,
      sizeBytes: 10_485_760,
      startNs: 0,
      completionNs: 849_712,
      standaloneNs: 850_591,
    });
    expect(fctLine(row!)).toBe('0b000001 0b000801 10000 100 10485760 0 849712 850591\n');
  });

  const good = '0b000001 0b000801 10000 100 10485760 0 849712 850591';
  it.each([
    ['too few fields', `${good}\n0b000001 0b000801 10000`, 'fct-fields', 2, 24],
    ['too many fields', `${good} 12`, 'fct-fields', 1, good.length + 2],
    ['an address in dots', good.replace('0b000801', '11.0.8.1'), 'fct-value', 1, 10],
    ['a port that is too large', good.replace('10000', '70000'), 'fct-value', 1, 19],
    ['a negative size', good.replace('10485760', '-1'), 'fct-value', 1, 29],
    ['a fraction', good.replace('849712', '849712.5'), 'fct-value', 1, 40],
    ['a binary file', '\u007fELF\0\0', 'not-text', 0, 0],
  ])('finds %s where it is', (_name, text, code, line, column) => {
    const diagnostics = new Diagnostics();
    readFct('f', text, diagnostics);
    expect(diagnostics.list[0]).toMatchObject({ severity: 'error', code, file: 'f', line, column });
  });

  it('stops after many mistakes and skips the lines that have them', () => {
    const diagnostics = new Diagnostics();
    expect(readFct('f', `${good}\n${'x\n'.repeat(1000)}`, diagnostics)).toHaveLength(1);
    expect(diagnostics.list).toHaveLength(20);
  });
});

describe('paths.csv', () => {
  it('has one line per flow, also where a flow straddles two batches', async () => {
    const formatter = new PathsCsvFormatter();
    const batches = (await batchesOf(3000)).filter((batch) => batch.schema === hopTable);
    expect(batches.length).toBeGreaterThan(2);
    const lines = `${pathsCsvHeader}${batches.map((batch) => formatter.push(batch)).join('')}${formatter.end()}`.split(
      '\n',
    );
    expect(lines).toHaveLength(3000 + 2);
    expect(lines.slice(0, 3)).toEqual([
      'flow_id,sip,dip,sport,dport,n_hops,hops',
      '0,0b000001,0b000801,10000,100,3,18:9|20:2|19:1',
      '1,0b000101,0b000901,10000,100,3,18:10|21:2|19:2',
    ]);
    expect(lines.slice(1, -1).every((line) => line.split(',')[5] === '3')).toBe(true);
    expect(formatter.end()).toBe('');
  });
});
