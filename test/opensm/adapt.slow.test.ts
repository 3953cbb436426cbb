// The loop from counters to routes on a fabric that runs: ibsim's ports count what a run on the tables in use counted,
// perfquery reads them, Weft reconstructs the traffic, computes tables that suit it and says the steps; OpenSM loads one
// after the other. At the end its dump is what was written. Twice, with other traffic. Skipped, and said, where packages
// are missing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { entriesByGuid } from '../support/infiniband.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { blocksOf, load, take, textOf, type Step } from '../support/live-steps.js';
import { type CommandResult, runCommand } from '../support/run-command.js';

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

const weft = (...words: string[]): Promise<CommandResult> => runCommand(live!.folder, words, { makePlan, simulate });
const on = ['--fabric', '@fabric.net', '--guid2lid', '@guid2lid'];
const shape = '--pods 2 --edges-per-pod 1 --hosts-per-edge 4 --aggregation-per-pod 2 --cores 4'.split(' ');

/** Messages, as the list of a scenario and as a matrix. */
type Messages = readonly (readonly [source: number, destination: number, bytes: number])[];

/** What ports of the fabric count, as perfquery prints it. */
function perfquery(ports: readonly string[]): string {
  live!.file('ports', ports.map((port) => `${port}\n`).join(''));
  return live!.tool('timeout', '200', 'bash', '-c', 'while read lid port; do perfquery -x $lid $port; done < ports')
    .stdout;
}

/** The words that each port has sent and received, by `lid port counter`. */
function words(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const block of text.split(/^(?=# Port extended counters: )/m)) {
    const [, lid, port] = /^# Port extended counters: Lid (\d+) port (\d+)/.exec(block) ?? [];
    for (const [, counter, count] of block.matchAll(/^(PortXmitData|PortRcvData):\.+(\d+)/gm))
      found.set(`${lid} ${port} ${counter}`, Number(count));
  }
  return found;
}

/** Ports of such keys, as perfquery takes them. */
function portsOf(run: ReadonlyMap<string, number>): string[] {
  return [...new Set([...run.keys()].map((key) => key.split(' ', 2).join(' ')))];
}

/** Has the ports of ibsim count on by what a run's ports counted. */
function count(run: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): string {
  const net = live!.read('fabric.net');
  const nameOf = new Map<string, string>();
  for (const block of net.split(/\n(?=vendid=)/)) {
    const [, kind, name] = /^(Switch|Ca)\s.*?"([SH]-\w+)"/m.exec(block) ?? [];
    const lid = kind === 'Switch' ? /port 0 lid (\d+)/.exec(block) : /# lid (\d+) lmc/.exec(block);
    if (name !== undefined && lid !== null) nameOf.set(lid[1]!, name);
  }
  for (const [key, own] of run) {
    const [lid, number, counter] = key.split(' ');
    live!.console(
      `PerformanceSet "${nameOf.get(lid!)}"[${number}] PortCountersExtended.${counter}=${before.get(key)! + own}`,
    );
  }
  // its console takes one line after the other
  const [last, own] = [...run].at(-1)!;
  for (let tries = 0; tries < 100; tries++)
    if (words(perfquery(portsOf(new Map([[last, own]])))).get(last)! >= before.get(last)! + own)
      return perfquery(portsOf(run));
  throw new Error('the counters of ibsim are not set');
}

/** One round of the loop. @returns the largest loads of what was sent, by the tables before and after */
async function adapt(messages: Messages, reread: () => Promise<void>) {
  const transfers = messages.map(
    ([source, destination, size]) => `{ source: ${source}, destination: ${destination}, size: ${size}B }`,
  );
  writeFileSync(
    join(live!.folder, 'scenario.yaml'),
    `backend: credit
fabric: { file: fabric.net }
routing: { algorithm: tables, tables: used.lfts }
polling: { interval: 1s }
traffic: { transfers: [${transfers.join(', ')}] }
`,
  );
  expect((await weft('run', '@scenario.yaml', '--out', '@run', '--force')).code).toBe(0);
  const run = words(live!.read('run/perfquery.txt').split('# Time').at(-1)!);
  expect(run.size).toBeGreaterThan(0);
  live!.file('before.txt', perfquery(portsOf(run)));
  live!.file('after.txt', count(run, words(live!.read('before.txt'))));
  // as docs/infiniband.md says: management sends by every port
  const counters = ['--counters', '@after.txt', '--before', '@before.txt', '--floor', '64KB'];
  const found = await weft(
    'reconstruct',
    ...on,
    '--tables',
    '@used.lfts',
    ...counters,
    '--work',
    '20000',
    '--out',
    '@matrix.csv',
    '--force',
    '--json',
  );
  expect([found.code, JSON.parse(found.stdout)]).toEqual([0, expect.objectContaining({ warnings: [] })]);
  live!.file('sent.csv', `source,destination,bytes\n${messages.map((row) => row.join(',')).join('\n')}\n`);
  const compute = ['route', 'compute', ...on, '--algorithm', 'weft', '--work', '2000', '--current', '@used.lfts'];
  expect((await weft(...compute, '--traffic', '@matrix.csv', '--out', '@new.lfts', '--force')).code).toBe(0);
  const told = await weft('route', 'transition', '@used.lfts', '@new.lfts', ...on, '--json');
  const { steps } = JSON.parse(told.stdout) as { steps: Step[] };
  expect([told.code, steps.map(({ kind }) => kind)]).toEqual([0, expect.not.arrayContaining(['drain'])]);
  const [now, next] = ['used.lfts', 'new.lfts'].map((file) => blocksOf(live!.read(file)));
  for (const step of steps) {
    take(now!, next!, step);
    await load(live!, textOf(now!), reread);
  }
  // what the switches hold, as OpenSM's own tool reads it
  expect(entriesByGuid(live!.tool('dump_fts').stdout)).toEqual(entriesByGuid(live!.read('new.lfts')));
  const loadOf = async (tables: string): Promise<number> => {
    const evaluated = await weft('route', 'evaluate', ...on, '--tables', tables, '--traffic', '@sent.csv', '--json');
    return (JSON.parse(evaluated.stdout) as { maxLoad: number }).maxLoad;
  };
  const loads = { before: await loadOf('@used.lfts'), after: await loadOf('@new.lfts') };
  live!.file('used.lfts', live!.read('new.lfts'));
  return loads;
}

describe.skipIf(missingPrograms().length > 0)('the loop from counters to routes', () => {
  it('ends twice in a row with what was written in the switches, and carries less', async () => {
    // the generated names stand in no subnet: OpenSM gives LIDs
    const plain = await runCommand('', ['topology', 'generate', 'fat-tree', ...shape, '--format', 'ibnetdiscover']);
    live = await LiveFabric.start(plain.stdout, /^Ca\s.*"(H-\w+)"/m.exec(plain.stdout)![1]!);
    live.file('used.lfts', live.sweep('-R', 'ftree').dump('opensm-lfts.dump'));
    live.file('fabric.net', live.tool('ibnetdiscover').stdout);
    live.file('guid2lid', live.guid2lid());
    live.file('loaded.lfts', live.read('used.lfts'));
    const reread = await live.startFileEngine();
    // ftree's tables lead both by one port up, and there are two: a link of a host carries one message at least
    expect(
      await adapt(
        [
          [0, 4, 4_000_000],
          [1, 6, 4_000_000],
        ],
        reread,
      ),
    ).toEqual({ before: 8_000_000, after: 4_000_000 });
    expect(
      await adapt(
        [
          [4, 1, 3_000_000],
          [6, 3, 3_000_000],
        ],
        reread,
      ),
    ).toEqual({ before: 6_000_000, after: 3_000_000 });
  });
});
