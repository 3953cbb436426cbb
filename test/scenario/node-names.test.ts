// Names of nodes in scenarios: where one may stand it means the same as the number, and a wrong one is shown where it
// stands, with the range and the nearest word.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

// hosts 0-3, leaves 4 and 5, spines 6 and 7; links: 0-4 1-4 2-5 3-5, then leaf by leaf to the spines
const fabric =
  'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 2, spines: 2, gpusPerServer: 2, nvswitchesPerServer: 0 }\n';
const traffic = 'traffic: { transfers: [{ source: 0, destination: 3, size: 1MB }] }\n';

const planOf = (text: string, overrides: string[] = []) =>
  makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides });

/** What the scenario comes to, except for what it is called. */
const resolved = async (text: string, overrides: string[] = []): Promise<string> =>
  JSON.stringify((await planOf(text, overrides)).resolved);

const sending = (line: string): string => `${fabric}traffic: { transfers: [${line}] }\n`;
const straggling = (rank: string): string => `${fabric}${traffic}stragglers: [{ rank: ${rank}, receive: 0.5 }]\n`;

const changes = async (target: string): Promise<unknown> =>
  (await planOf(`${fabric}${traffic}failures: { events: [{ at: 1us, ${target} }] }\n`)).failures.changes;

const errors = async (text: string, overrides: string[] = []): Promise<object[]> => {
  const error = await planOf(text, overrides).catch((reason: unknown) => reason);
  if (!(error instanceof InputError)) throw error;
  return error.diagnostics.filter(({ severity }) => severity === 'error');
};

describe('a name means its number', () => {
  it.each([
    ['{ source: 0, destination: 3, size: 1MB }', '{ source: "host[0]", destination: "server[1].gpu[1]", size: 1MB }'],
    ['{ source: 1, destination: 2, size: 1MB }', '{ source: "Rank[1]", destination: "server[1].nic[0]", size: 1MB }'],
  ])('transfers: %s', async (number, name) => {
    expect(await resolved(sending(name))).toBe(await resolved(sending(number)));
  });

  it('stragglers', async () => {
    expect(await resolved(straggling('"server[1].gpu[0]"'))).toBe(await resolved(straggling('2')));
  });

  it.each([
    ['link: 4-6', 'link: "leaf[0]-spine[0]"'],
    ['link: 4-6', 'link: "4-spine[0]"'],
    ['link: "5:3"', 'link: "leaf[1]:3"'],
    ['link: 1-4', 'link: "server[0].nic[1]"'],
    ['link: 1-4', 'link: "host[1].nic[0]"'],
    ['switch: 7', 'switch: "spine[1]"'],
    ['switch: 7', 'switch: "plane[0].spine[1]"'],
  ])('failures: %s is %s', async (number, name) => {
    expect(await changes(name)).toEqual(await changes(number));
  });

  it('in lines of their own names need no quotes', async () => {
    const { failures } = await planOf(
      `${fabric}${traffic}failures:\n  events:\n    - at: 1us\n      switch: spine[1]\n`,
    );
    expect([...failures.changes.link]).toEqual([5, 7]);
  });

  it('with --set', async () => {
    const { failures, resolved: values } = await planOf(`${fabric}${traffic}`, [
      'failures.events=[{at: 1us, switch: "spine[1]"}]',
      'traffic.transfers[0].source=host[1]',
    ]);
    expect([...failures.changes.link]).toEqual([5, 7]);
    expect(values['traffic']).toMatchObject({ transfers: [{ source: 1 }] });
  });
});

/** The first thing that is said of a block of failures. */
async function failuresMessage(block: string): Promise<string> {
  const [first] = await errors(`${fabric}${traffic}failures: ${block}\n`);
  return (first as { readonly message: string }).message;
}

describe('a name that means nothing is shown where it stands', () => {
  it.each([
    ['switch: "spine[2]"', 'node-name', { got: 'spine[2]', wanted: 'spine[0] to spine[1]' }],
    ['switch: "spin[0]"', 'node-name', { wanted: 'leaf[0..1], spine[0..1]', hint: 'did you mean spine[0]?' }],
    [
      'switch: "host[0]"',
      'failure-target',
      { got: 'host[0] (node 0)', wanted: 'a switch: leaf[0..1] (4-5), spine[0..1] (6-7)' },
    ],
    ['link: "leaf[0]-spine[9]"', 'failure-target', { got: 'spine[9]', wanted: 'spine[0] to spine[1]' }],
    ['link: "leaf[0]"', 'failure-target', { got: 'leaf[0]' }],
    ['link: "leaf[0]:9"', 'failure-target', { wanted: 'an interface of leaf[0] (node 4), 1 to 4' }],
    ['link: "edge[0]-spine[9]"', 'failure-target', { got: 'spine[9]', wanted: 'spine[0] to spine[1]' }],
    [
      'link: "edge[0]-leaf[1]"',
      'failure-target',
      {
        message: 'link: no link joins leaf[0] (node 4) and leaf[1] (node 5)',
        hint: 'edge is another word for leaf',
      },
    ],
    [
      'link: "leaf[0]-leaf[1]"',
      'failure-target',
      {
        wanted:
          'two nodes joined by a link; leaf[0] (node 4) is linked to host[0] (node 0), host[1] (node 1), spine[0] (node 6), spine[1] (node 7)',
      },
    ],
  ])('%s', async (target, code, detail) => {
    const found = await errors(`${fabric}${traffic}failures:\n  events:\n    - { at: 1us, ${target} }\n`);
    const column = 18 + target.indexOf(':') + 2;
    expect(found).toEqual([expect.objectContaining({ code, line: 5, column, ...detail })]);
  });

  it('by the path that was written', async () => {
    const event = '{ at: 1us, switch: "spin[0]" }';
    expect(await failuresMessage(`[${event}]`)).toBe('failures[0].switch names nothing in the fabric');
    expect(await failuresMessage(`{ events: [${event}] }`)).toBe(
      'failures.events[0].switch names nothing in the fabric',
    );
    expect(await failuresMessage('[{ at: 1us, swich: 3 }]')).toBe('failures[0].swich is not known');
  });

  it('transfers and stragglers', async () => {
    const transfer = (source: string): string =>
      `${fabric}traffic: { transfers: [{ source: "${source}", destination: 3, size: 1MB }] }\n`;
    expect(await errors(transfer('hots[0]'))).toEqual([
      expect.objectContaining({ code: 'node-name', line: 2, column: 34, hint: 'did you mean host[0]?' }),
    ]);
    expect(await errors(transfer('leaf[0]'))).toEqual([expect.objectContaining({ code: 'transfer-not-a-host' })]);
    expect(await errors(transfer('host'))).toEqual([
      expect.objectContaining({ wanted: 'a whole number, or a name such as host[3] or spine[0]' }),
    ]);
    expect(await errors(`${fabric}${traffic}stragglers: [{ rank: "spine[0]", receive: 0.5 }]\n`)).toEqual([
      expect.objectContaining({ code: 'node-name', got: 'spine[0]', wanted: 'host[0] to host[3], or a rank' }),
    ]);
  });

  it('and where braces need quotes, that is said', async () => {
    const hint = 'within { } a name with brackets stands in quotes: "spine[0]"';
    expect(await errors(`${fabric}${traffic}failures: { events: [{ at: 1us, switch: spine[1] }] }\n`)).toEqual([
      expect.objectContaining({ code: 'yaml-syntax', line: 3, hint }),
    ]);
    expect(await errors(`${fabric}${traffic}`, ['failures.events=[{at: 1us, switch: spine[1]}]'])).toEqual([
      expect.objectContaining({ code: 'set-value', hint }),
    ]);
  });
});

describe('no failures', () => {
  const failing = `${fabric}${traffic}failures: { convergenceTime: 1ms, events: [{ at: 1us, switch: 6 }] }\n`;
  it.each([
    ['failures: []', `${fabric}${traffic}failures: []\n`, []],
    ['failures: { events: [] }', `${fabric}${traffic}failures: { events: [] }\n`, []],
    ['--set failures.events=[]', failing, ['failures.events=[]']],
    ['--set failures=[]', failing, ['failures=[]']],
  ])('%s', async (_, text, overrides) => {
    expect((await planOf(text, overrides)).failures.changes.count).toBe(0);
  });

  it('a list of failures is their events', async () => {
    const text = `${fabric}${traffic}failures: [{ at: 1us, switch: 6 }]\n`;
    expect([...(await planOf(text)).failures.changes.link]).toEqual([4, 6]);
    expect((await planOf(text, ['failures.convergenceTime=1us'])).failures.convergencePs).toBe(1e6);
  });
});
