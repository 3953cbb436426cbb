// The failures block of a scenario: what it comes to, and that every mistake in it is shown where it stands.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { LinkChangeKind } from '../../src/fabric/link-states.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost } from '../memory-host.js';

// hosts 0-3, leaves 4 and 5, spines 6 and 7; links: 0-4 1-4 2-5 3-5, then leaf by leaf to the spines
const scenario = (events: string): string => `fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 2, spines: 2 }
traffic: { transfers: [{ source: 0, destination: 3, size: 1MB }] }
failures:
  events:
    - ${events}
`;

async function plan(events: string): Promise<Plan> {
  return makePlan('s.yaml', { host: memoryHost({ 's.yaml': scenario(events) }), overrides: [] });
}

/** time in microseconds, nodes of the link, what happens, value */
async function changes(events: string): Promise<string[]> {
  const { failures, fabric } = await plan(events);
  const kinds = Object.keys(LinkChangeKind);
  const { count, timePs, link, kind, value } = failures.changes;
  return Array.from({ length: count }, (_, i) => {
    const [a, b] = [0, 1].map((end) => fabric.portNode[fabric.linkPorts[2 * link[i]! + end]!]!);
    return `${timePs[i]! / 1e6} ${a}-${b} ${kinds[kind[i]!]!}${value[i] === 0 ? '' : ` ${value[i]!}`}`;
  });
}

describe('an event is', () => {
  it.each([
    ['{ at: 10us, link: 4-6 }', ['10 4-6 down']],
    ['{ at: 10us, until: 20us, link: 6-4 }', ['10 4-6 down', '20 4-6 up']],
    ['{ at: 10us, link: "4:3" }', ['10 4-6 down']],
    ['{ at: 5us, switch: 7 }', ['5 4-7 down', '5 5-7 down']],
    [
      '{ at: 5us, until: 6us, every: 10us, times: 2, link: 0-4 }',
      ['5 0-4 down', '6 0-4 up', '15 0-4 down', '16 0-4 up'],
    ],
    ['{ at: 1us, until: 2us, link: 0-4, rate: 1Gbps }', ['1 0-4 rate 1000000000', '2 0-4 rate 100000000000']],
    ['{ at: 1us, link: 0-4, errorRate: 0.5 }', ['1 0-4 errorRate 0.5']],
    [
      '{ at: 0us, plane: 1 }',
      ['0 0-4 down', '0 1-4 down', '0 2-5 down', '0 3-5 down', '0 4-6 down', '0 4-7 down', '0 5-6 down', '0 5-7 down'],
    ],
  ])('%s', async (text, wanted) => {
    expect([...(await changes(text))].sort()).toEqual([...wanted].sort());
  });
});

describe('a mistake is shown where it stands', () => {
  it.each([
    ['{ link: 4-6 }', 'scenario-missing 5:7'],
    ['{ at: 1us }', 'failure-target 5:7'],
    ['{ at: 1us, link: 4-6, switch: 7 }', 'failure-target 5:7'],
    ['{ at: 1us, link: 4-99 }', 'failure-target 5:24'],
    ['{ at: 1us, link: 0-1 }', 'failure-target 5:24'],
    ['{ at: 1us, link: "4:9" }', 'failure-target 5:24'],
    ['{ at: 1us, link: spine }', 'failure-target 5:24'],
    ['{ at: 1us, switch: 0 }', 'failure-target 5:26'],
    ['{ at: 1us, plane: 2 }', 'failure-target 5:25'],
    ['{ at: 9us, until: 9us, link: 4-6 }', 'failure-order 5:25'],
    ['{ at: 1us, every: 9us, link: 4-6 }', 'failure-flap 5:25'],
    ['{ at: 1us, until: 9us, every: 2us, times: 3, link: 4-6 }', 'failure-flap 5:37'],
    ['{ at: 1us, times: 3, link: 4-6 }', 'failure-flap 5:25'],
    ['{ at: 1us, link: 4-6, rate: 1000Tbps }', 'failure-rate 5:35'],
    ['{ at: 1us, link: 4-6, rate: 1Gbps }\n    - { at: 2us, link: 4-6, rate: 2Gbps }', 'failure-overlap 6:13'],
    ['{ at: 1us, link: 4-6, errorRate: 2 }', 'scenario-range 5:40'],
    ['{ at: 1us, link: 4-6, speed: 2 }', 'scenario-unknown-key 5:29'],
    ['{ at: 1us, until: 2us, every: 3us, times: 1000000, switch: 6 }', 'failure-too-many 4:3'],
  ])('%s', async (text, wanted) => {
    const error = await plan(text).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(
      (error as InputError).diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ code, line, column }) => `${code} ${line}:${column}`)
        .join(),
    ).toBe(wanted);
  });
});

/** Of a scenario with one event. */
async function warnings(events: string, backend: string): Promise<string[]> {
  const text = `${scenario(events)}backend: ${backend}\n`;
  const { warnings: all } = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides: [] });
  return all.map(({ code, message }) => `${code}: ${message}`);
}

describe('without packets', () => {
  it('nothing is lost where links fail under way, and that is said', async () => {
    expect(await warnings('{ at: 10us, until: 20us, switch: 7 }', 'fluid')).toEqual([
      'backend-losses: links fail during the run; the fluid backend has no packets, so none is lost and no sender waits for a retransmission timeout',
    ]);
  });

  it.each([
    ['{ at: 10us, switch: 7 }', 'packet'],
    ['{ at: 0us, switch: 7 }', 'fluid'],
    ['{ at: 10us, link: 4-6, rate: 10Gbps }', 'fluid'],
  ])('%s loses nothing that %s does not lose', async (events, backend) => {
    expect(await warnings(events, backend)).toEqual([]);
  });
});
