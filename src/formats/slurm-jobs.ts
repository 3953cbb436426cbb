// Slurm's list of jobs, as squeue or sacct prints it -> jobs with the names of their nodes.
//   JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)          squeue
//   1234 batch llama ann R 1:02 18 node[001-016,020],login1
//   JobID|JobName|State|NodeList                                      sacct -P -o ...
// The header says which column is what; without one the first word is the job and the last its nodes. Names of jobs may
// hold the divider: a row with more fields than the header has keeps those before its name and those behind.
// Invariants: every mistake has its line; lists of nodes are expanded to a bounded number of names. Passed over: jobs
// that do not run (a State or ST other than RUNNING, R or CG; no nodes) and the steps of jobs (1234.batch).

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { eachLine } from './lines.js';

/** A job and its nodes, in the order of the list. */
export interface SlurmJob {
  readonly id: string;
  readonly nodes: readonly string[];
  readonly at: Position;
}

/** Most names that one file may stand for. */
const mostNodes = 200_000;
const running = new Set(['R', 'CG', 'RUNNING', 'COMPLETING']);

interface Columns {
  readonly divider: '|' | ' ';
  readonly job: number;
  /** from the end: blanks within names of jobs shift what stands before */
  readonly nodesFromEnd: number;
  readonly state: number | null;
  /** the one column that may hold dividers; null: none is known to */
  readonly name: number | null;
  /** there is a header */
  readonly isNamed: boolean;
  readonly count: number;
}

/** Reads a list of jobs. @param file its name, for messages @returns jobs that run; null if the file has errors */
export function readSlurmJobs(text: string, file: string, diagnostics: Diagnostics): SlurmJob[] | null {
  const problems = new FileProblems(file, diagnostics);
  const jobs: SlurmJob[] = [];
  let columns: Columns | null = null;
  let idle = 0;
  let nodes = 0;
  eachLine(text, problems, (content, at) => {
    if (content.startsWith('#') || /^[-+ |]+$/.test(content)) return;
    const divider = content.includes('|') ? '|' : ' ';
    const fields = (divider === '|' ? content.split('|') : content.split(/\s+/)).map((field) => field.trim());
    if (columns === null) {
      columns = columnsOf(fields, divider);
      if (/^job_?id/i.test(fields[0]!) || fields.some((field) => /^nodelist/i.test(field))) return;
    }
    const mistake = columns.isNamed ? fieldMistake(fields.length, columns) : null;
    if (mistake !== null) {
      problems.error('wrong-fields', at, mistake, {
        got: content,
        wanted: `the ${columns.count} fields of the header`,
        hint: `print columns that hold no ${divider === '|' ? '|' : 'blanks'}: sacct -P -o JobID,State,NodeList, or squeue -o "%i %T %N"`,
      });
      return;
    }
    const list = fields[fields.length - 1 - columns.nodesFromEnd] ?? '';
    const state =
      columns.state === null ? undefined : fields[columns.state + extraBefore(columns.state, fields.length, columns)];
    const id = fields[columns.job] ?? '';
    if (id.includes('.')) return;
    if ((state !== undefined && !running.has(state)) || /^(?:\(.*|None|assigned|)$/.test(list)) {
      idle++;
      return;
    }
    const expanded = expandNodes(list, mostNodes - nodes);
    if (typeof expanded === 'string') {
      problems.error('bad-node-list', at, expanded, {
        got: list,
        wanted: 'such as node[001-016,020],login1',
        ...(list.endsWith('+') ? { hint: 'sacct cuts columns off: use sacct -P, or -o NodeList%500' } : {}),
      });
      return;
    }
    nodes += expanded.length;
    jobs.push({ id, nodes: expanded, at });
  });
  if (problems.failed) return null;
  if (jobs.length === 0) {
    problems.error('no-jobs', wholeFile, 'no job of the list runs on any node', {
      wanted: 'what squeue -o "%i %N" or sacct -P -o JobID,State,NodeList prints',
    });
    return null;
  }
  if (idle > 0)
    problems.warning(
      'idle-jobs',
      wholeFile,
      `${idle === 1 ? 'a job' : `${idle} jobs`} that ${idle === 1 ? 'does' : 'do'} not run on any node: left out`,
    );
  return jobs;
}

function columnsOf(fields: readonly string[], divider: '|' | ' '): Columns {
  const place = (name: RegExp): number => fields.findIndex((field) => name.test(field));
  const nodes = place(/^nodelist/i);
  const state = place(/^(?:st|state)$/i);
  const name = place(/^(?:job)?name$/i);
  return {
    divider,
    job: Math.max(0, place(/^job_?id/i)),
    nodesFromEnd: nodes === -1 ? 0 : fields.length - 1 - nodes,
    state: state === -1 ? null : state,
    name: name === -1 ? null : name,
    isNamed: nodes !== -1 || /^job_?id/i.test(fields[0]!),
    count: fields.length,
  };
}

/** What is wrong with the number of a row's fields; null: nothing, or a name that holds dividers accounts for it. */
function fieldMistake(length: number, { count, name, job, state }: Columns): string | null {
  if (length === count) return null;
  const places = [job, state ?? job];
  // whatever stands before the name keeps its place, whatever stands behind keeps it from the end
  if (length > count && name !== null && !places.includes(name)) return null;
  return `the row has ${length} fields, its header ${count}`;
}

/** Fields that a name with dividers puts before a column. */
function extraBefore(column: number, length: number, { count, name }: Columns): number {
  return name !== null && column > name && length > count ? length - count : 0;
}

/**
 * Expands Slurm's form of a list: `node[001-003,7],gpu-a[1-2]x[3-4]`.
 * @param most names that it may have
 * @returns the names in order, or what is wrong in words
 */
export function expandNodes(list: string, most: number): string[] | string {
  const names: string[] = [];
  for (let start = 0; start < list.length;) {
    let made = [''];
    let at = start;
    // commas within brackets divide ranges, not nodes
    while (at < list.length && list[at] !== ',') {
      const isRange = list[at] === '[';
      const end = isRange ? list.indexOf(']', at) : endOfPlain(list, at);
      if (end === -1 || list[at] === ']') return 'a bracket has no other end';
      const choices = isRange ? rangesOf(list.slice(at + 1, end), most) : [list.slice(at, end)];
      if (typeof choices === 'string') return choices;
      if (made.length * choices.length > most) return `the list has more than ${mostNodes} nodes`;
      made = made.flatMap((before) => choices.map((choice) => before + choice));
      if (made[0]!.length > 255) return 'a name of a node has more than 255 characters';
      at = isRange ? end + 1 : end;
    }
    const isEmpty = at === start;
    start = at + 1;
    if (isEmpty) continue;
    if (made.some((name) => !/^[\w.-]{1,255}$/.test(name))) return 'a name of a node has other characters';
    if (names.length + made.length > most) return `the list has more than ${mostNodes} nodes`;
    for (const name of made) names.push(name);
  }
  return names.length === 0 ? 'there is no node in the list' : names;
}

/** Where the text before a comma or a bracket ends. */
function endOfPlain(list: string, from: number): number {
  let at = from;
  while (at < list.length && !',[]'.includes(list[at]!)) at++;
  return at;
}

/** Numbers between brackets, with their zeros in front. */
function rangesOf(text: string, most: number): string[] | string {
  const numbers: string[] = [];
  for (const range of text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
    if (match === null) return 'a range of nodes has not the form 001-016';
    const [, from, to = from] = match;
    const [first, last] = [Number(from), Number(to)];
    if (last < first) return 'a range of nodes goes downwards';
    if (last - first >= most - numbers.length) return `the list has more than ${mostNodes} nodes`;
    for (let number = first; number <= last; number++) numbers.push(String(number).padStart(from!.length, '0'));
  }
  return numbers;
}
