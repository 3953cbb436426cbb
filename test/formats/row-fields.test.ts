// One rule for all readers of rows: a row with more or fewer fields than its header, or its form, has is told, with its
// line. Every reader of src/formats that reads rows stands here.

import { describe, expect, it } from 'vitest';
import { Diagnostics, InputError } from '../../src/base/diagnostics.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TrafficReader } from '../../src/formats/traffic-matrix.js';
import { flowFileForm, noFlowFileFacts } from '../../src/formats/flow-file.js';
import { readGuid2lid, readSwitchList } from '../../src/formats/guid-files.js';
import { readHtsimTopology } from '../../src/formats/htsim-topology.js';
import { readDiagnosticTables } from '../../src/formats/ibdiagnet-db-csv.js';
import { readSequenceLosses, readTimeLosses } from '../../src/formats/loss-files.js';
import { readMicroBenchmark } from '../../src/formats/micro-benchmark.js';
import { readNcclTests } from '../../src/formats/nccl-tests.js';
import { readInterfaceCounters } from '../../src/formats/interface-counters.js';
import { readInterfaceList } from '../../src/formats/interface-ports.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { PathRecordReader } from '../../src/formats/opensm-path-records.js';
import { readLaneTables } from '../../src/formats/opensm-sl2vl.js';
import { PathColumns, readPathLine } from '../../src/formats/paths-csv-reader.js';
import { pathsCsvHeader } from '../../src/formats/paths-csv.js';
import { readPerftest } from '../../src/formats/perftest.js';
import { readPortCounters } from '../../src/formats/port-counters.js';
import { readRequests } from '../../src/formats/requests-csv.js';
import { readBusbwFile } from '../../src/formats/simai-busbw.js';
import { checkConfValues, readSimaiConf } from '../../src/formats/simai-conf.js';
import { endToEndOf, readEndToEnd, writeEndToEnd } from '../../src/formats/simai-end-to-end.js';
import { readFct } from '../../src/formats/simai-fct.js';
import { monitorFiles, readMonitorLine } from '../../src/formats/simai-monitor-reader.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { readSimaiWorkload } from '../../src/formats/simai-workload.js';
import { readSizeDistribution } from '../../src/formats/size-distribution.js';
import { readSlurmJobs } from '../../src/formats/slurm-jobs.js';
import { readSourcePorts } from '../../src/formats/source-ports.js';
import { scanTrace } from '../../src/formats/trace-source.js';
import type { RowForm } from '../../src/formats/row-form.js';
import { jobWith } from '../support/hand-made-job.js';
import { identifiedTree } from '../support/infiniband.js';

const fabric = generateFabric('dumbbell', { leftHosts: 2, rightHosts: 2 });
const tree = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2 });
const { identity } = tree;
const leaf = identity.nodeName.indexOf('leaf00');
const guid = (node: number): string => `0x${identity.portGuid[node]!.toString(16).padStart(16, '0')}`;
const lidOf = (node: number): string => `0x${identity.lid[node]!.toString(16).padStart(4, '0').toUpperCase()}`;
const nodeGuid = (node: number): string => `0x${identity.nodeGuid[node]!.toString(16).padStart(16, '0')}`;

type Read = (text: string, diagnostics: Diagnostics) => unknown;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
async function* piece(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytesOf(text));
}
const transfers =
  (form?: RowForm): Read =>
  (text, diagnostics) =>
    scanTrace(piece(text), 'f', fabric, diagnostics, undefined, undefined, form);
const flows: Read = (text, diagnostics) => transfers(flowFileForm(noFlowFileFacts()))(text, diagnostics);
const traffic: Read = (text, diagnostics) => {
  const hosts = { count: 4, rankOf: (name: string) => Number(name), noun: 'hosts' };
  const reader = new TrafficReader('f', 'f', hosts as never, diagnostics);
  reader.push(bytesOf(text));
  reader.end();
};
const pushed = (reader: { push(bytes: Uint8Array): void; end(): unknown }, text: string): void => {
  reader.push(bytesOf(text));
  reader.end();
};
const paths: Read = (text, diagnostics) => {
  const [header, ...lines] = text.split('\n');
  const columns = PathColumns.ofFirstLine('f', 1, header!, diagnostics)!;
  for (const [i, line] of lines.entries()) if (line !== '') readPathLine('f', i + 2, line, columns, diagnostics);
};
const monitor =
  (table: string): Read =>
  (text, diagnostics) => {
    const form = monitorFiles.find((file) => file.table.name === table)!;
    for (const [i, line] of text.split('\n').entries())
      if (line !== '') readMonitorLine('f', i + 1, line, form, diagnostics);
  };

const conf: Read = (text, diagnostics) => {
  for (const entry of readSimaiConf('f', text, diagnostics))
    checkConfValues('f', entry, entry.key === 'KMAX_MAP' ? 'map' : 'flag', diagnostics);
};

interface Reader {
  readonly name: string;
  readonly read: Read;
  /** good text; the last line of it that is not blank and does not begin with #, -, END or @ is the row that is changed */
  readonly text: string;
  readonly separator: string;
  /** the row with a field too few; left out: without what stands behind the last separator; null: it may be shorter */
  readonly short?: string | null;
  /** the row with a field too many; left out: with one more at its end; null: what stands behind is a remark for people */
  readonly long?: string | null;
}

const one = '1024 256 float sum -1 31.36 0.03 0.06 0 31.36 0.03 0.06 0';
const ncclHeading = '# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n';
const readers: readonly Reader[] = [
  { name: 'trace', read: transfers(), text: 'timestamp_ns,src,dst,size_bytes\n0,0,1,100\n', separator: ',' },
  { name: 'flow file, ConWeave', read: flows, text: '2\n0 1 3 100 2\n0 2 3 100 2\n', separator: ' ' },
  { name: 'flow file, HPCC', read: flows, text: '2\n0 1 3 100 1000 2\n0 2 3 100 1000 2\n', separator: ' ' },
  {
    name: 'connection matrix, htsim',
    read: flows,
    text: 'Nodes 4\nConnections 1\n0->1 id 1 start 0 size 100\n',
    separator: ' ',
  },
  { name: 'traffic, CSV', read: traffic, text: 'source,destination,bytes\n0,1,100\n', separator: ',' },
  { name: 'traffic, CSV by phase', read: traffic, text: 'source,destination,bytes,phase\n0,1,100,a\n', separator: ',' },
  {
    name: 'traffic, MatrixMarket',
    read: traffic,
    text: '%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 100\n',
    separator: ' ',
  },
  {
    name: 'fct.txt',
    read: (text, diagnostics) => readFct('f', text, diagnostics),
    text: '0b000101 0b000901 10000 100 1000 0 849712 850591\n',
    separator: ' ',
  },
  { name: 'paths.csv', read: paths, text: `${pathsCsvHeader}1,0b000101,0b000901,10000,100,1,18:10\n`, separator: ',' },
  { name: 'qlen.txt', read: monitor('queues'), text: '1000, 9, 1, 3, 100, 200\n', separator: ', ' },
  { name: 'bw.txt', read: monitor('bandwidth'), text: '1000, 9, 1, 0.5\n', separator: ', ' },
  { name: 'rate.txt', read: monitor('rates'), text: '1000, 0, 1, 2, 3, 4, 5\n', separator: ', ' },
  { name: 'cnp.txt', read: monitor('notifications'), text: '1000, 0, 1, 2, 3, 4, 5\n', separator: ', ' },
  { name: 'pfc.txt', read: monitor('pfc_events'), text: '1000 9 1 2 1\n', separator: ' ' },
  {
    name: 'requests',
    read: (text, diagnostics) => readRequests(text, 'f', diagnostics),
    text: 'arrival_ns,prompt_tokens,output_tokens\n0,10,10\n',
    separator: ',',
  },
  {
    name: 'source ports',
    read: (text, diagnostics) => readSourcePorts(text, 'f', fabric, diagnostics),
    text: 'source,destination,source_port\n0,1,100\n0,2,100\n',
    separator: ',',
  },
  {
    name: 'source ports with paths',
    read: (text, diagnostics) => readSourcePorts(text, 'f', fabric, diagnostics),
    text: 'source,destination,source_port,path\n0,1,100,0-4-1\n0,2,100,0-4-5-2\n',
    separator: ',',
  },
  {
    name: 'sizes',
    read: (text, diagnostics) => readSizeDistribution(text, 'f', diagnostics),
    text: '100 0\n1000 100\n',
    separator: ' ',
  },
  {
    name: 'losses by sequence',
    read: (text, diagnostics) => readSequenceLosses(text, 'f', diagnostics),
    text: 'switch, source, flow, ranges\n4, 0, 0, [1-2]\n',
    separator: ', ',
  },
  {
    name: 'losses by time',
    read: (text, diagnostics) => readTimeLosses(text, 'f', diagnostics),
    text: 'switch, source, flow, time, count\n4, 0, 0, 1000, 2\n',
    separator: ', ',
  },
  {
    name: 'nccl-tests',
    read: (text, diagnostics) => readNcclTests(text, 'f', diagnostics),
    text: `${ncclHeading}${one}\n`,
    separator: ' ',
    short: null,
  },
  {
    name: 'perftest',
    read: (text, diagnostics) => readPerftest(text, 'f', diagnostics),
    text: '#bytes #iterations t_avg[usec]\n 2 1000 1.2\n',
    separator: ' ',
  },
  {
    name: 'micro-benchmark',
    read: (text, diagnostics) =>
      readMicroBenchmark(text, 'f', { tensor: 2, expert: null, data: null, gpus: 4 } as never, diagnostics),
    text: '1 ALLREDUCE 1048576 TP\n',
    separator: ' ',
  },
  {
    name: "SimAI's workload",
    read: (text, diagnostics) => readSimaiWorkload(text, 'f', diagnostics),
    text: 'MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n',
    separator: ' ',
  },
  {
    name: "SimAI's end-to-end file",
    read: (text, diagnostics) => readEndToEnd('f', text, diagnostics),
    text: writeEndToEnd(endToEndOf(jobWith())),
    separator: ',',
  },
  {
    name: 'topology, SimAI',
    read: (text, diagnostics) => readTopology(text, 'f', diagnostics),
    text: '3 1 0 1 2 H100\n2\n0 2 100Gbps 500ns 0\n1 2 100Gbps 500ns 0\n',
    separator: ' ',
  },
  {
    name: 'topology, htsim',
    read: (text, diagnostics) => readHtsimTopology(text, 'f', diagnostics),
    text: 'Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 500\nRadix_Down 4\nRadix_Up 4\nTier 1\nRadix_Down 4\nDownlink_Latency_ns 500\nDownlink_speed_Gbps 100\n',
    separator: ' ',
  },
  {
    name: 'busbw file',
    read: (text, diagnostics) => readBusbwFile(text, 'f', diagnostics),
    text: 'test\nTP:\n  allreduce,: 300\n',
    separator: ' ',
  },
  {
    name: 'conf',
    read: conf,
    text: 'KMAX_MAP 1 25000000000 400\nENABLE_QCN 1\n',
    separator: ' ',
  },
  {
    name: 'Slurm, sacct -P',
    read: (text, diagnostics) => readSlurmJobs(text, 'f', diagnostics),
    text: 'JobID|State|NodeList\n1|RUNNING|a1\n2|RUNNING|a2\n',
    separator: '|',
  },
  {
    name: 'Slurm, squeue',
    read: (text, diagnostics) => readSlurmJobs(text, 'f', diagnostics),
    text: 'JOBID ST NODELIST\n1 R a1\n2 R a2\n',
    separator: ' ',
  },
  {
    name: 'guid2lid',
    read: (text, diagnostics) => readGuid2lid(text, 'f', tree, diagnostics),
    text: `${guid(0)} 0x0001 0x0001\n`,
    separator: ' ',
  },
  {
    name: 'list of switches',
    read: (text, diagnostics) => readSwitchList(text, 'f', identity, () => true, diagnostics),
    text: `${nodeGuid(leaf)}\n`,
    separator: ' ',
    long: null,
  },
  {
    name: 'forwarding tables',
    read: (text, diagnostics) => pushed(new LftReader(tree, 'f', diagnostics), text),
    text: `Unicast lids [0x1-0x9] of switch Lid ${identity.lid[leaf]} guid ${nodeGuid(leaf)} (leaf00):\n  Lid  Out   Destination\n       Port     Info\n${lidOf(0)} 001 : (Channel Adapter portguid ${guid(0)}: 'node000')\n`,
    separator: ' ',
    short: lidOf(0),
    long: `${lidOf(0)} 001 77 : (Channel Adapter portguid ${guid(0)}: 'node000')`,
  },
  {
    name: 'path records',
    read: (text, diagnostics) => pushed(new PathRecordReader(tree, 'f', diagnostics), text),
    text: `Channel Adapter ${guid(0)}, base LID ${identity.lid[0]}, "node000 HCA-1", port 1\n${lidOf(1)} : 0  : 4   : 3\n${lidOf(2)} : 0  : 4   : 3\n`,
    separator: ' : ',
  },
  {
    name: 'lanes',
    read: (text, diagnostics) => readLaneTables(text, 'f', tree, diagnostics),
    text: `Switch ${guid(leaf)}, base LID ${identity.lid[leaf]}, "leaf00"\n1   1   : 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3\n`,
    separator: ' ',
  },
  {
    name: 'port counters',
    read: (text, diagnostics) => readPortCounters(text, 'f', tree, diagnostics),
    text: `# Port counters: Lid ${identity.lid[leaf]} port 2 (CapMask: 0x1300)\nPortXmitWait:....................17\n`,
    separator: ' ',
    short: 'PortXmitWait:....................',
  },
  {
    name: 'interface counters',
    read: (text, diagnostics) => readInterfaceCounters([{ text, name: 'f' }], tree, diagnostics),
    text: 'time,host,interface,tx_bytes\n1,leaf00,swp2,5\n2,leaf00,swp2,7\n',
    separator: ',',
    short: '2,leaf00,swp2',
  },
  {
    name: 'a list of interfaces',
    read: (text, diagnostics) => readInterfaceList(text, 'f', tree, diagnostics),
    text: 'device,interface,node,port\ntor,xe-0/0/0,leaf00,1\n',
    separator: ',',
    short: 'tor,xe-0/0/0,leaf00',
  },
];

function dbCsv(change: (table: string, row: string) => string): string {
  const tables: Readonly<Record<string, readonly [string, string]>> = {
    NODES: ['NodeDesc,NumPorts,NodeType,NodeGUID', '"a, b",1,1,0x1'],
    PORTS: ['NodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,LMC', '0x1,0x1,1,1,2,512,0'],
    LINKS: ['NodeGuid1,PortNum1,NodeGuid2,PortNum2', '0x1,1,0x1,1'],
  };
  return Object.entries(tables)
    .map(([name, [header, row]]) => `START_${name}\n${header}\n${change(name, row)}\nEND_${name}\n`)
    .join('');
}

async function toldBy(read: Read, text: string): Promise<readonly { line: number; code: string; severity: string }[]> {
  const diagnostics = new Diagnostics();
  try {
    await read(text, diagnostics);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.diagnostics;
  }
  return diagnostics.list;
}

/** The line of the last row, from 0. */
function rowOf(lines: readonly string[]): number {
  let row = lines.length - 1;
  while (lines[row] === '' || lines[row]!.startsWith('#')) row--;
  return row;
}

describe.each(readers)('$name', ({ read, text, separator, short, long }) => {
  const lines = text.split('\n');
  const row = rowOf(lines);
  const changed = (change: (line: string) => string): string =>
    lines.map((line, i) => (i === row ? change(line) : line)).join('\n');

  it('is read as it is', async () => {
    // tables of one switch of three are said to be of one alone
    expect((await toldBy(read, text)).filter(({ line }) => line > 0)).toEqual([]);
  });

  it.skipIf(long === null)('tells of a field too many', async () => {
    const told = await toldBy(
      read,
      changed((line) => long ?? `${line}${separator}77`),
    );
    expect(told.map(({ line }) => line)).toContain(row + 1);
  });

  it.skipIf(short === null)('tells of a field too few', async () => {
    const cut = changed(
      (line) => short ?? line.slice(0, Math.max(0, line.trimEnd().lastIndexOf(separator.trim() || ' '))),
    );
    const told = await toldBy(read, cut);
    expect(told.length).toBeGreaterThan(0);
    expect(told.some(({ line, severity }) => line === row + 1 || (severity === 'error' && line === 0))).toBe(true);
  });
});

describe('.db_csv', () => {
  it.each(['NODES', 'PORTS', 'LINKS'])('tells of rows of %s with another number of fields', async (table) => {
    for (const change of [(row: string) => `${row},77`, (row: string) => row.slice(0, row.lastIndexOf(','))]) {
      const text = dbCsv((name, row) => (name === table ? change(row) : row));
      const line = text.split('\n').indexOf(`START_${table}`) + 3;
      const told = await toldBy((given, diagnostics) => readDiagnosticTables(given, 'f', diagnostics), text);
      expect(told).toContainEqual(expect.objectContaining({ code: 'wrong-fields', severity: 'error', line }));
    }
  });
});
