// What packet.profile gives, and what replaces it: a size given in the file, --set, a SimAI.conf. The sizes wanted are
// written out here.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { InputError } from '../../src/base/diagnostics.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { memoryHost } from '../memory-host.js';
import { flowRows } from '../support/engine-run.js';

const base =
  'fabric: { generate: dumbbell, leftHosts: 1, rightHosts: 1 }\ntraffic:\n  transfers:\n    - { source: 0, destination: 1, size: 1000B }\n';
const rocev2 = {
  profile: 'rocev2',
  payload: 4096,
  header: 62,
  acknowledgement: 66,
  notification: 78,
  pauseFrame: 64,
  gap: 20,
};
const simai = {
  profile: 'simai',
  payload: 9000,
  header: 52,
  acknowledgement: 60,
  notification: 60,
  pauseFrame: 43,
  gap: 0,
};

function plan(text: string, overrides: string[] = []): Promise<Plan> {
  return makePlan('s.yaml', { host: memoryHost({ 's.yaml': base + text }), overrides });
}

function confPlan(text: string, overrides: string[] = []): Promise<Plan> {
  const host = memoryHost({
    'SimAI.conf': text,
    't.topo': '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n',
    't.csv': '0,0,1,9\n',
  });
  return makePlan(
    { conf: 'SimAI.conf', topology: 't.topo', work: { trace: 't.csv' }, environment: {} },
    { host, overrides },
  );
}

const warningsOf = ({ warnings }: Plan): string[] =>
  warnings.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);

describe('packet sizes', () => {
  it.each<[string, string, string[], object]>([
    ['nothing is given', '', [], rocev2],
    ['the default is given', 'packet: { profile: rocev2 }\n', [], rocev2],
    ['simai is given', 'packet: { profile: simai }\n', [], simai],
    [
      'sizes stand beside the profile',
      'packet: { payload: 1KiB, profile: simai, gap: 8 }\n',
      [],
      { ...simai, payload: 1024, gap: 8 },
    ],
    ['a size is given alone', 'packet: { acknowledgement: 60B }\n', [], { ...rocev2, acknowledgement: 60 }],
    ['--set gives the profile', 'packet: { payload: 2KiB }\n', ['packet.profile=simai'], { ...simai, payload: 2048 }],
    [
      '--set gives sizes to a profile of the file',
      'packet: { profile: simai }\n',
      ['packet.header=62B', 'packet.pauseFrame=64'],
      { ...simai, header: 62, pauseFrame: 64 },
    ],
    [
      '--set replaces the block',
      'packet: { profile: simai, payload: 1KiB }\n',
      ['packet={header: 70}'],
      { ...rocev2, header: 70 },
    ],
  ])('if %s', async (_, text, overrides, wanted) => {
    const made = await plan(text, overrides);
    expect(made.packet.packet).toEqual(wanted);
    expect(made.warnings).toEqual([]);
  });

  it('stand in the resolved scenario as numbers, and give the same plan again', async () => {
    const first = await plan('packet: { profile: simai, payload: 1KiB }\n');
    expect(first.resolved['packet']).toEqual({
      profile: 'simai',
      payload: '1KiB',
      header: '52B',
      acknowledgement: '60B',
      notification: '60B',
      pauseFrame: '43B',
      gap: '0B',
    });
    const again = await makePlan('r.yaml', {
      host: memoryHost({ 'r.yaml': JSON.stringify(first.resolved) }),
      overrides: [],
    });
    expect([again.packet, again.resolved, again.warnings]).toEqual([first.packet, first.resolved, []]);
  });

  it('refuse an unknown profile where it stands', async () => {
    const error = await plan('packet: { profile: rocev3 }\n').catch((caught: unknown) => caught);
    expect((error as InputError).diagnostics).toMatchObject([
      { line: 5, column: 20, got: 'rocev3', wanted: 'one of rocev2, simai', hint: 'did you mean rocev2?' },
    ]);
  });

  it("warn of a payload beyond RoCE's largest MTU, not of SimAI's", async () => {
    expect(warningsOf(await plan('packet: { payload: 4097 }\n'))).toEqual(['s.yaml:5:20 payload-above-mtu']);
    expect(warningsOf(await plan('packet: { payload: 4096 }\n'))).toEqual([]);
    expect(warningsOf(await plan('packet: { payload: 65535, profile: simai }\n'))).toEqual([]);
  });

  it('are not called without effect when they say what the profile says', async () => {
    expect(warningsOf(await plan('packet: { profile: simai, pauseFrame: 43B }\npfc: { enabled: false }\n'))).toEqual(
      [],
    );
    expect(warningsOf(await plan('packet: { profile: simai, pauseFrame: 64B }\npfc: { enabled: false }\n'))).toEqual([
      's.yaml:5:27 no-effect',
    ]);
  });
});

describe('a SimAI.conf', () => {
  it("has SimAI's packets, with the payload that it gives", async () => {
    expect((await confPlan('CC_MODE 1\n')).packet.packet).toEqual(simai);
    expect((await confPlan('CC_MODE 1\nPACKET_PAYLOAD_SIZE 1000\n')).packet.packet).toEqual({
      ...simai,
      payload: 1000,
    });
  });

  it('has those of another profile with --set', async () => {
    const made = await confPlan('CC_MODE 1\nPACKET_PAYLOAD_SIZE 4000\n', ['packet.profile=rocev2']);
    expect(made.packet.packet).toMatchObject({ profile: 'rocev2', payload: 4000, header: 62, gap: 20 });
  });
});

it('the ideal time of a flow counts what its packets take of the links', async () => {
  const sink = new MemorySink();
  await simulate(await plan(''), { host: memoryHost({}), sink });
  // SimAI's estimate over three links of 1 us: a payload of 4096 B per link there, then the packet of 1000 B and 82 B
  // around them
  expect(flowRows(sink).map(({ idealPs }) => idealPs)).toEqual([2 * 3 * 1_000_000 + 3 * 4096 * 80 + 1082 * 80]);
});

it('the JSON Schema knows the profiles and shows the defaults of rocev2', () => {
  const text = readFileSync(fileURLToPath(new URL('../../schema/scenario.schema.json', import.meta.url)), 'utf8');
  const { properties } = (JSON.parse(text) as { properties: { packet: { properties: Record<string, object> } } })
    .properties.packet;
  expect(properties['profile']).toMatchObject({ enum: ['rocev2', 'simai'], default: 'rocev2' });
  expect(
    Object.fromEntries(
      Object.entries(properties).map(([name, leaf]) => [name, (leaf as { default: unknown }).default]),
    ),
  ).toEqual({
    profile: 'rocev2',
    payload: '4096B',
    header: '62B',
    acknowledgement: '66B',
    notification: '78B',
    pauseFrame: '64B',
    gap: '20B',
  });
});

it('the incast example keeps its bottleneck busy to the picosecond when nobody slows down', async () => {
  const host = nodeHost();
  const path = fileURLToPath(new URL('../../examples/incast/incast.yaml', import.meta.url));
  const summary = await simulate(await makePlan(path, { host, overrides: ['ecn.enabled=false'] }), { host });
  // the neighbour's first packet over one link of 1 us, 15 x 256 packets of 4178 B one after the other, then the last
  // one's own link; its sender is in another pod, six links away for the ACK of 86 B
  const [packetPs, latencyPs] = [4178 * 80, 1_000_000];
  expect(summary.simulatedPs).toBe(packetPs + latencyPs + 15 * 256 * packetPs + latencyPs + 6 * (86 * 80 + latencyPs));
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary.counters.pauseFrames).toBeGreaterThan(0);
});

describe("HPCC's additive increase", () => {
  it.each<[string, () => Promise<Plan>, number | 'auto']>([
    ["the rule of its paper, with RoCEv2's packets", () => plan(''), 'auto'],
    ["SimAI's constant, with SimAI's", () => plan('packet: { profile: simai }\n'), 50e6],
    ["SimAI's constant, in a SimAI.conf that does not name it", () => confPlan('CC_MODE 3\n'), 50e6],
    ['what a SimAI.conf names', () => confPlan('CC_MODE 3\nRATE_AI 70Mb/s\n'), 70e6],
    [
      'the rule, if it is asked for',
      () => plan('packet: { profile: simai }\nhpcc: { additiveIncrease: auto }\n'),
      'auto',
    ],
  ])('is %s', async (_, made, wanted) => {
    expect((await made()).packet.own['hpcc']).toMatchObject({ additiveIncrease: wanted, expectedFlows: 8 });
  });
});
