// Nodes in scenarios by what InfiniBand's tools call them: name, GUID of node or port, LID. A fabric of three end ports
// and two switches, whose numbers are known by hand; what repeats is refused with the GUIDs that tell it apart.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { findingsOfTables } from '../../src/app/diagnose/judge-run.js';
import { simulate } from '../../src/app/simulate.js';
import { NodeNames } from '../../src/fabric/node-names.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost } from '../memory-host.js';
import { scenarioRun } from '../support/scenario-run.js';

// both switches have the factory's name; the adapter of srv-a has two ports; port 0 of the first switch has a GUID of
// its own. Nodes: 0 and 1 are the ports of srv-a, 2 is srv-b, 3 and 4 the switches. Links as hosts have them: 0-3, 1-4,
// 2-3, and 3-4
const net = `switchguid=0x10(11)
Switch 8 "S-0000000000000010" # "factory" base port 0 lid 3 lmc 0
[1] "H-00000000000000a0"[1](a1) # "srv-a mlx" lid 10 4xEDR
[3] "H-00000000000000b0"[1](b1) # "srv-b mlx-1" lid 12 4xEDR
[7] "S-0000000000000020"[6] # "factory" lid 4 4xEDR

switchguid=0x20(20)
Switch 8 "S-0000000000000020" # "factory" base port 0 lid 4 lmc 0
[2] "H-00000000000000a0"[2](a2) # "srv-a mlx" lid 11 4xEDR
[6] "S-0000000000000010"[7] # "factory" lid 3 4xEDR

caguid=0xa0
Ca 2 "H-00000000000000a0" # "srv-a mlx"
[1](a1) "S-0000000000000010"[1] # lid 10 lmc 0 "factory" lid 3 4xEDR
[2](a2) "S-0000000000000020"[2] # lid 11 lmc 0 "factory" lid 4 4xEDR

caguid=0xb0
Ca 1 "H-00000000000000b0" # "srv-b mlx-1"
[1](b1) "S-0000000000000010"[3] # lid 12 lmc 0 "factory" lid 3 4xEDR
`;

const scenario = (more: string, source: string | number = 0, destination: string | number = 2): string =>
  `fabric: { file: f.net }\ntraffic:\n  transfers:\n    - { source: ${source}, destination: ${destination}, size: 1MB }\n${more}`;

const planOf = (text: string) =>
  makePlan('s.yaml', { host: memoryHost({ 's.yaml': text, 'f.net': net }), overrides: [] });
const failing = (target: string) => planOf(scenario(`failures:\n  events:\n    - { at: 1us, ${target} }\n`));
const losing = (place: string) => planOf(scenario(`loss: { model: independent, rate: 0.1, places: [{ ${place} }] }\n`));

async function findingsOf(plan: Plan) {
  const sink = new MemorySink();
  await simulate(plan, { host: memoryHost(), sink });
  return findingsOfTables(plan, sink, { as: 'operator', job: null });
}

async function refusal(plan: Promise<unknown>): Promise<object> {
  const error = await plan.catch((reason: unknown) => reason);
  if (!(error instanceof InputError)) throw error;
  return error.diagnostics.find(({ severity }) => severity === 'error')!;
}

describe('a node by what it is called on InfiniBand is its number', () => {
  it.each([
    ['"srv-b mlx-1"', 2],
    ['lid 12', 2],
    ['0xb0', 2],
    ['0x00000000000000b1', 2],
    ['"0xB1"', 2],
    ['0xa2', 1],
    ['"srv-a mlx 0x00000000000000a2"', 1],
    ['lid 11', 1],
    ['"host[1]"', 1],
    ['1', 1],
  ])('source %s', async (name, number) => {
    const { resolved } = await planOf(scenario('', name, number === 2 ? 0 : 2));
    expect(resolved['traffic']).toMatchObject({ transfers: [{ source: number }] });
  });

  it('stragglers', async () => {
    const { resolved } = await planOf(scenario('stragglers: [{ rank: lid 12, receive: 0.5 }]\n'));
    expect(resolved['stragglers']).toMatchObject([{ rank: 2 }]);
  });

  it.each([
    ['switch: lid 4', 'switch: 4'],
    ['switch: 0x11', 'switch: 3'],
    ['switch: "factory 0x0000000000000020"', 'switch: 4'],
    ['link: "srv-b mlx-1[1]"', 'link: 2-3'],
    ['link: "srv-b mlx-1 - lid 3"', 'link: 2-3'],
    ['link: "srv-b mlx-1-lid 3"', 'link: 2-3'],
    ['link: "factory 0x0000000000000011[7] - factory 0x0000000000000020[6]"', 'link: 3-4'],
    ['link: "lid 3[7]"', 'link: 3-4'],
    ['link: "0x10 - lid 10"', 'link: 0-3'],
  ])('failures: %s is %s', async (name, number) => {
    const [named, numbered] = [await failing(name), await failing(number)];
    expect(named.failures.changes.count).toBeGreaterThan(0);
    expect(named.failures.changes).toEqual(numbered.failures.changes);
  });

  it.each([
    ['switch: "0x20"', 'switch: 4'],
    ['switch: 0x20', 'switch: 4'],
    ['port: "lid 3[7]"', 'port: "3:3"'],
    ['link: "lid 3 - lid 4"', 'link: 3-4'],
  ])('losses: %s is %s', async (name, number) => {
    const [named, numbered] = [await losing(name), await losing(number)];
    expect(named.packet.losses).toEqual(numbered.packet.losses);
  });
});

const matching = (text: string | RegExp): unknown => (typeof text === 'string' ? text : expect.stringMatching(text));

/** A scenario whose work takes a list of hosts. */
const placed = (work: string): string => `fabric: { file: f.net }\nworkload: ${work}\n`;
const training = (ranks: string): string =>
  placed(
    `{ ranks: "${ranks}", tensorParallel: 2, layers: [{ name: only, forward: { compute: 1us, collective: allreduce, size: 1kB, group: tp } }] }`,
  );

describe('a list of hosts may name them', () => {
  it('of a training job', async () => {
    const { jobs } = await planOf(training('lid 12, 0xa1'));
    expect([...jobs[0]!.ranks]).toEqual([2, 0]);
    expect([...(await planOf(training('srv-b mlx-1, host[1]'))).jobs[0]!.ranks]).toEqual([2, 1]);
  });

  it('of a program', async () => {
    const { programs } = await planOf(placed('{ program: stencil, x: 2, y: 1, z: 1, nodes: "srv-b mlx-1, 0" }'));
    expect([...programs[0]!.hosts]).toEqual([2, 0]);
  });

  it.each([
    ['srv-a mlx, 2', 'srv-a mlx', /0x00000000000000a1 \(lid 10\), 0x00000000000000a2/],
    ['lid 3, 2', 'lid 3', 'hosts; this is a switch'],
    ['nobody, 2', 'nobody', /a node of the capture/],
    ['lid 12, 2', '2', 'each rank once; 2 is there already'],
  ])('%s is refused', async (ranks, got, wanted) => {
    expect(await refusal(planOf(training(ranks)))).toMatchObject({ got, wanted: matching(wanted) });
  });
});

describe('a name that means nothing, or several nodes, is refused', () => {
  it.each([
    [
      'switch: factory',
      'factory is what 2 nodes are called',
      'one of their GUIDs: 0x0000000000000011 (lid 3), 0x0000000000000020 (lid 4)',
    ],
    ['switch: 0xa0', '0xa0 is what 2 nodes are called', /0x00000000000000a1 \(lid 10\), 0x00000000000000a2 \(lid 11\)/],
    [
      'switch: factry',
      'failures.events[0].switch names nothing in the fabric',
      /"srv-a mlx".*, a GUID \(0x…\), or lid/,
    ],
    ['switch: lid 99', 'failures.events[0].switch names nothing in the fabric', /a GUID/],
    ['link: "factory - lid 10"', 'factory is what 2 nodes are called', /0x0000000000000020 \(lid 4\)/],
    ['link: "lid 3[2]"', 'link names nothing in the fabric', 'a port of lid 3 with a link: 1, 3, 7'],
    ['link: "lid 3[3] - lid 4"', /^link: no link joins factory 0x0000000000000011\[3\]/, /two nodes joined/],
    ['link: "nobody here"', 'link names nothing in the fabric', /with " - " between them/],
  ])('%s', async (target, message, wanted) => {
    expect(await refusal(failing(target))).toMatchObject({
      file: 's.yaml',
      line: 7,
      message: matching(message),
      wanted: matching(wanted),
    });
  });

  it('a near name is offered', async () => {
    expect(await refusal(planOf(scenario('', '"srv-b mlx-2"', 0)))).toMatchObject({
      hint: 'did you mean srv-b mlx-1?',
    });
  });

  it('where the fabric has no such names, text is refused as before', async () => {
    const generated = scenario('', 'srv-b').replace('file: f.net', 'generate: leaf-spine');
    expect(await refusal(planOf(generated))).toMatchObject({
      code: 'scenario-value',
      message: 'traffic.transfers[0].source is not a whole number',
    });
    const many = scenario('', 99_999_999_999).replace('file: f.net', 'generate: leaf-spine');
    expect(await refusal(planOf(many))).toMatchObject({ code: 'scenario-range' });
  });
});

it('what a run prints has these names, with GUIDs where they repeat', async () => {
  const plan = await planOf(scenario(''));
  const names = new NodeNames(plan.fabric);
  expect([0, 1, 2, 3, 4].map((node) => names.nameOf(node))).toEqual([
    'srv-a mlx 0x00000000000000a1',
    'srv-a mlx 0x00000000000000a2',
    'srv-b mlx-1',
    'factory 0x0000000000000011',
    'factory 0x0000000000000020',
  ]);
  expect(names.portName(plan.fabric.portOffset[3]! + 2)).toBe('factory 0x0000000000000011[7]');
  // names change no record
  const digest = async (source: string | number, destination: string | number): Promise<string> =>
    (await scenarioRun(scenario('', source, destination), [], { 'f.net': net })).summary.digest;
  expect(await digest('lid 10', '0xb1')).toBe(await digest(0, 2));
});

it('links on which flows lost time have the GUIDs of their end ports, findings too', async () => {
  // two ports send to srv-b: one directly, one by the other switch
  const two = `${scenario('')}    - { source: 1, destination: 2, size: 1MB }\n`;
  const { lostTime } = (await scenarioRun(two, [], { 'f.net': net })).summary;
  expect(lostTime.places[0]).toMatchObject({
    to: 'srv-b mlx-1',
    fromGuid: '0x0000000000000011',
    toGuid: '0x00000000000000b1',
  });
  const generated = two.replace('file: f.net', 'generate: leaf-spine');
  expect((await scenarioRun(generated, [])).summary.lostTime.places[0]?.fromGuid).toBeUndefined();

  // srv-b serves both: 2 MB leave it where its share is a third of 4 MB
  const served = `${two}    - { source: 2, destination: 0, size: 2MB }\n    - { source: 2, destination: 1, size: 2MB }\n`;
  const [finding] = await findingsOf(await planOf(served.replace(/.*source: [01],.*\n/g, '')));
  expect(finding!.links[0]).toMatchObject({
    from: 'srv-b mlx-1',
    fromGuid: '0x00000000000000b1',
    toGuid: '0x0000000000000011',
  });
});
