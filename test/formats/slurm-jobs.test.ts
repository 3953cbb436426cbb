// Slurm's lists of jobs: forms of squeue and sacct, lists of nodes against names written out, mistakes with their lines.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { expandNodes, readSlurmJobs } from '../../src/formats/slurm-jobs.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function read(text: string): { jobs: string[] | null; said: string[] } {
  const diagnostics = new Diagnostics();
  const jobs = readSlurmJobs(text, 'q', diagnostics);
  return {
    jobs: jobs?.map(({ id, nodes }) => `${id}: ${nodes.join(' ')}`) ?? null,
    said: diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`),
  };
}

describe('rows with more fields than their header', () => {
  it.each<[string, string, string[], string[]]>([
    // the name holds the divider: what stands behind it is counted from the end
    [
      'sacct -P',
      'JobID|JobName|State|NodeList\n1|a|RUNNING|n1\n2|c|d|COMPLETED|node[000-001]\n3|c|d|RUNNING|n3\n',
      ['1: n1', '3: n3'],
      ['warning idle-jobs 0'],
    ],
    [
      'squeue',
      'JOBID NAME ST NODELIST\n1 two words R n1\n2 three more words PD n2\n3 x CD n3\n',
      ['1: n1'],
      ['warning idle-jobs 0'],
    ],
  ])('of %s keep their state where a name accounts for them', (_, text, jobs, said) => {
    expect(read(text)).toEqual({ jobs, said });
  });

  it.each([
    ['without a name', 'JobID|State|NodeList\n1|RUNNING|n1\n2|c|d|COMPLETED|n2\n', 3],
    ['with fewer fields', 'JobID|JobName|State|NodeList\n1|RUNNING|n1\n', 2],
    ['between blanks', 'JOBID ST NODELIST\n1 R 2 n1\n', 2],
  ])('are told %s', (_, text, line) => {
    expect(read(text)).toEqual({ jobs: null, said: [`error wrong-fields ${line}`] });
  });
});

describe('lists of jobs', () => {
  it.each<[string, string]>([
    [
      'squeue',
      'JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 7 b two words ann R 1:02 3 n[08-10]\n 8 b x ann R 0:01 1 m1\n 9 b x ann PD 0:00 4 (Resources)\n',
    ],
    ['squeue -h -o "%i %N"', '7 n[08-10]\n8 m1\n'],
    [
      'sacct',
      'JobID    NodeList   State\n-------- ---------- ----------\n7        n[08-10]   RUNNING\n7.batch  n08        RUNNING\n8        m1         RUNNING\n9        m2         COMPLETED\n',
    ],
    ['sacct -P', 'JobID|JobName|State|NodeList\n7|a b|RUNNING|n[08-10]\n8|c|RUNNING|m1\n9|d|PENDING|None assigned\n'],
  ])('%s', (_, text) => {
    expect(read(text).jobs).toEqual(['7: n08 n09 n10', '8: m1']);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'error no-jobs 0'],
    ['a list that is cut off', 'JobID NodeList\n7 node[001-01+\n', 'error bad-node-list 2'],
    ['a range downwards', '7 n[3-1]\n', 'error bad-node-list 1'],
    ['more nodes than there are', '7 n[0-999999999]\n', 'error bad-node-list 1'],
    ['more nodes than there are, in two brackets', '7 n[0-9999]x[0-9999]\n', 'error bad-node-list 1'],
    ['no job that runs', 'JOBID ST NODELIST\n7 PD n1\n', 'error no-jobs 0'],
  ])('%s', (_, text, expected) => {
    const { jobs, said } = read(text);
    expect(jobs).toBeNull();
    expect(said).toContain(expected);
  });
});

it('lists of nodes', () => {
  const most = 1000;
  expect(expandNodes('node[001-003,010],login1', most)).toEqual(['node001', 'node002', 'node003', 'node010', 'login1']);
  expect(expandNodes('a[1-2]x[3-4].dc', most)).toEqual(['a1x3.dc', 'a1x4.dc', 'a2x3.dc', 'a2x4.dc']);
  expect(expandNodes('n[9-11]', most)).toEqual(['n9', 'n10', 'n11']);
  for (const wrong of ['', ',', 'n[', 'n]', 'n[]', 'n[1-]', 'n[a-b]', 'n[1-2', 'n m'])
    expect(expandNodes(wrong, most)).toEqual(expect.any(String));
});

it(`any list ends, with names or a word (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[n0-9[\],-]{0,40}$/), (list) => {
      const names = expandNodes(list, 500);
      expect(typeof names === 'string' || (names.length > 0 && names.length <= 500)).toBe(true);
    }),
    { seed, numRuns: rounds(500) },
  );
});
