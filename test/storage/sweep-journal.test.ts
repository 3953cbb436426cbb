// The journal of a sweep: what was told of a run is there after a kill at any byte, and nothing else is taken for a run.

import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowWithoutRun, type RunRow } from '../../src/report/sweep/run-row.js';
import { type JournalEntry, SweepJournal } from '../../src/storage/sweep/sweep-journal.js';
import { seed } from '../support/seed.js';

let path = '';
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'weft-journal-')), 'journal.jsonl');
});
afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

const runs = 8;

function entry(run: number, changes: Partial<RunRow> = {}): JournalEntry {
  const figures = new Map<string, number | string | boolean>([
    ['backend', 'packet'],
    ['fct.meanNs', 0.1 + run],
    ['__proto__', 5],
    ['collisions.exact', true],
  ]);
  const checks = new Map<string, 'passed' | 'failed'>([['all "flows"\nfinished', 'passed']]);
  const row: RunRow = {
    seed: 1,
    outcome: 'finished',
    error: null,
    figures,
    checks,
    verdict: 'passed',
    failedChecks: null,
    digest: 'ab',
    ...changes,
  };
  return { run, row, timing: { cpuSeconds: 0.5, wallSeconds: 1 } };
}

function written(entries: readonly JournalEntry[]): void {
  const journal = SweepJournal.open(path, runs);
  for (const one of entries) journal.append(one);
  journal.close();
}

/** What is there, by run. */
function there(): (JournalEntry | null)[] {
  const journal = SweepJournal.read(path, runs);
  const entries = Array.from({ length: runs }, (_, run) => journal.entryOf(run));
  journal.close();
  return entries;
}

const none = Array.from({ length: runs }, () => null);

describe('a journal', () => {
  it('gives back what was put into it, in whatever order', () => {
    const lost: JournalEntry = { run: 2, row: rowWithoutRun('lost', 'its process\nended', null), timing: null };
    written([entry(5), lost, entry(0, { outcome: 'blocked', verdict: 'failed', failedChecks: 'a: b', seed: null })]);
    const found = there();
    expect([found[5], found[2]]).toEqual([entry(5), lost]);
    expect(found[0]!.row).toMatchObject({ outcome: 'blocked', failedChecks: 'a: b', seed: null });
    expect(found.filter((one) => one !== null)).toHaveLength(3);
  });

  it('takes the later of two lines of one run', () => {
    written([{ run: 3, row: rowWithoutRun('lost', 'killed', 1), timing: null }]);
    written([entry(3)]);
    expect(there()[3]).toEqual(entry(3));
  });

  it(`cut off at any byte has the runs before that, and goes on (seed ${seed})`, () => {
    written([entry(0), entry(1), entry(2)]);
    const whole = readFileSync(path);
    const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1);
    for (let cut = seed % 7; cut <= whole.length; cut += 7) {
      writeFileSync(path, whole.subarray(0, cut));
      const complete = ends.filter((end) => end <= cut).length;
      expect(there()).toEqual(none.map((_, run) => (run < complete ? entry(run) : null)));
      written([entry(7)]);
      expect(there()).toEqual(none.map((_, run) => (run < complete || run === 7 ? entry(run) : null)));
    }
  });

  it('passes over what is none of its lines', () => {
    written([entry(0)]);
    const line = readFileSync(path, 'utf8');
    const other = (change: object): string =>
      `${JSON.stringify({ ...(JSON.parse(line) as object), run: 1, ...change })}\n`;
    appendFileSync(
      path,
      [
        'x\n',
        '\n',
        'null\n',
        '[]\n',
        '{"run":1}\n',
        '\u0000\u0000\n',
        other({ run: runs }),
        other({ run: -1 }),
        other({ run: 1.5 }),
        other({ run: '1' }),
        other({ outcome: 'running' }),
        other({ figures: null }),
        other({ figures: { a: {} } }),
        other({ figures: [1] }),
        other({ checks: { a: 'maybe' } }),
        other({ timing: 5 }),
        other({ error: 5 }),
        other({ seed: 'x' }),
        other({ figures: { a: 'x'.repeat(5_000_000) } }),
      ].join(''),
    );
    expect(there()).toEqual(none.map((_, run) => (run === 0 ? entry(0) : null)));
    // the same line with nothing wrong is one
    appendFileSync(path, other({}));
    expect(there()[1]).toEqual(entry(1, { figures: entry(0).row.figures }));
  });

  it('has lines across the pieces that it is read in', () => {
    const long = 'x'.repeat(700_000);
    written([0, 1, 2, 3, 4].map((run) => entry(run, { error: `${run}${long}` })));
    expect(there().map((one) => one?.row.error?.slice(0, 3) ?? null)).toEqual([
      '0xx',
      '1xx',
      '2xx',
      '3xx',
      '4xx',
      null,
      null,
      null,
    ]);
    truncateSync(path, 2_000_000);
    expect(there().filter((one) => one !== null)).toHaveLength(2);
  });

  it.skipIf(process.platform === 'win32')('is refused if it is a FIFO, without waiting', () => {
    execFileSync('mkfifo', [path]);
    expect(() => SweepJournal.open(path, runs)).toThrow(/is not a regular file \(it is a FIFO/);
    expect(() => SweepJournal.read(path, runs)).toThrow(/is not a regular file \(it is a FIFO/);
  });
});
