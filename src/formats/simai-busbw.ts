// SimAI's file of bus bandwidths (busbw.yaml) -> bandwidths by group and collective.
//   a first line that is passed over; then sections `TP:`, `DP:`, `EP:` with lines such as `allreduce,: 300`, and `PP:`
//   with `busbw: 47.5`; GB/s, or `null` where there is none.
// Invariant: every line is understood or an error with its place; bandwidths are above 0.
// Source: SimAI's tutorial and its example (docs/models/simai.md#analytical-backend). It is no YAML: the first line has
// no colon, and keys end in a comma. With the comma, without it and indented is all the same.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { columnOf, contentLines } from './lines.js';
import { busbwKinds, type BusbwGroup, type BusbwKind } from '../collectives/simai-busbw.js';

const sections = ['TP', 'DP', 'EP', 'PP'] as const;
type Section = (typeof sections)[number];

/** Bandwidths in GB/s of 2^30 bytes. */
export interface BusbwFile {
  /** null: the file says none; DP_EP takes EP's, as there */
  bandwidthOf(kind: BusbwKind, group: BusbwGroup): number | null;
  /** between pipeline stages; null: none */
  readonly stageGBps: number | null;
}

/** Reads a file. @param file its name, for messages @returns null after at least one error */
export function readBusbwFile(text: string, file: string, diagnostics: Diagnostics): BusbwFile | null {
  const problems = new FileProblems(file, diagnostics);
  const found = new Map<string, number>();
  let section: Section | null = null;
  for (const { line: number, text: whole } of contentLines(text, problems)) {
    const line = whole.trim();
    const at = { line: number, column: columnOf(whole) };
    const head: Section | undefined = sections.find((name) => line === `${name}:`);
    if (head !== undefined) {
      section = head;
      continue;
    }
    // the name of the table, with or without a colon
    if (section === null && number === 1) continue;
    const [, key = '', value = ''] = /^(\w+),?\s*:\s*(\S+)$/.exec(line) ?? [];
    const keys: readonly string[] = section === 'PP' ? ['busbw'] : busbwKinds;
    if (section === null || !keys.includes(key)) {
      problems.error('busbw-line', at, 'the line means nothing here', {
        got: line,
        wanted: section === null ? `a section: ${sections.join(':, ')}:` : `${keys.join(', ')}, and GB/s`,
      });
      continue;
    }
    if (value === 'null') continue;
    const bandwidth = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    if (bandwidth > 0) found.set(`${section} ${key}`, bandwidth);
    else
      problems.error('busbw-value', at, `${key} has no usable bandwidth`, {
        got: value,
        wanted: 'GB/s above 0, or null',
      });
  }
  if (!problems.failed && found.size === 0)
    problems.error('busbw-line', { line: 1, column: 1 }, 'the file has no bandwidth', {
      wanted: 'sections TP:, DP:, EP:, PP: with lines such as allreduce,: 300',
    });
  if (problems.failed) return null;
  const sectionOf = { tp: 'TP', dp: 'DP', ep: 'EP', dp_ep: 'EP' } as const;
  return {
    bandwidthOf: (kind, group) => found.get(`${sectionOf[group]} ${kind}`) ?? null,
    stageGBps: found.get('PP busbw') ?? null,
  };
}
