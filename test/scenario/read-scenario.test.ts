import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readScenario } from '../../src/scenario/form/read-scenario.js';
import { nearest } from '../../src/scenario/suggest.js';

const good = 'fabric: { generate: dcn+ }\ntraffic: { trace: t.csv }\n';

interface Found {
  at: string;
  message: string;
  hint: string | undefined;
  got: string | undefined;
}

function read(text: string, ...overrides: string[]): Found[] {
  const diagnostics = new Diagnostics();
  readScenario(text, 's', overrides, diagnostics);
  return diagnostics.list.map(({ file, line, column, code, message, hint, got }) => ({
    at: `${file}:${line}:${column} ${code}`,
    message,
    hint,
    got,
  }));
}

const at = (...request: Parameters<typeof read>): string[] => read(...request).map((found) => found.at);

const hints = (...request: Parameters<typeof read>): (string | undefined)[] => read(...request).map(({ hint }) => hint);

describe('the form of a scenario', () => {
  it.each([
    ['blocks and flow style, JSON', '{"fabric": {"generate": "dcn+", "gpus": 16}, "traffic": {"trace": "t"}}'],
    ['a mark and CRLF', '\uFEFFfabric:\r\n  file: x\r\ntraffic:\r\n  trace: y\r\n'],
    [
      'anchors',
      'fabric: { generate: dcn+, bandwidth: &rate 400Gbps, aswPswBandwidth: *rate }\ntraffic: { trace: t }\n',
    ],
    [
      'units, exponents, bare bytes and zero',
      `${good}packet: { payload: 1e3, header: 64 }\nsendLatency: 0\ndcqcn: { minimumRate: 12.5 MB/s }\n`,
    ],
    ['another name of a family', 'fabric: { generate: AlibabaHPN-DualPlane }\ntraffic: { trace: t }\n'],
  ])('%s', (_, text) => {
    expect(read(text)).toEqual([]);
  });

  it.each([
    ['- 1\n', 's:1:1 scenario-type'],
    ['fabric\n', 's:1:1 scenario-type'],
    [`${good}---\n${good}`, 's:3:1 yaml-documents'],
    [`${good}seed: 1\nseed: 2\n`, 's:4:1 yaml-duplicate-key'],
    [`${good}pfc:\n   enabled: true\n  reserve: 1\n`, 's:5:1 yaml-syntax'],
    [`${good}name: "open\n`, 's:4:1 yaml-syntax'],
    [`${good}name: !size x\n`, 's:3:7 yaml-syntax'],
    [`${good}name: *nobody\n`, 's:3:7 yaml-alias'],
    [`${good}? [a]\n: 1\n`, 's:3:3 yaml-key'],
    [`${good}name: ${'['.repeat(40)}${']'.repeat(40)}\n`, 's:3:39 yaml-too-deep'],
    [`${good}name: ${'['.repeat(20_000)}\n`, 's:1:1 yaml-too-deep'],
    [`${good}name: &a [*a]\n`, 's:3:11 yaml-too-deep'],
    [good.replace('fabric', 'fabrik'), 's:1:1 scenario-unknown-key'],
    ['traffic: { trace: t }\n', 's:1:1 scenario-missing'],
    ['fabric: { generate: dcn+ }\n', 's:1:1 scenario-missing'],
    ['fabric:\ntraffic: { trace: t }\n', 's:1:1 scenario-null'],
    ['fabric: dcn+\ntraffic: { trace: t }\n', 's:1:9 scenario-type'],
    ['fabric: { gpus: 3 }\ntraffic: { trace: t }\n', 's:1:1 scenario-missing'],
    ['fabric: { generate: dcn+, file: x }\ntraffic: { trace: t }\n', 's:1:11 scenario-exclusive'],
    ['fabric: { file: x, gpus: 16 }\ntraffic: { trace: t }\n', 's:1:20 scenario-unknown-key'],
    ['fabric: { generate: }\ntraffic: { trace: t }\n', 's:1:11 scenario-null'],
    ['fabric: { file: }\ntraffic: { trace: t }\n', 's:1:11 scenario-null'],
    ['fabric: { file: 7 }\ntraffic: { trace: t }\n', 's:1:17 scenario-type'],
    [`${good}seed: -1\n`, 's:3:7 scenario-negative'],
    [`${good}seed: 1.5\n`, 's:3:7 scenario-range'],
    [`${good}seed: 9007199254740992\n`, 's:3:7 scenario-range'],
    [`${good}seed: .nan\n`, 's:3:7 scenario-value'],
    [`${good}seed:\n`, 's:3:1 scenario-null'],
    [`${good}name: ""\n`, 's:3:7 scenario-value'],
    [`${good}pfc:\n`, 's:3:1 scenario-null'],
    [`${good}pfc: yes\n`, 's:3:6 scenario-type'],
    [`${good}pfc: { enabled: yes }\n`, 's:3:17 scenario-value'],
    [`${good}pfc: { reserve: 4 KB, resumeOffset: { a: 1 } }\n`, 's:3:37 scenario-type'],
    [`${good}queuePair: { window: max_bdp }\n`, 's:3:22 scenario-value'],
    [`${good}ecn: { thresholds: 3 }\n`, 's:3:20 scenario-type'],
    [`${good}ecn: { thresholds: [ 3 ] }\n`, 's:3:22 scenario-type'],
    [`${good}__proto__: { a: 1 }\n`, 's:3:1 scenario-unknown-key'],
    [`${good}constructor: 3\n`, 's:3:1 scenario-unknown-key'],
    ['fabric: { generate: __proto__ }\ntraffic: { trace: t }\n', 's:1:21 scenario-family'],
  ])('%# %.70s', (text, expected) => {
    expect(at(text)[0]).toBe(expected);
  });

  it.each([
    ['fabric: { generate: dcn+, gpus: 8\n# a comment\ntraffic: { trace: t }\n', 2, /above is not closed/, /missing }/],
    ['fabric: { generate: dcn+, gpus: 8\ntraffic: { trace: t }\n', 2, /a \{ above is not closed/, /missing }/],
    ['flowControl: [pfc\nseed: 3\n', 2, /a \[ above is not closed/, /missing \]/],
    ['fabric:\n  generate: dcn+\n   gpus: 8\n', 2, /a key stands where a value is/, /same column/],
    ['fabric:\n   generate: dcn+\n  gpus: 8\n', 3, /not indented like/, /same column/],
    ['fabric:\n  generate dcn+\n  gpus: 8\n', 2, /no colon/, /key: value/],
    ['name: "open\nseed: 3\n', 3, /quote is not closed/, /needs another/],
    ['name: {a: 1}#b\n', 1, /no space before its #/, /space before #/],
    ['name: @x\n', 1, /keeps the first character/, /quotes/],
    ['name: {a: 1}}\n', 1, /left over/, /too many/],
  ])('says plainly what a slip in YAML is: %j', (text, line, message, hint) => {
    const [first] = read(text);
    expect(first!.at).toMatch(new RegExp(`^s:${line}:\\d+ yaml-syntax$`));
    expect(first!.message).toMatch(message);
    expect(first!.hint).toMatch(hint);
    expect(first!.message).not.toMatch(/Implicit|mapping|token|Flow/);
  });

  it('asks for every field of a line', () => {
    expect(at(`${good}ecn:\n  thresholds:\n    - rate: 100Gbps\n      maximum: 1\n`)).toEqual([
      's:5:7 scenario-missing',
      's:5:7 scenario-missing',
    ]);
  });

  it('suggests what was meant', () => {
    expect(hints(`${good}dcqn: {}\n`)).toEqual(['did you mean dcqcn?']);
    expect(hints(`${good}dcqcn: { gian: 1 }\n`)).toEqual(['did you mean dcqcn.gain?']);
    expect(hints(`${good}packet: { pay_load: 1 }\n`)).toEqual(['did you mean packet.payload?']);
    expect(hints(`${good}payload: 1\n`)).toEqual(['did you mean packet.payload?']);
    expect(hints(`${good}swift: { targetDelay: 9us }\n`)).toEqual(['did you mean swift.baseTarget?']);
    expect(hints(`${good}swift: { windowScaling: 1 }\n`)).toEqual([undefined]);
    expect(hints(`${good}pfc: { seed: 1 }\n`)).toEqual(['seed stands at the top level, without indentation']);
    expect(hints(`${good}qwerty: 1\n`)).toEqual([undefined]);
    expect(
      hints('fabric: { generate: dcn+ }\ntraffic: { transfers: [{ src: 0, dst: 1, size: 1MB }] }\n').filter(Boolean),
    ).toEqual(['did you mean traffic.transfers[0].source?', 'did you mean traffic.transfers[0].destination?']);
    expect(hints('fabric: { generate: dcn+ }\n')[0]).toMatch(/workload, jobs or inference/);
    expect(hints('fabric: { generate: dcm+ }\ntraffic: { trace: t }\n')).toEqual(['did you mean dcn+?']);
    expect(hints('fabric: { generator: dcn+ }\ntraffic: { trace: t }\n')).toEqual(['did you mean generate?']);
    expect(hints(`${good}sendLatency: 6uss\n`)).toEqual(['did you mean 6us?']);
    expect(hints(`${good}dcqcn: { minimumRate: 100Gbp }\n`)).toEqual(['did you mean 100Gbps?']);
    expect(hints(`${good}dcqcn: { minimumRate: 100gbps }\n`)).toEqual(['did you mean 100Gbps?']);
    expect(hints(`${good}packet: { payload: 9 kb }\n`)).toEqual([
      'did you mean 1125B for that many bits, or 9kB? kb is bits',
    ]);
    expect(hints(`${good}queuePair: { window: pairbdp }\n`)).toEqual(['did you mean pair-bdp?']);
  });

  it.each([
    'sendLatency: 5 parsecs',
    'sendLatency: 5xs',
    'packet: { payload: 1XB }',
    'dcqcn: { minimumRate: 1 furlong }',
  ])('suggests no unit for %s', (line) => {
    expect(read(`${good}${line}\n`)).toMatchObject([
      { message: expect.stringContaining('has an unknown unit') as unknown, hint: undefined },
    ]);
  });
});

describe('--set', () => {
  it('says what a percentage is as a share, where the setting takes it', () => {
    expect(hints(good, 'loss.rate=5%')).toEqual(['as a share: 0.05']);
    expect(hints(good, 'loss.rate=0.7 %')).toEqual(['as a share: 0.007']);
    expect(hints(good, 'loss.rate=500%')).toEqual([undefined]);
    expect(hints(good, 'seed=5%')).toEqual([undefined]);
  });

  it('gives an example with a unit only if it would do', () => {
    expect(hints(good, 'dcqcn.increaseInterval=300')).toEqual(['for example 300us']);
    expect(hints(good, 'dcqcn.increaseInterval=1e30')).toEqual([undefined]);
  });

  it('changes values and makes blocks', () => {
    const diagnostics = new Diagnostics();
    const text =
      'fabric: { generate: dcn+ }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 1 } ] }\npfc:\n';
    const scenario = readScenario(
      text,
      's',
      ['traffic.transfers.0.size=2KiB', 'pfc.enabled=false', 'ecn={enabled: false}', 'fabric={file: a b}', 'seed=3'],
      diagnostics,
    )!;
    expect(diagnostics.list).toEqual([]);
    expect(scenario.fabric).toEqual({ form: 'file' });
    expect([...scenario.root.entries.keys()]).toEqual(['fabric', 'traffic', 'pfc', 'ecn', 'seed']);
  });

  it.each([
    ['seed', '--set:0:0 set-form'],
    ['=3', '--set:0:0 set-form'],
    ['a b=3', '--set:0:0 set-form'],
    ['seed=', '--set:0:0 scenario-null'],
    ['seed=[1', '--set:0:0 set-value'],
    ['seed=x', '--set:0:0 scenario-value'],
    ['seed.x=1', '--set:0:0 scenario-type'],
    ['traffic.trace.x=1', '--set:0:0 set-path'],
    ['dcqcn.gian=1', '--set:0:0 scenario-unknown-key'],
    ['__proto__.polluted=1', '--set:0:0 scenario-unknown-key'],
    ['fabric.file=x', '--set:0:0 scenario-exclusive'],
  ])('%s', (override, expected) => {
    expect(at(good, override)).toEqual([expected]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('finds no item beyond a list', () => {
    const text = 'fabric: { generate: dcn+ }\ntraffic: { transfers: [ { source: 0, destination: 1, size: 1 } ] }\n';
    expect(at(text, 'traffic.transfers[1].size=3')).toEqual(['--set:0:0 set-index']);
  });
});

describe('nearest', () => {
  it.each([
    ['gpus_per_server', 'gpusPerServer'],
    ['enable', 'enabled'],
    ['bandwith', 'bandwidth'],
    ['xyz', null],
    ['a'.repeat(1000), null],
    ['', null],
  ])('%s -> %s', (word, expected) => {
    expect(nearest(word, ['gpusPerServer', 'gpus', 'enabled', 'bandwidth'])).toBe(expected);
  });
});
