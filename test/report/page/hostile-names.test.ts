// Names of runs come from anybody: none becomes markup, a formula or a key of something else.

import { describe, expect, it } from 'vitest';
import { csvCell, figureCsv } from '../../../src/report/page/figure-csv.js';
import { reportHtml } from '../../../src/report/page/page-html.js';
import { embedded } from '../../../src/report/page/page-shell.js';
import { reportOf } from '../../../src/report/page/report.js';
import { jsonAt, type Json, type ReportRun } from '../../../src/report/page/report-run.js';
import { RunRecords } from '../../../src/report/page/run-records.js';
import { outline } from '../../../src/report/page/scenario-text.js';

const bad = `</script><script>alert(1)</script><img src=x onerror="alert('1')">&amp;\u2028]]>`;

function hostileRun(label: string): ReportRun {
  return {
    label,
    manifest: {
      name: bad,
      seed: 1,
      weftVersion: bad,
      outcome: bad,
      digest: bad,
      verdicts: [{ name: bad, ok: false, detail: bad }],
      warnings: [{ message: bad }],
      inputs: [{ role: bad, path: bad, sizeBytes: 1, sha256: bad }],
      scenario: JSON.parse(`{"__proto__": {"x": ${JSON.stringify(bad)}}, ${JSON.stringify(bad)}: 1, "a": "b"}`) as Json,
    },
    summary: { fct: {}, backend: bad, flows: 0 },
    records: new RunRecords(null, []),
  };
}

describe('a page of hostile names', () => {
  const page = reportHtml(reportOf([hostileRun(bad), hostileRun('__proto__')]), {
    script: '/* the program */',
    hash: 'sha256-x',
    packages: [],
  });

  it('has no element but its own', () => {
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('onerror="');
    expect(page).toContain('&lt;img src=x');
  });

  it('forbids itself to fetch anything', () => {
    expect(page).toContain(`default-src 'none'`);
    expect(page).not.toMatch(/(src|href)="https?:/);
  });
});

describe('embedded data', () => {
  it('is what was embedded, with nothing that ends its element', () => {
    const text = embedded({ [bad]: [bad] });
    expect(text).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(text)).toEqual({ [bad]: [bad] });
  });
});

describe('keys of files', () => {
  it('are own keys alone', () => {
    expect(jsonAt({ a: 1 }, 'constructor')).toBeUndefined();
    expect(jsonAt({ a: 1 }, '__proto__')).toBeUndefined();
    expect(outline(JSON.parse('{"__proto__": {"x": 1}}') as Json)).toBe('__proto__:\n  x: 1');
  });
});

describe('CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['@cmd', "'@cmd"],
  ])('writes %j as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it('leaves numbers numbers and has nothing where nothing is known', () => {
    expect(csvCell(-1.5)).toBe('-1.5');
    expect(
      figureCsv({
        kind: 'bars',
        id: 'x',
        title: 'x',
        note: '',
        x: { name: 'port', unit: '', names: ['1', '2'] },
        y: { name: 'flows', unit: '%' },
        series: [{ name: 'a,b', colour: 0, y: [1, null] }],
      }),
    ).toBe('port,"a,b: flows (%)"\n1,1\n2,\n');
  });
});
