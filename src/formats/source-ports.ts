// Static source routes for fabrics whose switches hash: the UDP source port of each pair of hosts, and the way that it
// takes, for people and for networks that take lists of segments.
//   source,destination,source_port,path
//   0,17,49153,leaf[0]:5 spine[1]:3 leaf[2]:2
// Nodes by their ids; each step of the path is a switch and its interface. Reading, the path means nothing.
// Invariant: every mistake has its line and column; a pair may stand several times, with other ports.

import { addTo } from '../base/lists-by-key.js';
import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { eachLine } from './lines.js';

/** The first line. */
const sourcePortsHeader = 'source,destination,source_port,path';

/** A pair, its port and its way. */
export interface SourcePortRow {
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly path: readonly string[];
}

/** Rows as the lines of a file. */
export function* sourcePortsCsv(rows: Iterable<SourcePortRow>): Generator<string> {
  yield `${sourcePortsHeader}\n`;
  for (const { source, destination, sourcePort, path } of rows)
    yield `${source},${destination},${sourcePort},${path.join(' ')}\n`;
}

/**
 * Reads source ports by pair.
 * @returns by source node x number of nodes + destination node; null if the file has errors
 */
export function readSourcePorts(
  text: string,
  file: string,
  fabric: Fabric,
  diagnostics: Diagnostics,
): Map<number, number[]> | null {
  const problems = new FileProblems(file, diagnostics);
  const ports = new Map<number, number[]>();
  let isFirst = true;
  let count = 0;
  const isHost = (node: number): boolean => fabric.nodeKind[node] === NodeKind.host;
  eachLine(text, problems, (content, at) => {
    if (content.startsWith('#')) return;
    const fields = content.split(',').map((field) => field.trim());
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) count = fields.length;
    if (wasFirst && fields[0] === 'source') return;
    if (fields.length !== count) {
      problems.error('source-port', at, `the line has ${fields.length} fields, the first line ${count}`, {
        got: content,
        wanted: `as many as there: ${sourcePortsHeader}, with or without the path`,
      });
      return;
    }
    const [source, destination, port] = fields.map((field) => (/^\d{1,9}$/.test(field) ? Number(field) : NaN));
    if (fields.length < 3 || fields.length > 4 || !(port! >= 0 && port! <= 65_535))
      problems.error('source-port', at, 'the line has no source port', {
        got: content,
        wanted: `${sourcePortsHeader}, with a port from 0 to 65535`,
      });
    else if (!isHost(source!) || !isHost(destination!) || source === destination)
      problems.error('source-port', at, 'the line does not name two hosts of the fabric', {
        got: `${fields[0]},${fields[1]}`,
        wanted: 'ids of two hosts',
      });
    else {
      const pair = source! * fabric.nodeCount + destination!;
      addTo(ports, pair, port!);
    }
  });
  if (problems.failed) return null;
  if (ports.size === 0) {
    problems.error('source-port', wholeFile, 'there is no pair in the file', { wanted: sourcePortsHeader });
    return null;
  }
  return ports;
}
