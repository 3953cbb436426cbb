// A workload file of either form, told apart by its first word: a policy (SimAI, AICB), or how often a collective runs
// (micro-benchmark).

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import type { Workload } from '../workload/workload.js';
import { LineScanner } from './line-scanner.js';
import { readMicroBenchmark, type GivenGroups } from './micro-benchmark.js';
import { readSimaiWorkload } from './simai-workload.js';
import { longestWord } from './lines.js';
import { isWhole } from './number-words.js';

/**
 * Reads a workload file.
 * @param file its name, for messages
 * @param given sizes of groups from outside; a micro-benchmark needs them, a workload file has its own, which they may
 * not contradict
 * @returns null after at least one error
 */
export function readWorkloadFile(
  text: string,
  file: string,
  given: GivenGroups,
  diagnostics: Diagnostics,
): Workload | null {
  const problems = new FileProblems(file, diagnostics);
  const scanner = new LineScanner(text);
  if (scanner.seek() && scanner.word() && isWhole(scanner.value(longestWord + 1)))
    return readMicroBenchmark(text, file, given, diagnostics);
  const workload = readSimaiWorkload(text, file, diagnostics);
  if (workload === null) return null;
  const { tensor, expert, pipeline, gpus } = workload.groups;
  const contradictions = [
    ['tensor', given.tensor, tensor] as const,
    ['expert', given.expert, expert] as const,
    ['data', given.data, gpus === 0 ? given.data : gpus / (tensor * pipeline)] as const,
  ].filter(([, outside, inside]) => outside !== undefined && outside !== inside);
  for (const [name, outside, inside] of contradictions) {
    problems.error(
      'workload-groups-given',
      { line: 1, column: 1 },
      `the file says that ${name} groups have ${inside} ranks, and ${outside} is given beside it`,
      { got: String(outside), wanted: String(inside), hint: 'leave it out: only micro-benchmarks need it' },
    );
  }
  return contradictions.length > 0 ? null : workload;
}
