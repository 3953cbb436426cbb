// What programs came to, as the objects of `--json` and as lines of text.
// Invariant: the order of the keys is fixed; times are nanoseconds, exact to the picosecond.

import { printable } from '../base/printable.js';
import { formatSizeBytes, formatTimePs } from '../base/units.js';
import type { ProgramReport, RankSpread } from '../programs/program-report.js';

/** A program as the object of `--json`. */
export function programObject(report: ProgramReport): object {
  return {
    name: report.name,
    program: report.program,
    isFinished: report.isFinished,
    startNs: report.startPs / 1000,
    totalNs: report.totalPs / 1000,
    ranks: report.ranks,
    nodes: report.nodes,
    computeNs: spreadObject(report.computePs),
    overheadNs: spreadObject(report.overheadPs),
    waitNs: spreadObject(report.waitPs),
    messages: report.messages,
    payloadBytes: report.payloadBytes,
    handshakes: report.handshakes,
    messagesInNodes: report.messagesInNodes,
    bytesInNodes: report.bytesInNodes,
    phases: report.phases,
    grid: report.grid,
  };
}

function spreadObject({ minimum, mean, maximum }: RankSpread): object {
  return { min: minimum / 1000, mean: mean / 1000, max: maximum / 1000 };
}

/** A program as two lines of a report. */
export function programLines(report: ProgramReport): string[] {
  const { name, program, isFinished, ranks, nodes, totalPs, computePs, waitPs, overheadPs } = report;
  const end = isFinished ? formatTimePs(totalPs) : 'not finished';
  const inNodes = report.messagesInNodes === 0 ? '' : `; ${report.messagesInNodes} more within nodes`;
  return [
    `${printable(name)} (${program}): ${end}, ${ranks} ranks on ${nodes} nodes, ${report.messages} messages, ${formatSizeBytes(report.payloadBytes)}${inNodes}`,
    `a rank computes ${formatTimePs(Math.round(computePs.mean))}, waits ${formatTimePs(Math.round(waitPs.mean))}, sends and receives ${formatTimePs(Math.round(overheadPs.mean))} on average`,
  ];
}
