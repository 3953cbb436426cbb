// Counters of ports: texts as perfquery and ibqueryerrors print them, units by hand (a word is 4 bytes), mistakes with
// their places.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { opensmOptions, pathProblem, slToVl } from '../../src/formats/opensm-options.js';
import { readPortCounters } from '../../src/formats/port-counters.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2 });
const leaf = tree.identity.nodeName.indexOf('leaf00');
const first = tree.fabric.portOffset[leaf]!;
const lid = tree.identity.lid[leaf]!;
const wide = `# Port extended counters: Lid ${lid} port 2 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortSelect:......................2\nCounterSelect:...................0x0000\nPortXmitData:....................5000000000\nPortRcvData:.....................3\n`;
const narrow = `# Port counters: Lid ${lid} port 2 (CapMask: 0x1300)\nSymbolErrorCounter:..............5\nPortXmitDiscards:................2\nPortXmitData:....................4294967295\nPortXmitWait:....................17\n`;
const errorsLine = `Errors for ${lid} "leaf00"\n   GUID 0x2c90000010000 port ALL: [SymbolErrorCounter == 9]\n   GUID 0x2c90000010000 port 1: [SymbolErrorCounter == 9] [PortXmitData == 1224 (4.781KB)]\n`;

function read(text: string): { counters: ReturnType<typeof readPortCounters>; said: string[] } {
  const diagnostics = new Diagnostics();
  const counters = readPortCounters(text, 'f', tree, diagnostics);
  return { counters, said: diagnostics.list.map(({ code, line }) => `${code} ${line}`) };
}

it.each([
  ['before', wide + narrow],
  ['after', narrow + wide],
])('the 64-bit counters count, %s the 32-bit ones', (_, text) => {
  const { counters } = read(text);
  expect([
    counters.transmitBytes[first + 1],
    counters.receiveBytes[first + 1],
    counters.transmitWaitTicks[first + 1],
    counters.errors[first + 1],
    counters.portsRead,
  ]).toEqual([20e9, 12, 17, 7, 1]);
  expect(counters.transmitBytes[first]).toBeNaN();
});

it('a reading of the same port replaces the former', () => {
  expect(read(narrow + narrow.replace(':..............5', ':..............6')).counters.errors[first + 1]).toBe(8);
});

it('ibqueryerrors: by GUID; sums over ports are left out', () => {
  const { counters, said } = read(errorsLine);
  expect([counters.transmitBytes[first], counters.errors[first], counters.portsRead, said]).toEqual([4896, 9, 1, []]);
});

const details = `# PortRcvErrorDetails counters: Lid ${lid} port 2\nPortSelect:......................2\nCounterSelect:...................0x0000\nPortLocalPhysicalErrors:.........1000\nPortMalformedPktErrors:..........1000\n`;
const listedDetails = `Errors for "node000 HCA-1"
   GUID 0x2c90000010000 port 2: [PortRcvErrors == 3] [PortLocalPhysicalErrors == 3] [PortXmitWait == 17]
       Link info:      1   1[  ] ==( 4X          25.78125 Gbps Active/  LinkUp)==>  0x0002c90000010000      2    1[  ] "leaf00" ( )

## Summary: 12 nodes checked, 1 bad nodes found
##          40 ports checked, 1 ports have errors beyond threshold
## Thresholds:
## Suppressed:
`;
const dataCounters = errorsLine.replace('Errors for', 'Data Counters for').replace(`for ${lid}`, 'for 0x2c90000010000');

it.each<[string, string[], number]>([
  ['perfquery, then ibqueryerrors', [narrow, errorsLine.replace(`for ${lid}`, 'for 0x2c90000010000')], 7],
  ['perfquery, then ibqueryerrors --data', [narrow, dataCounters], 7],
  ['ibqueryerrors, then perfquery -x and perfquery', [errorsLine, wide, narrow], 7],
  ['perfquery with its details', [narrow, details, wide, details], 7],
  ['details alone before the counters', [details, narrow], 7],
  ['perfquery, then ibqueryerrors --details --report-port, the later reading', [narrow, details, listedDetails], 3],
  ['all of it twice', [wide, narrow, details, listedDetails, wide, narrow, details, listedDetails], 3],
])('in one file: %s', (_, texts, errors) => {
  const { counters, said } = read(texts.join(''));
  expect([counters.errors[first + 1], counters.transmitWaitTicks[first + 1]]).toEqual([errors, 17]);
  expect(said.filter((own) => !own.startsWith('saturated-counter'))).toEqual([]);
});

it('ibqueryerrors --data lists 64-bit counters beside the errors, without those of unicast packets; they go before 32-bit ones', () => {
  const listed = errorsLine.replace('== 1224 (4.781KB)', '== 987654330588 (3.593TB)').replace('port 1', 'port 2');
  for (const text of [narrow + listed, listed + narrow])
    expect(read(text).counters.transmitBytes[first + 1]).toBe(4 * 987_654_330_588);
});

it('newer switches have errors and waits among the 64-bit counters: they count once', () => {
  const newer = `${wide}SymbolErrorCounter:..............70000\nPortXmitWait:....................5000000000\n`;
  for (const text of [newer + narrow, narrow + newer]) {
    const { counters, said } = read(text);
    expect([counters.errors[first + 1], counters.transmitWaitTicks[first + 1], said]).toEqual([70000, 5e9, []]);
  }
});

it.each([
  ['SymbolErrorCounter', 65535, 8],
  ['LinkDownedCounter', 255, 8],
  ['LocalLinkIntegrityErrors', 15, 8],
  ['PortXmitWait', 4294967295, 4],
  ['PortRcvData', 4294967295, 2],
])('%s stops at %d', (name, largest, mark) => {
  const at = (value: number): number =>
    read(`# Port counters: Lid ${lid} port 2 (CapMask: 0x1300)\n${name}:......${value}\n`).counters.saturated[
      first + 1
    ]!;
  expect([at(largest - 1), at(largest)]).toEqual([0, mark]);
  // read again after a reset
  expect(
    read(
      `# Port counters: Lid ${lid} port 2 (\n${name}:......${largest}\n# Port counters: Lid ${lid} port 2 (\n${name}:......3\n`,
    ).said,
  ).toEqual([]);
});

/** Counters of port 2 of the leaf. */
function ofPort({ counters }: ReturnType<typeof readPortCounters>): Record<string, number> {
  return Object.fromEntries([...counters].map(([name, column]) => [name, column[first + 1]!]));
}

it.each([
  ['PortXmitData', 1],
  ['PortRcvData', 2],
  ['PortXmitWait', 4],
  ['SymbolErrorCounter', 8],
])('%s of 64 bits stops at 2^64 - 1, and not at all before', (name, mark) => {
  const at = (value: string): { saturated: number; said: string[] } => {
    const { counters, said } = read(
      `# Port extended counters: Lid ${lid} port 2 (CapMask: 0x5200)\n${name}:......${value}\n`,
    );
    return { saturated: counters.saturated[first + 1]!, said };
  };
  for (const value of ['65535', '4294967295', '9223372036854775808'])
    expect(at(value)).toEqual({ saturated: 0, said: [] });
  expect(at('18446744073709551615')).toEqual({ saturated: mark, said: ['saturated-counter 0'] });
  // as a row of ibqueryerrors
  const row = `   GUID 0x2c90000010000 port 2: [${name} == 18446744073709551615 (67108864.000TB)]\n`;
  expect(read(row).counters.saturated[first + 1]).toBe(mark);
});

describe('names of older diagnostics', () => {
  // names of libibmad, before and today, in the order of PortCounters; each counts its own place
  const pairs = [
    ['SymbolErrors', 'SymbolErrorCounter'],
    ['LinkRecovers', 'LinkErrorRecoveryCounter'],
    ['LinkDowned', 'LinkDownedCounter'],
    ['RcvErrors', 'PortRcvErrors'],
    ['RcvRemotePhysErrors', 'PortRcvRemotePhysicalErrors'],
    ['RcvSwRelayErrors', 'PortRcvSwitchRelayErrors'],
    ['XmtDiscards', 'PortXmitDiscards'],
    ['XmtConstraintErrors', 'PortXmitConstraintErrors'],
    ['RcvConstraintErrors', 'PortRcvConstraintErrors'],
    ['LinkIntegrityErrors', 'LocalLinkIntegrityErrors'],
    ['ExcBufOverrunErrors', 'ExcessiveBufferOverrunErrors'],
    ['VL15Dropped', 'VL15Dropped'],
    ['XmtData', 'PortXmitData'],
    ['RcvData', 'PortRcvData'],
    ['XmtPkts', 'PortXmitPkts'],
    ['RcvPkts', 'PortRcvPkts'],
    ['XmtWait', 'PortXmitWait'],
  ] as const;
  const today = Object.fromEntries(pairs.map(([, name], i) => [name, i + 1]));

  it('perfquery', () => {
    const rows = pairs.map(([older], i) => `${older}:........${i + 1}\n`).join('');
    const { counters, said } = read(
      `# Port counters: Lid ${lid} port 2\nPortSelect:......2\nCounterSelect:....0x1b01\n${rows}`,
    );
    expect([ofPort(counters), said]).toEqual([today, []]);
    // errors are the first twelve counters: 1 + 2 + … + 12; words of 4 bytes
    expect([counters.errors[first + 1], counters.transmitBytes[first + 1]]).toEqual([78, 4 * 13]);
  });

  it('ibqueryerrors', () => {
    const items = pairs.map(([older], i) => `[${older} == ${i + 1}]`).join(' ');
    const { counters, said } = read(
      `Suppressing: RcvSwRelayErrors\nErrors for 0x2c90000010000 "leaf00"\n   GUID 0x2c90000010000 port ALL: [SymbolErrors == 900]\n   GUID 0x2c90000010000 port 2: ${items}\n         Actions\n`,
    );
    expect([ofPort(counters), said]).toEqual([today, []]);
  });

  it('a counter that stopped is marked; the 64-bit one goes before it', () => {
    const older = `# Port counters: Lid ${lid} port 2\nXmtData:......4294967295\nRcvData:......7\n`;
    const { counters, said } = read(older);
    expect([counters.receiveBytes[first + 1], counters.saturated[first + 1], said]).toEqual([
      28,
      1,
      ['saturated-counter 0'],
    ]);
    for (const text of [older + wide, wide + older]) expect(read(text).counters.transmitBytes[first + 1]).toBe(20e9);
  });
});

describe('what is odd is said', () => {
  it.each([
    ['a name that no counter has', wide.replace('PortRcvData', 'FancyCounter') + narrow, ['unknown-counter 5']],
    [
      'names that no counter has, in rows',
      `${errorsLine}   GUID 0x2c90000010000 port 2: [PortUniCastXmitPkts == 4] [constructor == 1]\n`,
      ['unknown-counter 4'],
    ],
    [
      'details in a row, and below it',
      errorsLine.replace('port 1: ', 'port 1: [PortInactiveDiscards == 2] [PortLoopingErrors == 1] ') +
        '         PortSwLifetimeLimitDiscards:.....4\n         PortMalformedPktErrors:.........5\n',
      [],
    ],
    ['an unknown detail', `${errorsLine}         PortNovelDiscards:.....4\n`, ['unknown-counter 4']],
    ['a counter where details stand', `${errorsLine}         PortXmitWait:.....4\r\n`, ['unknown-counter 4']],
    ['a counter that stopped', narrow, ['saturated-counter 0']],
    [
      'a port that the fabric has not',
      wide + narrow.replace('port 2', 'port 9').replace('4294967295', '1'),
      ['unknown-port 6'],
    ],
    [
      'a port without a link that has counted nothing',
      wide + narrow.replace('port 2', 'port 9').replaceAll(/\.\d+\n/g, '.0\n'),
      [],
    ],
    [
      'a GUID that no node has, with a count of nothing',
      `${wide}   GUID 0x99 port 1: [PortXmitWait == 0]\n`,
      ['unknown-port 6'],
    ],
    [
      'a row again with another value',
      errorsLine + errorsLine.replaceAll('== 9]', '== 8]'),
      ['contradicting-counter 6'],
    ],
    ['a row again with the same values', errorsLine + errorsLine, []],
    ['no counter at all', 'hello\n', ['no-counters 0']],
    ['another fabric', wide.replace(`Lid ${lid}`, 'Lid 4000'), ['no-counters 0']],
    ['a broken value', wide.replace('5000000000', '5e9'), ['bad-counter 4']],
    ['a line without counters', `${wide}   GUID 0x2c90000010000 port 1: nothing\n`, ['bad-counter 6']],
  ])('%s', (_, text, expected) => {
    expect(read(text).said).toEqual(expected);
  });
});

it('options: the engine, the tables, and service levels dealt out to lanes', () => {
  expect(opensmOptions('/a/weft.lfts', null)).toMatch(/^routing_engine file,ftree\nlfts_file \/a\/weft\.lfts\n/m);
  expect([
    pathProblem('/a b/"c"/weft.lfts'),
    pathProblem('/a/b#c/weft.lfts'),
    pathProblem('/a\n/weft.lfts'),
    pathProblem(`/${'é'.repeat(500)}`),
  ]).toEqual([
    null,
    expect.stringContaining('#'),
    expect.stringContaining('line breaks'),
    expect.stringContaining('1000 bytes'),
  ]);
  expect(slToVl(4)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
  // a port has 1, 2, 4, 8 or 15 lanes: of eight five are used
  const five = opensmOptions('/t', 5);
  expect(five).toContain('qos_max_vls 8\n');
  expect(five).toContain('qos_sl2vl 0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0\n');
  expect(five).toMatch(/qos_vlarb_low 0:64,1:64,2:64,3:64,4:64\n/);
  // VL 15 is for management
  expect(Math.max(...slToVl(15))).toBe(14);
});
