// The short form of a workload for micro-benchmarks: one collective per line, how often, what, how many bytes, over
// which group.
//   1 ALLREDUCE 1048576 TP
// Invariants: every mistake has file:line:column; the collectives run one after the other, in order.
// Source: the example of the communication-stack document, section 10 (docs/SOURCES.md). It carries no sizes of groups:
// the caller gives them.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { parseSizeBytes } from '../base/units.js';
import { groupProblem } from '../workload/group-sizes.js';
import type { GroupName } from '../workload/policies.js';
import {
  idlePass,
  LayerBuilder,
  maxLayers,
  type CollectiveName,
  type GroupSizes,
  type Workload,
} from '../workload/workload.js';
import { decodeCollective } from './collective-names.js';
import { LineScanner } from './line-scanner.js';
import { longestWord, type PlacedWord } from './lines.js';
import { isWhole } from './number-words.js';

/** Sizes of groups from outside the file: options of the command line, keys of a scenario. */
export interface GivenGroups {
  readonly tensor?: number;
  readonly data?: number;
  readonly expert?: number;
}

const groupWords: Readonly<Record<string, GroupName>> = { TP: 'tp', DP: 'dp', EP: 'ep', DP_EP: 'dp_ep' };

const wantedLine = 'TIMES COLLECTIVE BYTES GROUP, such as 1 ALLREDUCE 1048576 TP';

/**
 * Reads a micro-benchmark.
 * @param given sizes of the tensor, data and expert groups, all three needed
 * @returns the workload, a layer per run of a collective; null after at least one error
 */
export function readMicroBenchmark(
  text: string,
  file: string,
  given: GivenGroups,
  diagnostics: Diagnostics,
): Workload | null {
  const problems = new FileProblems(file, diagnostics);
  const scanner = new LineScanner(text);
  const builder = new LayerBuilder();
  if (!scanner.seek()) {
    problems.error('workload-empty', wholeFile, 'the workload file is empty', { wanted: wantedLine });
    return null;
  }
  const groups = groupsOf(given, scanner.position, problems);
  do readLine(scanner, builder, problems);
  while (!problems.full && scanner.seek());
  if (problems.failed || groups === null) return null;
  return {
    policy: 'MICRO',
    groups,
    chunksPerStage: 1,
    microBatches: 1,
    stageTransferBytes: 0,
    lastBottomLayer: -1,
    layers: builder.build(),
  };
}

/** a; a and b; a, b and c. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;
}

function groupsOf({ tensor, data, expert }: GivenGroups, at: Position, problems: FileProblems): GroupSizes | null {
  if (tensor === undefined || data === undefined || expert === undefined) {
    const missing = [
      ...(tensor === undefined ? ['tensor'] : []),
      ...(data === undefined ? ['data'] : []),
      ...(expert === undefined ? ['expert'] : []),
    ];
    problems.error(
      'workload-groups-missing',
      at,
      `a micro-benchmark carries no sizes of groups, and the size of the ${listed(missing)} groups is not given`,
      {
        wanted: 'the sizes of the tensor, data and expert groups beside the file',
        hint: '--tp, --dp and --ep on the command line; tensorParallel, dataParallel and expertParallel in a scenario',
      },
    );
    return null;
  }
  const groups = { tensor, expert, pipeline: 1, gpus: tensor * data };
  const problem = groupProblem(groups);
  if (problem === null) return groups;
  problems.error('workload-groups', at, problem.message, { got: problem.got, wanted: problem.wanted });
  return null;
}

function readLine(scanner: LineScanner, builder: LayerBuilder, problems: FileProblems): void {
  const words = scanner.words(5, longestWord + 1);
  const end = scanner.position;
  scanner.skipLine();
  const [times, collective, size, group, extra] = words as [
    PlacedWord,
    PlacedWord,
    PlacedWord,
    PlacedWord,
    PlacedWord?,
  ];
  if (words.length < 4) {
    problems.error('workload-incomplete-layer', end, 'the line ends too early', {
      got: words.map(({ text }) => text).join(' '),
      wanted: wantedLine,
    });
    return;
  }
  if (extra !== undefined) {
    problems.error('workload-extra-field', extra, 'the line goes on after the group', {
      got: extra.text,
      wanted: wantedLine,
      hint: 'a comment begins with #',
    });
    return;
  }
  const decoded = decodeCollective(collective.text);
  const count = isWhole(times.text) ? Number(times.text) : NaN;
  const sizeBytes = size.text.length <= longestWord ? parseSizeBytes(size.text) : null;
  if (!(count >= 1))
    problems.error('workload-times', times, 'the line does not begin with how often the collective runs', {
      got: times.text,
      wanted: 'a whole number, at least 1',
    });
  else if (builder.count + count > maxLayers)
    problems.error('workload-too-large', times, 'more collectives than a workload may have', {
      got: times.text,
      wanted: `at most ${maxLayers} in all`,
    });
  if ('problem' in decoded)
    problems.error(decoded.problem, collective, decoded.message, {
      got: collective.text,
      wanted: decoded.wanted,
      ...(decoded.hint === undefined ? {} : { hint: decoded.hint }),
    });
  else if (decoded.group !== null)
    problems.error('unknown-group', collective, 'the group stands in a word of its own', {
      got: collective.text,
      wanted: wantedLine,
    });
  else if (decoded.collective === 'none')
    problems.error('unknown-collective', collective, 'nothing would be sent', {
      got: collective.text,
      wanted: 'a collective',
    });
  if (sizeBytes === null || sizeBytes === 0)
    problems.error(
      /^\d+$/.test(size.text) && sizeBytes === null ? 'workload-overflow' : 'workload-size',
      size,
      'the size is not a number of bytes that can be sent',
      { got: size.text, wanted: 'bytes, 1 to 9007199254740991 (8 PiB), such as 1048576 or 1MiB' },
    );
  if (!Object.hasOwn(groupWords, group.text))
    problems.error('unknown-group', group, 'the group is not known', {
      got: group.text,
      wanted: `one of ${Object.keys(groupWords).join(', ')}`,
    });
  if (
    count >= 1 &&
    builder.count + count <= maxLayers &&
    'collective' in decoded &&
    sizeBytes !== null &&
    Object.hasOwn(groupWords, group.text)
  ) {
    addRuns(builder, count, `${collective.text}_${group.text}`, decoded.collective, groupWords[group.text]!, sizeBytes);
  }
}

function addRuns(
  builder: LayerBuilder,
  times: number,
  name: string,
  collective: CollectiveName,
  group: GroupName,
  sizeBytes: number,
): void {
  for (let run = 0; run < times; run++)
    builder.add({ name, policy: 'MICRO', forward: { ...idlePass, collective, group, sizeBytes } });
}
