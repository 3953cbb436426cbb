// The readers and writers of the library: what is written reads back as it was, warnings are given, and mistakes are
// thrown with their lines.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/library/index.js';
import {
  fctLine,
  InputError,
  readFct,
  readForwardingTables,
  readIbnetdiscover,
  readPortCounters,
  readRequests,
  readTopology,
  readTrace,
  readTraffic,
  readWorkload,
  unwritable,
  writeForwardingTables,
  writeIbnetdiscover,
  writeTopology,
  writeTrace,
  writeTraffic,
  writeWorkload,
} from '../../src/library/formats.js';
import { computeRoutes } from '../../src/library/routes.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { k: 4 });
const fabric = generateFabric('spectrum-x', { gpus: 16 });

function sortedLines(text: string): string[] {
  return text.split('\n').sort();
}

describe('what is written reads back', () => {
  it('a topology', () => {
    const text = writeTopology(fabric);
    const { value, warnings } = readTopology(text);
    expect(writeTopology(value)).toBe(text);
    expect(value.hosts).toEqual(fabric.hosts);
    expect(warnings).toEqual([]);
  });

  it('an InfiniBand fabric and its tables', async () => {
    const text = writeIbnetdiscover(tree);
    const { value } = readIbnetdiscover(text);
    // switches may stand in another order
    expect(sortedLines(writeIbnetdiscover(value))).toEqual(sortedLines(text));
    const { made, source } = await computeRoutes({ fabric: { text }, algorithm: 'ftree' });
    const tables = readForwardingTables(writeForwardingTables(source, made.tables), source);
    expect(tables.value.entries).toEqual(made.tables[0]!.entries);
  });

  it('a trace', () => {
    const rows = [
      { startPs: 0, source: 0, destination: 1, sizeBytes: 1 },
      { startPs: 1_234_567, source: 15, destination: 0, sizeBytes: 2 ** 38 },
    ];
    expect(writeTrace(rows)).toBe('timestamp_ns,src,dst,size_bytes\n0,0,1,1\n1234.567,15,0,274877906944\n');
    expect(readTrace(writeTrace(rows), fabric).value).toEqual(rows);
  });

  it('traffic, by ranks and by names', () => {
    const text = 'source,destination,bytes\n1,0,7\n0,3,5\n';
    const { value } = readTraffic(text, 4);
    expect(writeTraffic(readTraffic(writeTraffic(value), 4).value)).toBe(writeTraffic(value));
    expect(value.phases[0]!.matrix.pairCount).toBe(2);
    const named = readTraffic('source,destination,bytes\nb,a,7\na,d,5\n', 4, ['a', 'b', 'c', 'd']).value;
    expect(writeTraffic(named)).toBe(writeTraffic(value));
  });

  it('a workload', () => {
    const text = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
1
layer -1 1000 ALLREDUCE 4096 500 NONE 0 100 ALLREDUCE 8192 100
`;
    const { value } = readWorkload(text);
    expect(unwritable(value)).toBeNull();
    expect(readWorkload(writeWorkload(value)).value).toEqual(value);
  });

  it('a line of completion times', () => {
    const row = {
      sourceAddress: 0x0b000001,
      destinationAddress: 0x0b000101,
      sourcePort: 10000,
      destinationPort: 100,
      sizeBytes: 1000,
      startNs: 2000,
      completionNs: 3000,
      standaloneNs: 2500,
    };
    expect(readFct(fctLine(row)).value).toEqual([row]);
  });
});

describe('what is only read', () => {
  it('requests and counters', () => {
    expect(readRequests('arrival_ns,prompt_tokens,output_tokens\n5,10,20\n').value.arrivalPs).toEqual(
      Float64Array.of(5000),
    );
    const guid = tree.identity.nodeGuid[tree.fabric.hosts.length]!;
    const counters = `# Port extended counters: Lid 1 port 1 (CapMask: 0x5A00)\nPortSelect:......................1\nPortXmitData:....................100\n`;
    expect(guid).toBeGreaterThan(0n);
    const { value } = readPortCounters(counters.replace('Lid 1', `Lid ${lidOfSwitch()}`), tree);
    // in words of four bytes (InfiniBand Architecture Specification, volume 1, PortCounters)
    expect([...value.transmitBytes].filter((bytes) => !Number.isNaN(bytes))).toEqual([400]);
  });
});

/** The LID of a switch, whose port 1 has a link. */
function lidOfSwitch(): number {
  const { fabric: small, identity } = tree;
  const node = identity.lid.findIndex((_, index) => !small.hosts.includes(index));
  return identity.lid[node]!;
}

describe('a mistake', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['of a topology', () => readTopology('4 1 0\n', 'a.topo'), /^a\.topo/],
    ['of ibnetdiscover', () => readIbnetdiscover('Switch 4 nonsense\n', 'net'), /^net/],
    ['of tables', () => readForwardingTables('0x0001 001\n', tree, 'lfts'), /^lfts:1:1: error/],
    ['of a trace', () => readTrace('0,0,1,-5\n', fabric, 't.csv'), /^t\.csv:1:7: error/],
    ['of traffic', () => readTraffic('source,destination,bytes\n0,9,1\n', 4, [], 'm.csv'), /^m\.csv:2:/],
    ['of a workload', () => readWorkload('HYBRID\n', {}, 'w.txt'), /^w\.txt/],
    ['of completion times', () => readFct('1 2 3\n', 'fct'), /^fct:1:/],
    ['of requests', () => readRequests('1,2\n', 'r.csv'), /^r\.csv:1:/],
  ])('%s is thrown with its place', (_, wrong, message) => {
    expect(wrong).toThrow(InputError);
    expect(wrong).toThrow(message);
  });
});
