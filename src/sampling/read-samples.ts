// The samples of a stored run as they are read: rows of link_samples in columns, their links as ports of a fabric; and
// estimates of chosen rows added up by link.
// Invariant: every row names a port of the fabric, of a node of the kind that the row says; samples of another fabric are
// refused. Memory: some 130 bytes a row.

import { InputError } from '../base/diagnostics.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { type RunTables, requireTable, type TablePiece, type TableSource } from '../records/run-tables.js';
import { estimateSums } from './estimate-sums.js';
import { linkSampleTable } from './sample-records.js';

const numberColumns = [
  'timePs',
  'windowPs',
  'job',
  'phase',
  'tag',
  'sourceRank',
  'destinationRank',
  'classRanks',
  'testedPackets',
  'samples',
  'traffic',
  'trafficError',
  'congested',
  'congestedError',
  'noise',
] as const;
const wordColumns = ['collective', 'group'] as const;
const columns = linkSampleTable.columns.map(({ name }) => name);

const mostRows = 20e6;
const kindNames: Readonly<Record<number, string>> = {
  [NodeKind.host]: 'host',
  [NodeKind.switch]: 'switch',
  [NodeKind.nvswitch]: 'nvswitch',
};

/** Rows of `link_samples`, in the order of the file: columns as its schema says, and the port that sends on the link. */
export type LinkSamples = { readonly rows: number; readonly port: Int32Array } & Readonly<
  Record<(typeof numberColumns)[number], Float64Array> & Record<(typeof wordColumns)[number], readonly string[]>
>;

/** Estimates by port, in packets. */
interface EstimatesByPort {
  readonly traffic: Float64Array;
  /** its standard error */
  readonly trafficError: Float64Array;
  readonly congested: Float64Array;
  readonly congestedError: Float64Array;
  /** traffic below it may be chance */
  readonly noise: Float64Array;
}

/**
 * Reads the samples of a run.
 * @param fabric the run's own
 * @throws InputError if the run has none, was written by a Weft that did not attribute them, or is of another fabric;
 * HostFileError
 */
export async function readLinkSamples(run: RunTables, fabric: Fabric): Promise<LinkSamples> {
  const { name } = linkSampleTable;
  const again = 'run the scenario with --set sampling.variant=standard --out DIR';
  const table = requireTable(run, name, again);
  const has = new Set(table.schema.columns.map((column) => column.name));
  const missing = columns.filter((column) => !has.has(column));
  if (missing.length > 0)
    throw InputError.about('samples-columns', table.file, `these samples have no ${missing.join(', ')}`, {
      got: [...has].join(', '),
      wanted: columns.join(', '),
      hint: `an earlier Weft wrote them: ${again}`,
    });
  const pieces: TablePiece[] = [];
  const ports: Int32Array[] = [];
  let rows = 0;
  for await (const piece of table.pieces(columns)) {
    ports.push(portsOf(table, piece, rows, fabric));
    pieces.push(piece);
    rows += piece.rows;
    if (rows > mostRows)
      throw InputError.about('too-many-rows', table.file, `this table has more than ${mostRows} rows`, {
        hint: 'a longer sampling.window, or fewer sampling.rankClasses, makes fewer',
      });
  }
  return {
    rows,
    port: joined(ports, new Int32Array(rows)),
    ...(Object.fromEntries([
      ...numberColumns.map((column) => [
        column,
        joined(
          pieces.map((piece) => piece.numbers(column)),
          new Float64Array(rows),
        ),
      ]),
      ...wordColumns.map((column) => [column, pieces.flatMap((piece) => piece.words(column))]),
    ]) as Omit<LinkSamples, 'rows' | 'port'>),
  };
}

/**
 * Adds rows up by port: estimates, and the squares of errors and noise.
 * @param keep which rows; left out: all
 */
export function estimatesByPort(
  samples: LinkSamples,
  { portCount }: Fabric,
  keep: (row: number) => boolean = () => true,
): EstimatesByPort {
  const columns = ['traffic', 'trafficError', 'congested', 'congestedError', 'noise'] as const;
  return estimateSums(columns, portCount, [{ ...samples, key: samples.port }], (_, row) => keep(row));
}

/** The ports that rows name. @param before rows of the table before them */
function portsOf(table: TableSource, piece: TablePiece, before: number, fabric: Fabric): Int32Array {
  const { nodeCount, nodeKind, portOffset } = fabric;
  const nodes = piece.numbers('node');
  const interfaces = piece.numbers('interface');
  const kinds = piece.words('nodeKind');
  return Int32Array.from({ length: piece.rows }, (_, row) => {
    const node = nodes[row]!;
    const isNode = node >= 0 && node < nodeCount;
    const links = isNode ? portOffset[node + 1]! - portOffset[node]! : 0;
    const index = interfaces[row]!;
    if (isNode && kindNames[nodeKind[node]!] === kinds[row] && index >= 1 && index <= links)
      return portOffset[node]! + index - 1;
    throw InputError.about('samples-fabric', table.file, 'these samples are of another fabric', {
      got: `row ${before + row + 1}: node ${node}, a ${kinds[row]!}, interface ${index}`,
      wanted: isNode
        ? `node ${node} is a ${kindNames[nodeKind[node]!]!} with interfaces 1 to ${links}`
        : `nodes 0 to ${nodeCount - 1}`,
      hint: 'give the folder as the run wrote it: its fabric.topo and link_samples.parquet belong together',
    });
  });
}

function joined<T extends Float64Array | Int32Array>(parts: readonly T[], into: T): T {
  let at = 0;
  for (const part of parts) {
    into.set(part, at);
    at += part.length;
  }
  return into;
}
