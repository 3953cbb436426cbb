// Which lane a switch or adapter puts a service level on, as OpenSM dumps it (opensm-sl2vl.dump) and `smpquery sl2vl
// LID PORT` prints it.
//   Switch 0x0002c90000010000, base LID 2, "leaf00"            # SL2VL table: Lid 2
//   0   1   : 0  1  2  3  0  1  2  3 ...                       ports: in  0, out  1: | 0| 1| 2| 3| ...
// Invariants: every line of a table has 16 lanes of 0 to 15 (15 drops); of two tables of one pair of ports the last one
// counts, as it is read again. Pairs with port 0 of a switch, its management, are left out. Form:
// docs/formats/infiniband.md. Not read: arbitration.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { NodeKind } from '../fabric/fabric.js';
import { linesOf } from './lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** Lanes by service level, and where they apply. */
interface LaneTable {
  /** lane of each of the 16 service levels */
  readonly lanes: readonly number[];
  /** pairs of ports, in and out */
  readonly pairs: number;
  /** nodes that have such a pair, ascending */
  readonly nodes: readonly number[];
}

export interface LaneTables {
  /** different tables, those of most pairs first */
  readonly tables: readonly LaneTable[];
  /** switches of which no table was read, ascending */
  readonly missingSwitches: readonly number[];
  /** lanes of all levels between two ports of a node by their numbers, 0 for its management; null if none were read */
  readonly lanesOf: (node: number, inPort: number, outPort: number) => readonly number[] | null;
  /** where they stand in the file; the whole file if none were read */
  readonly placeOf: (node: number, inPort: number, outPort: number) => Position;
}

const levelCount = 16;
/** ports of a node in a key: 256 in, 256 out */
const portsPerNode = 65_536;

/** Reads SL2VL tables, any number of outputs one after the other. */
export function readLaneTables(
  text: string,
  file: string,
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
): LaneTables {
  return new LaneTableReader(file, source, diagnostics).read(text);
}

class LaneTableReader extends FileProblems {
  private readonly byGuid = new Map<bigint, number>();
  private readonly byLid = new Map<number, number>();
  /** text of the lanes by node x 65536 + in x 256 + out */
  private readonly lanesOf = new Map<number, string>();
  private readonly lineOf = new Map<number, number>();
  /** -1 for a node that the fabric has not, -2 before the first */
  private node = -2;
  private unknown = 0;
  private unknownAt: Position = wholeFile;
  /** rows that stand again with other lanes, and the first of them */
  private contradicting = 0;
  private contradictingAt: Position = wholeFile;

  constructor(
    file: string,
    private readonly source: IdentifiedFabric,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
    const { fabric, identity } = source;
    for (let node = 0; node < fabric.nodeCount; node++) {
      this.byGuid.set(identity.portGuid[node]!, node);
      if (identity.lid[node] !== 0) this.byLid.set(identity.lid[node]!, node);
    }
    // of switches whose node has another GUID than their port
    for (let node = 0; node < fabric.nodeCount; node++)
      if (fabric.nodeKind[node] !== NodeKind.host && !this.byGuid.has(identity.nodeGuid[node]!))
        this.byGuid.set(identity.nodeGuid[node]!, node);
  }

  read(text: string): LaneTables {
    for (const { line: number, text: line } of linesOf(text, this)) this.line(line, { line: number, column: 1 });
    if (this.lanesOf.size === 0 && !this.failed)
      this.error(
        'no-lanes',
        wholeFile,
        this.unknown > 0 ? 'no table of the file is of a node of the fabric' : 'there is no SL2VL table in the file',
        { wanted: 'opensm-sl2vl.dump (OpenSM with qos and -D 0x43), or what smpquery sl2vl LID PORT prints' },
      );
    else if (this.unknown > 0)
      this.warning(
        'unknown-port',
        this.unknownAt,
        `${this.unknown} tables are of nodes that the fabric has not, or that are not named by LID or GUID`,
      );
    if (this.contradicting > 0)
      this.warning(
        'contradicting-lanes',
        this.contradictingAt,
        `${this.contradicting} rows stand here a second time, with other lanes: the last ones count`,
      );
    return this.summary();
  }

  private line(line: string, at: Position): void {
    const dumped = /^(?:Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16}), base LID \d{1,7}\b/.exec(line);
    if (dumped !== null) {
      this.begin(this.byGuid.get(BigInt(`0x${dumped[1]!}`)), at);
      return;
    }
    if (line.startsWith('# SL2VL table:')) {
      const lid = /^# SL2VL table: Lid (\d{1,7})\b/.exec(line);
      this.begin(lid === null ? undefined : this.byLid.get(Number(lid[1])), at);
      return;
    }
    if (line.startsWith('#') || line.trim() === '') return;
    const row =
      /^(?:(\d{1,3})\s{1,9}(\d{1,3})\s{1,9}:|ports: in\s{1,9}(\d{1,3}), out\s{1,9}(\d{1,3}):)([\s\d|]{0,200})$/.exec(
        line,
      );
    const lanes =
      row === null
        ? []
        : row[5]!
            .split(/[\s|]+/)
            .filter((word) => word !== '')
            .map(Number);
    if (row === null || lanes.length !== levelCount || lanes.some((lane) => lane > 15)) {
      this.error('bad-lanes', at, 'this is no line of an SL2VL table', {
        got: line.slice(0, 60),
        wanted: '0   1   : and 16 lanes from 0 to 15',
      });
      return;
    }
    this.take(Number(row[1] ?? row[3]), Number(row[2] ?? row[4]), lanes, at);
  }

  private begin(node: number | undefined, at: Position): void {
    this.node = node ?? -1;
    if (node === undefined && this.unknown++ === 0) this.unknownAt = at;
  }

  private take(inPort: number, outPort: number, lanes: readonly number[], at: Position): void {
    const { node } = this;
    const { fabric, identity } = this.source;
    if (node === -2)
      this.error('bad-lanes', at, 'lanes before the first node', {
        wanted: 'a line such as Switch 0x0002c90000010000, base LID 2, "leaf00"',
      });
    if (node < 0) return;
    if (Math.max(inPort, outPort) > identity.radix[node]!)
      this.error('port-beyond-radix', at, `${identity.nodeName[node]} has ${identity.radix[node]} ports`, {
        got: `in ${inPort}, out ${outPort}`,
      });
    else if (fabric.nodeKind[node] === NodeKind.host || outPort !== 0)
      this.keep(node * portsPerNode + inPort * 256 + outPort, lanes, at);
  }

  private keep(key: number, lanes: readonly number[], at: Position): void {
    const text = lanes.join(' ');
    const earlier = this.lanesOf.get(key);
    if (earlier !== undefined && earlier !== text && this.contradicting++ === 0) this.contradictingAt = at;
    this.lanesOf.set(key, text);
    this.lineOf.set(key, at.line);
  }

  private lookup(): LaneTables['lanesOf'] {
    const lanes = new Map<string, readonly number[]>();
    for (const text of this.lanesOf.values()) if (!lanes.has(text)) lanes.set(text, text.split(' ').map(Number));
    return (node, inPort, outPort) =>
      lanes.get(this.lanesOf.get(node * portsPerNode + inPort * 256 + outPort) ?? '') ?? null;
  }

  private summary(): LaneTables {
    const { fabric } = this.source;
    const found = new Map<string, { pairs: number; nodes: Set<number> }>();
    const read = new Set<number>();
    for (const [key, lanes] of this.lanesOf) {
      const node = Math.floor(key / portsPerNode);
      read.add(node);
      const table = found.get(lanes) ?? { pairs: 0, nodes: new Set<number>() };
      table.pairs++;
      found.set(lanes, table);
      table.nodes.add(node);
    }
    const tables = [...found].map(([lanes, { pairs, nodes }]) => ({
      lanes: lanes.split(' ').map(Number),
      pairs,
      nodes: [...nodes].sort((a, b) => a - b),
    }));
    const missingSwitches = Array.from({ length: fabric.nodeCount }, (_, node) => node).filter(
      (node) => fabric.nodeKind[node] !== NodeKind.host && !read.has(node),
    );
    return {
      tables: tables.sort((a, b) => b.pairs - a.pairs || a.nodes[0]! - b.nodes[0]!),
      missingSwitches,
      lanesOf: this.lookup(),
      placeOf: (node, inPort, outPort) => {
        const line = this.lineOf.get(node * portsPerNode + inPort * 256 + outPort);
        return line === undefined ? wholeFile : { line, column: 1 };
      },
    };
  }
}
