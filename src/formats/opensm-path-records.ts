// Which service level a host sends to which other one with, as path records say it: OpenSM's opensm-path-records.dump,
// and what `saquery -p` prints. Read and written.
//   Channel Adapter 0x0002c90000100001, base LID 1, "node000 HCA-1", port 1
//   # LID  : SL : MTU : RATE                                           PathRecord dump:
//   0x0004 : 2  : 4   : 3                                                dlid....................4
//   0x0007 : UNREACHABLE                                                 slid....................1
//                                                                        sl......................0x2
// Invariants: a flow (hosts of a switch to a LID of a host) gets all levels that its pairs have; pairs that the file
// leaves out have level 0, which is said; records of switches are passed over. Written without MTU and RATE, which Weft
// does not know. Form: docs/formats/infiniband.md.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { guidText, hostLidCount, lidCount } from '../fabric/identity.js';
import { fail } from '../base/fail.js';
import { ListedLevels, type ServiceLevels } from '../routing/service-levels.js';
import { mostLevels, RouteLanes, type FlowLevels } from '../routing/route-lanes.js';
import { asciiOf, ByteLines } from './byte-lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** Columns of a row that are counted. */
const mostColumns = 8;

/** Reads service levels piece by piece: a file has a line for each pair of hosts. */
export class PathRecordReader extends FileProblems {
  private readonly levels: RouteLanes;
  private readonly rankOf: Int32Array;
  /** bit of each pair of ranks that was read */
  private readonly seen: Uint32Array;
  private readonly hostOfGuid = new Map<bigint, number>();
  /** node by LID, -1 for none */
  private readonly nodeOfLid = new Int32Array(65536).fill(-1);
  /** LIDs of every host */
  private readonly lids: number;
  private readonly lines = new ByteLines((line, length, number) => {
    this.line(asciiOf(line, 0, length), { line: number, column: 1 });
  });
  /** host that the lines are of: -1 for a switch or a stranger, -2 before the first */
  private source = -2;
  /** fields of the record of saquery that is being read */
  private record: { slid: number; dlid: number } | null = null;
  /** level by rank x hosts + rank, of pairs that were read; the last of several */
  private readonly levelOfPair: Uint8Array | null;
  private pairs = 0;
  /** of the first row; 0 before it */
  private columns = 0;
  private strangers = 0;
  private strangerAt: Position = wholeFile;
  /** pairs that were read again with a level that none of their switch had, and the first of them */
  private contradicting = 0;
  private contradictingAt: Position = wholeFile;

  /** @param keepsPairs levels of every pair are asked for, not of flows alone: a byte each */
  constructor(
    private readonly of: IdentifiedFabric,
    file: string,
    diagnostics: Diagnostics,
    keepsPairs = false,
  ) {
    super(file, diagnostics);
    const { fabric, identity } = of;
    this.levelOfPair = keepsPairs ? new Uint8Array(fabric.hosts.length * fabric.hosts.length) : null;
    this.lids = hostLidCount(fabric, identity);
    this.levels = new RouteLanes(fabric, switchesOf(of), this.lids);
    this.levels.clear();
    this.rankOf = new Int32Array(fabric.nodeCount).fill(-1);
    fabric.hosts.forEach((host, rank) => {
      this.rankOf[host] = rank;
      this.hostOfGuid.set(identity.portGuid[host]!, host);
    });
    for (let node = 0; node < fabric.nodeCount; node++)
      if (identity.lid[node] !== 0)
        this.nodeOfLid.fill(node, identity.lid[node], identity.lid[node]! + lidCount(identity, node));
    this.seen = new Uint32Array(Math.ceil((this.lids * fabric.hosts.length * fabric.hosts.length) / 32));
  }

  /** Takes the next piece of the file. */
  push(piece: Uint8Array): void {
    this.lines.push(piece);
  }

  /** Ends the file. @returns the levels, null if there were errors */
  end(): FlowLevels | null {
    this.lines.end();
    const { levels } = this;
    const { fabric } = this.of;
    if (this.pairs === 0 && !this.failed)
      this.error(
        'no-levels',
        this.strangerAt,
        this.strangers > 0
          ? 'no path record of the file is of two hosts of the fabric'
          : 'there is no path record in the file',
        { wanted: 'opensm-path-records.dump, what saquery -p prints, or what weft route compute --lanes-out writes' },
      );
    if (this.failed) return null;
    if (this.strangers > 0)
      this.warning(
        'unknown-destination',
        this.strangerAt,
        `${this.strangers} path records are of LIDs or GUIDs that the fabric has not`,
      );
    if (this.contradicting > 0)
      this.warning(
        'contradicting-level',
        this.contradictingAt,
        `${this.contradicting} pairs of hosts have a second path record, with another service level: both count`,
      );
    const missing = this.lids * fabric.hosts.length * (fabric.hosts.length - 1) - this.pairs;
    if (missing > 0) {
      this.warning(
        'missing-pair',
        wholeFile,
        `${missing} pairs of hosts have no path record: service level 0 is taken`,
      );
      this.fillMissing();
    }
    return levels;
  }

  /** The level of every pair of hosts, once the file has ended without errors; it has to be asked for. */
  levelsOfPairs(): ServiceLevels {
    const { levelOfPair, rankOf } = this;
    if (levelOfPair === null) fail('levels of pairs were not kept');
    return new ListedLevels(rankOf, this.of.fabric.hosts.length, levelOfPair);
  }

  private fillMissing(): void {
    const { hosts } = this.of.fabric;
    hosts.forEach((source, from) => {
      hosts.forEach((destination, to) => {
        for (let offset = 0; offset < this.lids; offset++) {
          const bit = (offset * hosts.length + from) * hosts.length + to;
          if (from !== to && ((this.seen[Math.floor(bit / 32)]! >>> (bit % 32)) & 1) === 0)
            this.levels.addLevel(this.switchOf(source), destination, 0, offset);
        }
      });
    });
  }

  private line(line: string, at: Position): void {
    if (line.startsWith('0x')) {
      this.row(line, at);
      return;
    }
    const field = /^\s{1,9}(slid|dlid|sl)\.{2,40}(0x[0-9a-fA-F]{1,4}|\d{1,5})\s*$/.exec(line);
    if (field !== null) {
      if (this.record !== null) this.field(field[1]!, Number(field[2]!), at);
      return;
    }
    if (line.startsWith('PathRecord dump:')) this.record = { slid: 0, dlid: 0 };
    const header = /^(Channel Adapter|Router|Switch) 0x([0-9a-fA-F]{1,16}), base LID \d{1,7}\b/.exec(line);
    if (header === null) return;
    const host = this.hostOfGuid.get(BigInt(`0x${header[2]!}`));
    this.source = host ?? -1;
    if (host === undefined && header[1] !== 'Switch') this.stranger(at);
  }

  private row(line: string, at: Position): void {
    const row = /^0x([0-9a-fA-F]{1,4})\s{0,9}:\s{0,9}(?:(\d{1,3})\b|UNREACHABLE)/.exec(line);
    if (row === null || this.source === -2) {
      this.error(
        'bad-level',
        at,
        row === null ? 'this is no line of path records' : 'a path record before the first host',
        {
          got: line.slice(0, 60),
          wanted: row === null ? '0x0004 : 2' : 'a line such as Channel Adapter 0x..., base LID 1',
        },
      );
      return;
    }
    if (row[2] === undefined) return;
    const columns = line.split(':', mostColumns).length;
    if (this.columns === 0) this.columns = columns;
    if (columns !== this.columns) {
      this.error('bad-level', at, `the line has ${columns} columns, the first one ${this.columns}`, {
        got: line.slice(0, 60),
        wanted: 'LID and service level, and in a dump of OpenSM MTU and rate',
      });
      return;
    }
    if (this.source === -1) return;
    this.pair(this.source, parseInt(row[1]!, 16), Number(row[2]), at);
  }

  private field(name: string, value: number, at: Position): void {
    const { record, nodeOfLid } = this;
    if (name !== 'sl') {
      record![name as 'slid' | 'dlid'] = value;
      return;
    }
    this.record = null;
    // the subnet manager answers with an empty record where there is no way
    if (record!.slid === 0 || record!.dlid === 0) return;
    const source = nodeOfLid[record!.slid] ?? -1;
    if (source === -1) this.stranger(at);
    else if (this.rankOf[source] !== -1) this.pair(source, record!.dlid, value, at);
  }

  private pair(source: number, lid: number, level: number, at: Position): void {
    const destination = this.nodeOfLid[lid] ?? -1;
    if (level >= mostLevels) {
      this.error('bad-level', at, 'the service level is out of range', {
        got: String(level),
        wanted: `0 to ${mostLevels - 1}`,
      });
      return;
    }
    if (destination === -1) {
      this.stranger(at);
      return;
    }
    if (this.rankOf[destination] === -1 || source === destination) return;
    const offset = lid - this.of.identity.lid[destination]!;
    const hosts = this.of.fabric.hosts.length;
    const bit = (offset * hosts + this.rankOf[source]!) * hosts + this.rankOf[destination]!;
    const word = Math.floor(bit / 32);
    const mask = 1 << (bit % 32);
    const from = this.switchOf(source);
    if ((this.seen[word]! & mask) === 0) this.pairs++;
    else if (((this.levels.levels(from, destination, offset) >>> level) & 1) === 0 && this.contradicting++ === 0)
      this.contradictingAt = at;
    this.levels.addLevel(from, destination, level, offset);
    if (this.levelOfPair !== null && offset === 0) this.levelOfPair[bit] = level;
    this.seen[word]! |= mask;
  }

  private stranger(at: Position): void {
    if (this.strangers++ === 0) this.strangerAt = at;
  }

  private switchOf(host: number): number {
    const { portNode, portPeer, portOffset } = this.of.fabric;
    return portNode[portPeer[portOffset[host]!]!]!;
  }
}

function switchesOf({ fabric: { nodeCount, hosts } }: IdentifiedFabric): Int32Array {
  const isHost = new Set(hosts);
  return Int32Array.from(Array.from({ length: nodeCount }, (_, node) => node).filter((node) => !isHost.has(node)));
}

/** How the row of a LID begins. */
function startOf(lid: number): string {
  return `0x${lid.toString(16).padStart(4, '0')} : `;
}

/** Service levels as path records: a text for every host. @throws InvariantError if a flow has no level */
export function* pathRecordTexts(
  { fabric, identity }: IdentifiedFabric,
  levels: FlowLevels | ServiceLevels,
): Generator<string> {
  const { portNode, portPeer, portOffset, hosts } = fabric;
  const byLid = Array.from(hosts).sort((a, b) => identity.lid[a]! - identity.lid[b]!);
  const lids = hostLidCount(fabric, identity);
  const starts = byLid.flatMap((host) => Array.from({ length: lids }, (_, i) => startOf(identity.lid[host]! + i)));
  for (const source of byLid) {
    const port = portOffset[source]!;
    const from = portNode[portPeer[port]!]!;
    let text =
      `Channel Adapter ${guidText(identity.portGuid[source]!)}, base LID ${identity.lid[source]}, ` +
      `"${identity.nodeName[source]}", port ${identity.portNumber[port]}\n# LID  : SL\n`;
    byLid.forEach((destination, place) => {
      if (destination === source) return;
      for (let offset = 0; offset < lids; offset++) {
        const set = 'of' in levels ? 1 << levels.of(source, destination) : levels.levels(from, destination, offset);
        text += `${starts[place * lids + offset]!}${31 - Math.clz32(set & -set)}\n`;
      }
    });
    yield `${text}\n`;
  }
}
