// Reads paths.csv: Weft's own of seven columns, and the five of the central-controller document (docs/SOURCES.md) §6.
//   flow_id,sip,dip,sport,dport,n_hops,hops   ·   flow_id,sip,dip,sport,hops
// A header may name the columns in any order; without one, five or seven columns stand in the order above. Addresses
// are eight hexadecimal digits, dotted (11.0.8.1) or the number of a node. Hops are `node:port`, joined by "|", ";",
// "->" or blanks (the document does not show what joins them); several ports of one hop are joined by "+".
// Invariant: a line that is read has at least one hop and known ends; what Weft writes is read back as the same rows.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { ipv4OfNode, nodeOfIpv4 } from '../fabric/addresses.js';

/** A line of paths.csv: a path that a flow took. */
export interface PathRow {
  readonly flowId: number;
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  /** -1 where the file has no such column */
  readonly destinationPort: number;
  /** by hop, the ports taken there: node and interface in turn */
  readonly hops: readonly (readonly number[])[];
}

const columnNames = ['flow_id', 'sip', 'dip', 'sport', 'dport', 'n_hops', 'hops'] as const;
type ColumnName = (typeof columnNames)[number];
const shortForm: readonly ColumnName[] = ['flow_id', 'sip', 'dip', 'sport', 'hops'];
const needed: readonly ColumnName[] = shortForm;

/** Which columns the lines of a file have. */
export class PathColumns {
  private constructor(private readonly places: ReadonlyMap<ColumnName, number>) {}

  /** Whether the file says destination ports. */
  get hasDestinationPort(): boolean {
    return this.places.has('dport');
  }

  /** How many columns a line has. */
  get count(): number {
    return this.places.size;
  }

  /** Whether the columns are those that Weft writes, in its order. */
  get isOwn(): boolean {
    return columnNames.every((name, place) => this.place(name) === place);
  }

  place(name: ColumnName): number {
    return this.places.get(name) ?? -1;
  }

  /**
   * The columns by the first line with content, which is a header if it begins with a letter.
   * @returns null, with a diagnostic, if it is neither a header nor five or seven columns
   */
  static ofFirstLine(file: string, line: number, text: string, diagnostics: Diagnostics): PathColumns | null {
    const words = text.split(',').map((word) => word.trim());
    const names = isPathsHeader(text) ? words : words.length === shortForm.length ? shortForm : columnNames;
    const places = new Map<ColumnName, number>();
    for (const [place, word] of names.entries()) {
      const name = columnNames.find((known) => known === word);
      if (name !== undefined && !places.has(name)) places.set(name, place);
    }
    if (places.size === words.length && needed.every((name) => places.has(name))) return new PathColumns(places);
    diagnostics.error('paths-columns', file, { line, column: 1 }, 'these are not the columns of a paths.csv', {
      got: text.slice(0, 60),
      wanted: 'flow_id,sip,dip,sport,dport,n_hops,hops or flow_id,sip,dip,sport,hops',
    });
    return null;
  }
}

/** Whether a line is the header of a paths.csv. */
export function isPathsHeader(text: string): boolean {
  return /^\s*[a-z_]+\s*,/i.test(text);
}

/**
 * Reads a line of a paths.csv that is no header.
 * @returns null for a blank line and, with a diagnostic, for one that cannot be read
 */
export function readPathLine(
  file: string,
  line: number,
  text: string,
  columns: PathColumns,
  diagnostics: Diagnostics,
): PathRow | null {
  const problems = new FileProblems(file, diagnostics);
  if (text.trim() === '') return null;
  const words = text.split(',');
  const problem = (name: ColumnName, wanted: string): null => {
    const place = columns.place(name);
    const column = words.slice(0, place).reduce((sum, word) => sum + word.length + 1, 1);
    problems.error('paths-value', { line, column }, `${name} cannot be read`, {
      got: (words[place] ?? '').trim(),
      wanted,
    });
    return null;
  };
  if (words.length !== columns.count) {
    problems.error('paths-fields', { line, column: 1 }, 'wrong number of columns', {
      got: `${words.length} columns`,
      wanted: `${columns.count}, as in the lines before`,
    });
    return null;
  }
  const word = (name: ColumnName): string => words[columns.place(name)]!.trim();
  const flowId = wholeNumber(word('flow_id'), Number.MAX_SAFE_INTEGER);
  if (flowId < 0) return problem('flow_id', 'a whole number');
  const source = nodeOfWord(word('sip'));
  if (source < 0) return problem('sip', addressWanted);
  const destination = nodeOfWord(word('dip'));
  if (destination < 0) return problem('dip', addressWanted);
  const sourcePort = wholeNumber(word('sport'), 65_535);
  if (sourcePort < 0) return problem('sport', 'a whole number up to 65535');
  const destinationPort = columns.hasDestinationPort ? wholeNumber(word('dport'), 65_535) : -1;
  if (columns.hasDestinationPort && destinationPort < 0) return problem('dport', 'a whole number up to 65535');
  const hops = hopsOf(word('hops'));
  if (hops === null) return problem('hops', 'node:port joined by |, such as 18:14|25:2|19:1');
  if (columns.place('n_hops') >= 0 && wholeNumber(word('n_hops'), 1e6) !== hops.length)
    return problem('n_hops', `${hops.length}, which is how many hops follow`);
  return { flowId, source, destination, sourcePort, destinationPort, hops };
}

const addressWanted = 'an address such as 0b000801 or 11.0.8.1, or the number of a node';

function wholeNumber(word: string, maximum: number): number {
  const value = /^\d{1,16}$/.test(word) ? Number(word) : -1;
  return value <= maximum ? value : -1;
}

/** The node that a word names; -1 if none. */
function nodeOfWord(word: string): number {
  if (/^(?:0x)?[0-9a-f]{8}$/i.test(word)) return nodeOfIpv4(Number.parseInt(word.replace(/^0x/i, ''), 16));
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(word))
    return nodeOfIpv4(word.split('.').reduce((address, octet) => address * 256 + Number(octet), 0));
  if (/^\d{1,7}$/.test(word)) return nodeOfIpv4(ipv4OfNode(Number(word)));
  return /^\d{9,10}$/.test(word) ? nodeOfIpv4(Number(word)) : -1;
}

function hopsOf(word: string): number[][] | null {
  const hops: number[][] = [];
  for (const hop of word.split(/\s*(?:\||;|->|\s)\s*/)) {
    const ports: number[] = [];
    for (const port of hop.split('+')) {
      const match = /^(\d{1,7}):(\d{1,7})$/.exec(port);
      if (match === null) return null;
      ports.push(Number(match[1]), Number(match[2]));
    }
    hops.push(ports);
  }
  return hops;
}
