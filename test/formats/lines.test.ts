// The reader of lines that formats share: numbers, ends, a byte order mark, comments, columns, and when it stops.

import { describe, expect, it } from 'vitest';
import { Diagnostics, FileProblems, wholeFile } from '../../src/base/diagnostics.js';
import { readLaneTables } from '../../src/formats/opensm-sl2vl.js';
import { columnOf, eachLine, fieldsOf, linesOf, contentLines } from '../../src/formats/lines.js';
import { readBusbwFile } from '../../src/formats/simai-busbw.js';
import { readFct } from '../../src/formats/simai-fct.js';
import { FabricBuilder } from '../../src/fabric/fabric.js';

const problems = (): FileProblems => new FileProblems('file', new Diagnostics());

describe('lines of a text', () => {
  it('are numbered from 1, without a byte order mark; a newline at the end begins none', () => {
    expect([...linesOf('\ufeffa\r\n\nb')]).toEqual([
      { line: 1, text: 'a\r', isEnded: true },
      { line: 2, text: '', isEnded: true },
      { line: 3, text: 'b', isEnded: false },
    ]);
    expect([...linesOf('a\n')].map(({ text }) => text)).toEqual(['a']);
    expect([...linesOf('\ufeff')]).toEqual([]);
  });

  it('end once a file has too many errors', () => {
    const own = problems();
    let read = 0;
    for (const { line } of linesOf('x\n'.repeat(100), own)) {
      read = line;
      own.error('bad', wholeFile, 'bad');
    }
    expect(read).toBe(20);
  });

  it('are rows up to a comment, if anything stands there', () => {
    expect([...contentLines('# a\n\n  b c # d\n\t\n', problems())].map(({ line, text }) => [line, text])).toEqual([
      [3, '  b c '],
    ]);
  });

  it('have words and contents with their columns', () => {
    const seen: unknown[] = [];
    eachLine('\ufeff\n  a b \n', problems(), (content, at) => seen.push(content, at));
    expect(seen).toEqual(['a b', { line: 2, column: 3 }]);
    expect(fieldsOf(' a  bc#d')).toEqual([
      { text: 'a', column: 2 },
      { text: 'bc', column: 5 },
    ]);
    expect([columnOf('  a'), columnOf('  ')]).toEqual([3, 0]);
  });
});

describe('a byte order mark', () => {
  it('is left out by readers that had none of their own', () => {
    const diagnostics = new Diagnostics();
    expect(readFct('fct.txt', '\ufeff0b000001 0b000101 10000 100 8 0 5 5\n', diagnostics)).toHaveLength(1);
    expect(readBusbwFile('\ufefftable\nTP:\nallreduce,: 300\n', 'busbw.yaml', diagnostics)).not.toBeNull();
    const builder = new FabricBuilder();
    builder.addNode(0);
    const fabric = builder.build();
    const identity = {
      nodeName: ['a'],
      nodeGuid: BigUint64Array.of(1n),
      portGuid: BigUint64Array.of(1n),
      lid: Uint16Array.of(1),
      radix: Uint8Array.of(1),
      portNumber: new Uint8Array(0),
    };
    const dump = `\ufeffChannel Adapter 0x0000000000000001, base LID 1, "a"\n1   1   :${' 0'.repeat(16)}\n`;
    expect(readLaneTables(dump, 'sl2vl.dump', { fabric, identity }, diagnostics).tables).toHaveLength(1);
    expect(diagnostics.list).toEqual([]);
  });
});
