// ibdiagnet2.db_csv, tables between START_ and END_ -> Fabric and identity. Read are NODES, PORTS and LINKS:
//   START_NODES / NodeDesc,NumPorts,NodeType,…,NodeGUID,…        type 1: adapter, 2: switch, 3: router
//   START_PORTS / NodeGuid,PortGuid,PortNum,…,LID,…,LinkWidthActv,…,LinkSpeedActv,LMC,…
//   START_LINKS / NodeGuid1,PortNum1,NodeGuid2,PortNum2
// Widths and speeds are the numbers of PortInfo (InfiniBand Architecture Specification, volume 1, 14.2.5.6), extended
// speeds 256 times theirs, FDR10 65,536. Columns go by their names, whatever their order.
// Invariant: every mistake has its line. Not kept: all other tables.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { guidText } from '../fabric/identity.js';
import { linkRateBps } from './ibnetdiscover-lines.js';
import { SubnetLinks, type SubnetEnd, type SubnetNode } from './subnet-links.js';
import type { IdentifiedFabric } from './subnet-records.js';
import { eachLine } from './lines.js';

/** A line that such a file has, at the start of one. */
export const tablesBegin = /^START_(?:NODES|PORTS|LINKS)[ \t\r]*$/m;

const columnsOf = {
  NODES: ['NodeDesc', 'NumPorts', 'NodeType', 'NodeGUID'],
  PORTS: ['NodeGuid', 'PortGuid', 'PortNum', 'LID', 'LinkWidthActv', 'LinkSpeedActv', 'LMC'],
  LINKS: ['NodeGuid1', 'PortNum1', 'NodeGuid2', 'PortNum2'],
} as const;
type TableName = keyof typeof columnsOf;

const widthNames: Readonly<Record<number, string>> = { 1: '1x', 2: '4x', 4: '8x', 8: '12x', 16: '2x' };
const speedNames: Readonly<Record<number, string>> = {
  1: 'SDR',
  2: 'DDR',
  4: 'QDR',
  256: 'FDR',
  512: 'EDR',
  1024: 'HDR',
  2048: 'NDR',
  4096: 'XDR',
  65_536: 'FDR10',
};
const kinds: Readonly<Record<number, string>> = { 1: 'CA', 2: 'SW', 3: 'RT' };

interface PortRow {
  readonly guid: bigint;
  readonly lid: number;
  readonly lmc: number;
  /** null if width or speed are not known */
  readonly rateBps: number | null;
  readonly rateText: string;
}

/** Reads the tables of ibdiagnet. @returns null if the file has errors */
export function readDiagnosticTables(text: string, file: string, diagnostics: Diagnostics): IdentifiedFabric | null {
  return new TablesReader(file, diagnostics).read(text);
}

class TablesReader extends FileProblems {
  private readonly nodes = new Map<string, SubnetNode>();
  private readonly ports = new Map<string, PortRow>();
  private readonly links: { readonly fields: readonly string[]; readonly at: Position }[] = [];
  private readonly seen = new Set<TableName>();
  private table: TableName | null = null;
  /** of the table: places of the columns that are read; null before its header */
  private places: number[] | null = null;
  private columns = 0;

  read(text: string): IdentifiedFabric | null {
    eachLine(text, this, (content, at) => {
      this.line(content, at);
    });
    if (this.table !== null)
      this.refuse('truncated', wholeFile, `the table ${this.table} has no end`, '', `END_${this.table}`);
    for (const name of Object.keys(columnsOf) as TableName[])
      if (!this.seen.has(name))
        this.refuse('missing-table', wholeFile, `the table ${name} is missing`, '', `START_${name}`);
    const links = new SubnetLinks(this.file, this.diagnostics);
    for (const { fields, at } of this.links) this.link(links, fields, at);
    return this.failed ? null : links.build();
  }

  private line(content: string, at: Position): void {
    const mark = /^(START|END)_([A-Z0-9_]{1,60})$/.exec(content);
    if (mark !== null) {
      const name = mark[2]! as TableName;
      const starts = mark[1] === 'START' && Object.hasOwn(columnsOf, name);
      this.table = starts ? name : null;
      this.places = null;
      if (starts) this.seen.add(name);
      return;
    }
    if (this.table === null) return;
    const fields = fieldsOf(content);
    if (this.places === null) {
      const places = columnsOf[this.table].map((column) => fields.indexOf(column));
      const missing = columnsOf[this.table].filter((_, i) => places[i] === -1);
      if (missing.length > 0)
        this.refuse(
          'wrong-header',
          at,
          `the table ${this.table} has not the usual columns`,
          content,
          missing.join(','),
        );
      this.places = places;
      this.columns = fields.length;
      return;
    }
    if (fields.length !== this.columns) {
      this.refuse(
        'wrong-fields',
        at,
        `the row has ${fields.length} fields, the header of ${this.table} ${this.columns}`,
        content,
        `${this.columns} fields; one that holds commas stands in quotes`,
      );
      return;
    }
    const own = this.places.map((place) => fields[place] ?? '');
    if (this.table === 'NODES') this.node(own, at);
    else if (this.table === 'PORTS') this.port(own, at);
    else this.links.push({ fields: own, at });
  }

  private node([description, ports, type, guid]: string[], at: Position): void {
    const number = numberOf(guid!);
    const kind = kinds[Number(type)];
    if (number === null || kind === undefined || !/^\d{1,5}$/.test(ports!)) {
      this.refuse(
        'bad-node',
        at,
        'the node has not the usual form',
        `${ports},${type},${guid}`,
        'ports, 1 to 3, a GUID',
      );
      return;
    }
    this.nodes.set(guidText(number), {
      kind,
      guid: number,
      description: description!.trim(),
      radix: Number(ports),
      lid: 0,
    });
  }

  private port([nodeGuid, portGuid, port, lid, width, speed, lmc]: string[], at: Position): void {
    const [node, own, lidNumber] = [numberOf(nodeGuid!), numberOf(portGuid!), numberOf(lid!)];
    if (node === null || own === null || lidNumber === null || !/^\d{1,5}$/.test(port!)) {
      this.refuse(
        'bad-port',
        at,
        'the port has not the usual form',
        `${nodeGuid},${portGuid},${port},${lid}`,
        'GUIDs, a port, a LID',
      );
      return;
    }
    const rateText = `${widthNames[Number(width)] ?? '?'}${speedNames[Number(speed)] ?? '?'}`;
    this.ports.set(`${guidText(node)} ${port}`, {
      guid: own,
      lid: Number(lidNumber),
      lmc: Number(numberOf(lmc!) ?? 0),
      rateBps: linkRateBps(rateText),
      rateText: `LinkWidthActv ${width}, LinkSpeedActv ${speed}`,
    });
  }

  private link(
    links: SubnetLinks,
    [firstGuid, firstPort, secondGuid, secondPort]: readonly string[],
    at: Position,
  ): void {
    const first = this.end(firstGuid!, firstPort!, at);
    const second = this.end(secondGuid!, secondPort!, at);
    if (first === null || second === null) return;
    const rates = [first, second].map(({ row }) => row.rateBps);
    const unknown = [first, second].find(({ row }) => row.rateBps === null);
    if (unknown !== undefined)
      this.refuse(
        'bad-rate',
        at,
        'the width and speed of the link are not known',
        unknown.row.rateText,
        'such as 2 and 512 for 4xEDR',
      );
    else links.add(first.end, second.end, Math.min(...rates.map((rate) => rate!)), at);
  }

  private end(guid: string, port: string, at: Position): { readonly end: SubnetEnd; readonly row: PortRow } | null {
    const number = numberOf(guid);
    const name = number === null ? guid : guidText(number);
    const node = this.nodes.get(name);
    const row = this.ports.get(`${name} ${port}`);
    if (node === undefined || row === undefined || !/^\d{1,5}$/.test(port)) {
      this.refuse(
        'unknown-node',
        at,
        `the link ends at a ${node === undefined ? 'node' : 'port'} that is not in the file`,
        `${guid},${port}`,
        'a row of NODES and of PORTS for each end',
      );
      return null;
    }
    const isSwitch = node.kind === 'SW';
    const { lid, lmc, guid: portGuid } = this.ports.get(`${name} 0`) ?? row;
    return {
      row,
      end: {
        node: isSwitch ? { ...node, lid, lmc, portGuid } : node,
        port: Number(port),
        portGuid: isSwitch ? null : row.guid,
        portLid: isSwitch ? 0 : row.lid,
        portLmc: isSwitch ? 0 : row.lmc,
      },
    };
  }

  private refuse(code: string, at: Position, message: string, got: string, wanted: string): void {
    this.error(code, at, message, { ...(got === '' ? {} : { got }), wanted });
  }
}

/** Fields of a row; those in quotes may hold commas. */
function fieldsOf(row: string): string[] {
  const fields: string[] = [];
  let at = 0;
  while (at <= row.length) {
    const quoted = row[at] === '"' ? row.indexOf('"', at + 1) : -1;
    const comma = row.indexOf(',', quoted === -1 ? at : quoted);
    const stop = comma === -1 ? row.length : comma;
    fields.push(quoted === -1 ? row.slice(at, stop).trim() : row.slice(at + 1, quoted));
    at = stop + 1;
  }
  return fields;
}

/** A number, hexadecimal with 0x; null if it is none. */
function numberOf(text: string): bigint | null {
  return /^(?:0x[0-9a-fA-F]{1,16}|\d{1,19})$/.test(text) ? BigInt(text) : null;
}
