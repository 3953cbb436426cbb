// Topology files: what is read from well-formed ones, and the code and the place of every mistake.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Diagnostics, type Diagnostic } from '../../src/base/diagnostics.js';
import { FabricBuilder, maxNodes, NodeKind, serverCount, serverOf, type Fabric } from '../../src/fabric/fabric.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { topologyRateText, writeTopology } from '../../src/formats/simai-topology-text.js';
import { referencePath } from '../reference.js';
import { linkEnds } from '../support/fabric-links.js';

// two servers of two GPUs (0..3), an NVSwitch each (4, 5), one leaf (6)
const good = `7 2 2 1 8 H100
4 5 6
0 4 2880Gbps 0.000025ms 0
0 6 100Gbps 0.0005ms 0
1 4 2880Gbps 0.000025ms 0
1 6 100Gbps 0.0005ms 0
2 5 2880Gbps 0.000025ms 0
2 6 100Gbps 0.0005ms 0
3 5 2880Gbps 0.000025ms 0
3 6 100Gbps 0.0005ms 0.001
`;

function read(text: string): { fabric: Fabric | null; diagnostics: Diagnostic[] } {
  const diagnostics = new Diagnostics();
  const fabric = readTopology(text, 'f.topo', diagnostics);
  return { fabric, diagnostics: diagnostics.list };
}

function mustRead(text: string): Fabric {
  const { fabric, diagnostics } = read(text);
  expect(diagnostics).toEqual([]);
  return fabric!;
}

/** `code line:column` of each diagnostic; errors must leave no fabric. */
function mistakes(text: string): string[] {
  const { fabric, diagnostics } = read(text);
  expect(fabric).toBeNull();
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, line, column }) => `${code} ${line}:${column}`);
}

function warnings(text: string): string[] {
  const { fabric, diagnostics } = read(text);
  expect(fabric).not.toBeNull();
  return diagnostics.map(({ severity, code }) => `${severity} ${code}`);
}

/** The good file with one line (from 1) replaced or, with null, removed. */
function withLine(line: number, replacement: string | null): string {
  const lines = good.split('\n');
  lines.splice(line - 1, 1, ...(replacement === null ? [] : [replacement]));
  return lines.join('\n');
}

describe('reading', () => {
  it('gives nodes, servers, ports and links', () => {
    const fabric = mustRead(good);
    expect([...fabric.nodeKind]).toEqual([0, 0, 0, 0, 2, 2, 1]);
    expect([...fabric.hosts]).toEqual([0, 1, 2, 3]);
    expect([...fabric.hosts].map((host) => serverOf(fabric, host))).toEqual([0, 0, 1, 1]);
    expect(fabric).toMatchObject({ gpusPerServer: 2, gpuType: 'H100', linkCount: 8, portCount: 16 });
    expect(linkEnds(fabric)).toEqual([
      [0, 4],
      [0, 6],
      [1, 4],
      [1, 6],
      [2, 5],
      [2, 6],
      [3, 5],
      [3, 6],
    ]);
    expect([fabric.linkRateBps[0], fabric.linkLatencyPs[0], fabric.linkErrorRate[0]]).toEqual([2.88e12, 25_000, 0]);
    expect([fabric.linkRateBps[7], fabric.linkLatencyPs[7], fabric.linkErrorRate[7]]).toEqual([100e9, 500_000, 0.001]);
  });

  it.each([
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${good}`],
    ['tabs and runs of spaces', good.replaceAll(' ', ' \t ')],
    ['comments and blank lines', `# a fabric\n\n${good.replaceAll('\n', ' # note\n\n')}# end`],
    ['switch ids on several lines', good.replace('4 5 6', '4\n5 6')],
    ['no newline at the end', good.trimEnd()],
    ['other units', good.replaceAll('0.0005ms', '500ns').replaceAll('100Gbps', '12.5GB/s')],
  ])('accepts %s', (_, text) => {
    expect(mustRead(text)).toEqual(mustRead(good));
  });

  it.each([
    [
      'notes, as ConWeave has them',
      'First line: node switch\n<other things>\n',
      '2 lines after the last of the 2 links are not read, as in HPCC',
    ],
    [
      'links, as in HPCC',
      '1 0 100Gbps 1us 0\n',
      '1 line after the last of the 2 links is not read, 1 of them a link, as in HPCC',
    ],
    [
      'both',
      '# a comment\n\n1 0 100Gbps 1us 0\n__proto__\n0 1 1Gbps 1us 0',
      '3 lines after the last of the 2 links are not read, 2 of them links, as in HPCC',
    ],
  ])('stops after the announced links of the HPCC form, and names the rest: %s', (_, rest, message) => {
    const { fabric, diagnostics } = read(`3 1 2\n0\n0 1 100Gbps 1us 0.0\n0 2 100Gbps 1us 0.0\n${rest}`);
    expect(linkEnds(fabric!)).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(diagnostics.map(({ severity, code, message: text }) => `${severity} ${code}: ${text}`)).toEqual([
      `warning links-not-read: ${message}`,
    ]);
  });

  it('reads the HPCC form: no servers, no NVSwitches', () => {
    const fabric = mustRead('4 1 3\n3\n0 3 25Gbps 0.001ms 0.000000\n1 3 25Gbps 1us 0\n2 3 100Gbps 1000ns 0\n');
    expect([...fabric.nodeKind]).toEqual([0, 0, 0, 1]);
    expect(fabric).toMatchObject({ gpusPerServer: 1, gpuType: '' });
    expect([...fabric.linkLatencyPs]).toEqual([1e6, 1e6, 1e6]);
  });

  it('reads the headers of PowerTCP and ABM, and rates in bit/s, as ns-3 does', () => {
    const links = '0 2 25000000000.0 1us 0\n1 2 25e9 1us 0\n';
    const plain = mustRead('3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n');
    expect(mustRead(`3 1 1 2\n2\n${links}`)).toEqual(plain);
    expect(mustRead(`3 1 1 2 25 100\n2\n${links}`)).toEqual(plain);
  });

  it('reads links without an error rate, as those of ns3-rdma', () => {
    const fabric = mustRead('3 1 2\n0\n0 1 40Gbps 0.0001ms\n0 2 40Gbps 0.0001ms\n');
    expect([...fabric.linkErrorRate]).toEqual([0, 0]);
  });

  it('lets hosts have any ids: they fill the servers in ascending order', () => {
    const fabric = mustRead(
      '6 2 0 2 5 NONE\n0 3\n1 0 10Gbps 1us 0\n2 0 25Gbps 1us 0\n4 3 10Gbps 1us 0\n3 5 10Gbps 2us 0\n0 3 40Gbps 1us 0\n',
    );
    expect([...fabric.hosts]).toEqual([1, 2, 4, 5]);
    expect([0, 1, 2, 3, 4, 5].map((node) => serverOf(fabric, node))).toEqual([-1, 0, 0, -1, 1, 1]);
    expect(serverCount(fabric)).toBe(2);
    expect(mustRead(writeTopology(fabric))).toEqual(fabric);
  });

  it('keeps parallel links apart', () => {
    const fabric = mustRead(
      '4 1 0 2 4 NONE\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n2 3 2Gbps 1us 0\n',
    );
    expect(fabric.portOffset[3]! - fabric.portOffset[2]!).toBe(3);
  });

  it('warns, and goes on, about what is odd but can be meant', () => {
    expect(warnings('3 2 0 1 2 NONE\n2\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n')).toEqual(['warning unlinked-host']);
    expect(warnings('4 2 0 1 3 NONE\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n')).toEqual([
      'warning uneven-servers',
    ]);
    expect(warnings('4 1 0 2 2 NONE\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n')).toEqual(['warning disconnected']);
    expect(warnings('3 1 1 0 2 NONE\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n')).toEqual(['warning spanning-nvswitch']);
  });
});

describe('mistakes', () => {
  it.each<[string, string, string[]]>([
    ['an empty file', '', ['empty-file 0:0']],
    ['blank lines and comments only', '\ufeff\n \r\n# x\n', ['empty-file 0:0']],
    ['no header', 'hello\n', ['wrong-header 1:1']],
    ['a header without the GPU type', withLine(1, '7 2 2 1 8'), ['wrong-header 1:1']],
    ['a header of four counts that are too many', withLine(1, '7 9 2 8'), ['bad-count 1:1']],
    ['seven header fields', withLine(1, '7 2 2 1 8 H100 x'), ['wrong-header 1:1']],
    ['a count that is a word', withLine(1, '7 2 two 1 8 H100'), ['bad-count 1:5']],
    ['a negative count', withLine(1, '7 2 2 -1 8 H100'), ['bad-count 1:7']],
    ['a fraction for a count', withLine(1, '7 2 2 1 8.0 H100'), ['bad-count 1:9']],
    ['no GPUs per server', withLine(1, '7 0 2 1 8 H100'), ['bad-count 1:3']],
    ['no nodes', withLine(1, '0 2 2 1 8 H100'), ['bad-count 1:1']],
    ['only switches', withLine(1, '3 2 2 1 8 H100'), ['bad-count 1:1']],
    ['a billion nodes', withLine(1, '1000000000 2 2 1 8 H100'), ['too-large 1:1']],
    ['a billion links', withLine(1, '7 2 2 1 1000000000 H100'), ['too-large 1:9']],
    ['too few switch ids', withLine(2, '4 5'), ['wrong-switch-count 3:1']],
    ['no switch ids', withLine(2, ''), ['wrong-switch-count 3:1']],
    ['too many switch ids', withLine(2, '4 5 6 3'), ['wrong-switch-count 2:7']],
    ['a switch id twice', withLine(2, '4 5 5'), ['duplicate-id 2:5']],
    ['a switch id out of range', withLine(2, '4 5 7'), ['id-out-of-range 2:5']],
    ['a switch id that is a word', withLine(2, '4 x5 6'), ['bad-node-id 2:3']],
    ['an unknown node', withLine(3, '0 7 2880Gbps 0.000025ms 0'), ['unknown-node 3:3']],
    ['a negative node', withLine(3, '-1 4 2880Gbps 0.000025ms 0'), ['bad-node-id 3:1']],
    ['a rate without a unit', withLine(4, '0 6 100 0.0005ms 0'), ['bad-rate 4:5']],
    ['a rate of zero', withLine(4, '0 6 0Gbps 0.0005ms 0'), ['bad-rate 4:5']],
    ['a negative rate', withLine(4, '0 6 -1Gbps 0.0005ms 0'), ['bad-rate 4:5']],
    ['an endless rate', withLine(4, '0 6 1e300Gbps 0.0005ms 0'), ['bad-rate 4:5']],
    ['a delay without a unit', withLine(4, '0 6 100Gbps 0.0005 0'), ['bad-delay 4:13']],
    ['a negative delay', withLine(4, '0 6 100Gbps -1ms 0'), ['bad-delay 4:13']],
    ['a delay of hours', withLine(4, '0 6 100Gbps 3h 0'), ['bad-delay 4:13']],
    ['an error rate above 1', withLine(4, '0 6 100Gbps 0.0005ms 1.5'), ['bad-error-rate 4:22']],
    ['a negative error rate', withLine(4, '0 6 100Gbps 0.0005ms -0.5'), ['bad-error-rate 4:22']],
    ['an error rate that is a word', withLine(4, '0 6 100Gbps 0.0005ms NaN'), ['bad-error-rate 4:22']],
    ['a self link', withLine(4, '6 6 100Gbps 0.0005ms 0'), ['self-link 4:3']],
    ['a missing field', withLine(4, '0 6 100Gbps 0.0005ms'), ['incomplete-link 4:21']],
    ['a sixth field', withLine(4, '0 6 100Gbps 0.0005ms 0 7'), ['trailing-garbage 4:24']],
    ['two links on a line', withLine(4, '0 6 100Gbps 0.0005ms 0 1 4 2880Gbps 0.000025ms 0'), ['trailing-garbage 4:24']],
    ['text after the last link', `${good}the end\n`, ['trailing-garbage 11:1']],
    ['one link too few', withLine(10, null), ['missing-links 10:1']],
    ['one link too many', `${good}0 6 100Gbps 0.0005ms 0\n`, ['too-many-links 11:1']],
    [
      'several mistakes at once',
      good.replace('0.001', '2').replace('0 4 2880Gbps', '0 9 2880'),
      ['unknown-node 3:3', 'bad-rate 3:5', 'bad-error-rate 10:22'],
    ],
  ])('%s', (_, text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('count columns and lines behind a byte order mark and CRLF', () => {
    expect(mistakes(`\ufeff${withLine(1, '7 2 x 1 8 H100').replaceAll('\n', '\r\n')}`)).toEqual(['bad-count 1:5']);
    expect(mistakes(withLine(3, '0 4 2880Gbps 0.000025ms x').replaceAll('\n', '\r\n'))).toEqual([
      'bad-error-rate 3:25',
    ]);
  });

  it('say what was found, what was wanted and what to do', () => {
    const [unit] = read(withLine(4, '0 6 100 0.0005ms 0')).diagnostics;
    expect(unit).toMatchObject({ file: 'f.topo', got: '100', hint: 'the unit is missing: 100Gbps?' });
    const [few] = read(withLine(10, null)).diagnostics;
    expect(few!.message).toBe('the header announces 8 links, the file ends after 7');
    const [many] = read(`${good}0 6 100Gbps 0.0005ms 0\n1 6 1Gbps 1ms 0\n`).diagnostics;
    expect(many!.hint).toContain('change link_num (line 1, column 9) to 10');
    const [large] = read(withLine(1, '1000000000 2 2 1 8 H100')).diagnostics;
    expect(large!.wanted).toContain(String(maxNodes));
  });

  it('stop after a bounded number', () => {
    const text = `2 1 0 1 50000 NONE\n1\n${'x y z\n'.repeat(50_000)}`;
    expect(read(text).diagnostics.length).toBeLessThanOrEqual(20);
  });

  it('do not make the reader slow, however long a word or a line is', () => {
    const long = '1'.repeat(500_000);
    for (const word of [long, `${long}\u2028`, `.${long}`, `${'1e'.repeat(250_000)}`]) {
      for (const line of [3, 4]) expect(mistakes(withLine(line, `0 4 ${word} ${word} ${word}`))).toHaveLength(3);
      expect(mistakes(word)).toEqual(['wrong-header 1:1']);
    }
  });
});

describe('writing', () => {
  it("gives the good file back, with the generator's space at the end of line 2", () => {
    expect(writeTopology(mustRead(good))).toBe(good.replace('4 5 6', '4 5 6 '));
  });

  it('writes exact decimals in Gbps and ms', () => {
    const builder = new FabricBuilder(1);
    builder.addNodes(NodeKind.host, 2);
    const cases: [number, number, number, string][] = [
      [2.4e12, 25_000, 0, '2400Gbps 0.000025ms 0'],
      [100e9, 1, 1e-7, '100Gbps 0.000000001ms 1e-7'],
      [1, 0, 1, '0.000000001Gbps 0ms 1'],
      [12_345_678_901, 1_234_567_890_123, 0.25, '12.345678901Gbps 1234.567890123ms 0.25'],
      [33_333_333_333.3, 1e9, 0, '33.3333333333Gbps 1ms 0'],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0, '9007199.254740991Gbps 9007199.254740991ms 0'],
    ];
    for (const [rateBps, latencyPs, errorRate] of cases) builder.addLink(0, 1, rateBps, latencyPs, errorRate);
    const fabric = builder.build();
    const text = writeTopology(fabric);
    expect(text.split('\n').slice(0, 8)).toEqual([
      '2 1 0 0 6 NONE',
      '',
      ...cases.map(([, , , words]) => `0 1 ${words}`),
    ]);
    expect(mustRead(text)).toEqual(fabric);
    expect(topologyRateText(400e9)).toBe('400Gbps');
  });

  it('reads 100,000 links without delay', () => {
    const hosts = 50_000;
    const builder = new FabricBuilder(1);
    builder.addNodes(NodeKind.host, hosts);
    builder.addNodes(NodeKind.switch, 1);
    for (let i = 0; i < 100_000; i++) builder.addLink(i % hosts, hosts, 100e9, 1e6);
    const text = writeTopology(builder.build());
    expect(mustRead(text).linkCount).toBe(100_000);
  });
});

const reference = referencePath('simai', 'topo');

describe.skipIf(reference === null)("SimAI's files", () => {
  it('are read without a warning and written back to the character', () => {
    const files = readdirSync(reference!);
    expect(files.length).toBeGreaterThanOrEqual(8);
    for (const file of files) {
      const text = readFileSync(`${reference!}/${file}`, 'utf8');
      expect(writeTopology(mustRead(text))).toBe(text);
    }
  });
});
