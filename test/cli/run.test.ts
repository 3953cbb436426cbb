// `weft run` around a scripted simulation: what is printed where, the exit codes, and what is left on disk.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError, wholeFile } from '../../src/base/diagnostics.js';
import { fail } from '../../src/base/fail.js';
import runCommand, { runScenario, type RunRequest } from '../../src/cli/run/run.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { burstFlow, emptyPlan, figuresWith, scriptedSimulate, writeFacts } from '../support/hand-made-run.js';
import { scriptedContext } from '../support/command-context.js';

const facts = Array.from({ length: 8 }, (_, i) => burstFlow(i, 20 + i, 10_000, 849_712_000));

let folder = '';
let out = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-cli-'));
  out = join(folder, 'out');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function request(changes: Partial<RunRequest> = {}): RunRequest {
  return { scenario: 'scenario.yaml', set: [], json: false, quiet: false, ...changes };
}

/** A file without an end. */
async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield await Promise.resolve(Uint8Array.of(1));
}

describe('weft run', () => {
  it('prints exactly one JSON object with --json', async () => {
    const context = scriptedContext({ simulate: scriptedSimulate(facts, figuresWith()) });
    expect(await runScenario(request({ json: true, out }), context)).toBe(0);
    const object = JSON.parse(context.stdout.text) as Record<string, unknown>;
    expect(object).toMatchObject({
      flows: 8,
      finished: 8,
      fct: { meanNs: 1_271_100, p50Ns: 849_720, p99Ns: 1_692_512, maxNs: 1_692_512 },
      collisions: { links: 4, flowPairs: 2 },
      packetHops: 56_192,
      cpuSeconds: 0.125,
      verdicts: [{ name: 'conservation', ok: true, detail: 'sent = delivered' }, { name: 'buffers-empty' }],
      outcome: 'finished',
      simulatedNs: 1_692_512,
      counters: { events: 1000 },
      warnings: [],
    });
    expect(context.stderr.text).toBe('');
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('prints a report of at most 80 columns without it', async () => {
    const context = scriptedContext();
    await runScenario(request(), context);
    expect(context.stdout.text).toMatchInlineSnapshot(`
      "hand-made: finished after 1.693ms of simulated time
      Nothing was slow on the network: flows took 0.0 % longer than alone, all
      together.

        flows        8 of 8 finished
        completion   mean 1.271ms   p50 849.7us   p99 1.693ms   max 1.693ms
        collisions   2 pairs of flows shared 4 links between switches
        network      0 dropped, 0 pauses, 0 ECN marks, 56,192 packet-hops
        checks       all 2 passed
        run          seed 7, 0.13 s of CPU, at most 87.7MB, digest 0123456789abcdef
        results      not kept; add --out DIR to write them to a folder
      "
    `);
    expect(Math.max(...context.stdout.text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.each([
    [
      'what timeouts cost',
      { packetsLost: 3, timeouts: 27, timeoutWaitPs: 432e9, longestTimeoutWaitPs: 32e9 },
      {},
      '  timeouts     27 retransmission timeouts: queue pairs stood still for 432ms in\n               all, one of them for 32ms\n',
    ],
    [
      'that timeouts were needless',
      { timeouts: 1, timeoutWaitPs: 16e9, longestTimeoutWaitPs: 16e9 },
      {},
      '; nothing was lost:\n               queuePair.retransmissionTimeout is shorter than packets wait here\n',
    ],
    [
      'why nothing was marked',
      {},
      { unmarked: { rateBps: 100e9, thresholdBytes: 400e3, longestQueueBytes: 278e3, windowBytes: 116_400 } },
      '  marking      none: the longest queue held 278kB, and ports of 100Gbps mark\n               above 400kB; a window of 116.4kB limits what a queue pair has in\n               flight (queuePair.window)\n',
    ],
  ] as const)('says %s', async (_what, counters, changes, lines) => {
    const figures = figuresWith();
    const summary = figuresWith({ counters: { ...figures.counters, ...counters }, ...changes });
    const text = scriptedContext({ simulate: scriptedSimulate(facts, summary) });
    await runScenario(request(), text);
    expect(text.stdout.text).toContain(lines);
    const json = scriptedContext({ simulate: scriptedSimulate(facts, summary) });
    await runScenario(request({ json: true }), json);
    const { timeoutWaitPs = 0, longestTimeoutWaitPs = 0 } = summary.counters;
    expect(JSON.parse(json.stdout.text)).toMatchObject({
      unmarked: summary.unmarked,
      counters: {
        timeouts: summary.counters.timeouts,
        timeoutWaitNs: timeoutWaitPs / 1000,
        longestTimeoutWaitNs: longestTimeoutWaitPs / 1000,
      },
    });
  });

  it('says what the probes recorded', async () => {
    const latency = { packets: 1000, meanNs: 50_530.6, p50Ns: 35_651, p99Ns: 213_909, maxNs: 219_256 };
    const point = {
      node: 19,
      interface: 9,
      name: 'leaf[3]:9',
      priority: 3,
      pauses: 680,
      roots: 200,
      depth: 3,
      pausedPs: 12_345_600_000,
      hosts: 15,
    };
    const pauses = {
      pauses: 690,
      beyond: 0,
      congestionPoints: 7,
      largest: [
        point,
        ...[5, 1, 1, 1, 1, 1].map((count, i) => ({
          node: 20 + i,
          interface: 9,
          name: `spine[${i}]:9`,
          priority: 3,
          pauses: count,
          roots: 1,
          depth: 1,
          pausedPs: 1000,
          hosts: 0,
        })),
      ],
    };
    const largest = pauses.largest.map(
      ({ node, interface: port, name, priority, pauses: count, roots, depth, pausedPs, hosts }) => ({
        node,
        interface: port,
        name,
        priority,
        pauses: count,
        roots,
        depth,
        pausedNs: pausedPs / 1000,
        hosts,
      }),
    );
    const probes = {
      tables: [
        { name: 'queues', rows: 3106 },
        { name: 'packet_latency', rows: 8 },
        { name: 'latency_histogram', rows: 165 },
        { name: 'port_counters', rows: 100 },
      ],
      latency,
      pauses,
      sampling: { variant: 'one-bit', every: 10, sampledPackets: 4321, weakMasks: { zero: 0, same: 2 } },
    };
    const text = scriptedContext({ simulate: scriptedSimulate(facts, figuresWith({ probes })) });
    await runScenario(request(), text);
    expect(text.stdout.text).toContain('  latency      mean 50.53us   p50 35.65us   p99 213.9us   max 219.3us\n');
    expect(text.stdout.text).toContain(
      '  pauses       690 pauses because of 7 output ports (node:port), time summed\n               leaf[3]:9 (19:9), priority 3: 680 pauses, 3 deep, 15 hosts,\n               12.35ms\n               spine[0]:9 (20:9), priority 3: 5 pauses, 1 deep, 0 hosts, 1ns\n',
    );
    expect(text.stdout.text).toContain('1ns\n               and 2 other ports\n');
    expect(text.stdout.text).toContain(
      '  probes       rows recorded: queues 3,106, packet_latency 8, latency_histogram\n               165, port_counters 100\n',
    );
    expect(text.stdout.text).toContain(
      '  samples      one-bit, one packet in 10: 4,321 samples arrived\n' +
        "               sampling.identifier: 0 links have no hash, 2 share another's\n",
    );
    const json = scriptedContext({ simulate: scriptedSimulate(facts, figuresWith({ probes })) });
    await runScenario(request({ json: true }), json);
    expect((JSON.parse(json.stdout.text) as Record<string, unknown>)['probes']).toEqual({
      rows: { queues: 3106, packet_latency: 8, latency_histogram: 165, port_counters: 100 },
      pauses: { ...pauses, largest },
      latency,
      sampling: probes.sampling,
    });
    const without = scriptedContext();
    await runScenario(request({ json: true }), without);
    expect((JSON.parse(without.stdout.text) as Record<string, unknown>)['probes']).toBe(null);
    const nothing = scriptedContext({
      simulate: scriptedSimulate(
        facts,
        figuresWith({
          probes: {
            tables: [],
            pauses: null,
            sampling: null,
            latency: { packets: 0, meanNs: 0, p50Ns: 0, p99Ns: 0, maxNs: 0 },
          },
        }),
      ),
    });
    await runScenario(request(), nothing);
    expect(nothing.stdout.text).toContain('no data packet arrived while the probe recorded');
  });

  it('shows failed checks one by one and ends with 1', async () => {
    const figures = figuresWith({
      verdicts: [
        {
          name: 'no-drops',
          ok: false,
          detail:
            '3 packets were dropped on a lossless fabric, the first at node 18, port 3, after 12us of simulated time',
        },
      ],
    });
    const context = scriptedContext({ simulate: scriptedSimulate([], figures) });
    expect(await runScenario(request(), context)).toBe(1);
    expect(context.stdout.text).toContain('1 of 1 FAILED\n               - no-drops: 3 packets were dropped');
  });

  it('ends with 1 when flows did not finish', async () => {
    const context = scriptedContext({
      simulate: scriptedSimulate([], figuresWith({ outcome: 'blocked', finished: 7 })),
    });
    expect(await runScenario(request(), context)).toBe(1);
    expect(context.stdout.text).toContain('BLOCKED');
  });

  it('ends with 130 when it was stopped, and says where the partial results are', async () => {
    const context = scriptedContext({
      simulate: async (_plan, options) => {
        await writeFacts(options.sink!, facts.slice(0, 3));
        process.emit('SIGINT', 'SIGINT');
        return figuresWith({ outcome: options.stopRequested!() ? 'stopped' : 'finished' });
      },
    });
    expect(await runScenario(request({ out }), context)).toBe(130);
    expect(context.stderr.text).toContain('press Ctrl-C again');
    expect(context.stdout.text.replace(/\s+/g, ' ')).toContain(
      `results ${out}.partial, which the next run with --out ${out} replaces`,
    );
    expect(await readdir(folder)).toEqual(['out.partial']);
  });

  it('ends with 130 when it was stopped while it read its files, and says that nothing was done', async () => {
    let pieces = 0;
    const context = scriptedContext({
      makePlan: async (_source, { host }) => {
        for await (const piece of host.readBytes('endless')) {
          pieces += piece.length;
          if (pieces === 3) process.emit('SIGTERM', 'SIGTERM');
        }
        return fail('an endless file has ended');
      },
    });
    const world = { ...context, host: { ...context.host, readBytes: endless } };
    expect(await runScenario(request({ out }), world)).toBe(143);
    expect(pieces).toBe(3);
    expect(context.stderr.text).toContain('stopped while the inputs were read: nothing was simulated or written\n');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([{ quiet: true }, { json: true }])('names them on stderr with %o, where no report does', async (how) => {
    const context = scriptedContext({
      simulate: scriptedSimulate(facts.slice(0, 3), figuresWith({ outcome: 'stopped' })),
    });
    await runScenario(request({ out, ...how }), context);
    expect(context.stderr.text).toContain(`results: ${out}.partial, which the next run with --out ${out} replaces\n`);
  });

  it('says nothing with --quiet', async () => {
    const warning = {
      severity: 'warning',
      code: 'no-effect',
      file: 's.yaml',
      line: 3,
      column: 1,
      message: 'ecn.enabled had no effect',
    } as const;
    const context = scriptedContext({ makePlan: () => Promise.resolve(emptyPlan({ warnings: [warning] })) });
    await runScenario(request({ quiet: true }), context);
    expect(context.stdout.text + context.stderr.text).toBe('');
    await runScenario(request(), context);
    expect(context.stderr.text).toBe('s.yaml:3:1: warning: ecn.enabled had no effect\n');
  });

  it('leaves nothing when the scenario is bad, or when the simulation fails', async () => {
    const badInput = scriptedContext({
      makePlan: () => Promise.reject(InputError.at('empty', 's.yaml', wholeFile, 'the file is empty')),
    });
    await expect(runScenario(request({ out }), badInput)).rejects.toThrow('the file is empty');
    expect(await readdir(folder)).toEqual([]);
    const broken = scriptedContext({
      simulate: async (_plan, options) => {
        await writeFacts(options.sink!, facts);
        return fail('the wheel turned backwards');
      },
    });
    await expect(runScenario(request({ out }), broken)).rejects.toThrow('the wheel turned backwards');
    expect(await readdir(folder)).toEqual([]);
  });

  it('does not read a scenario when the folder cannot be used', async () => {
    const context = scriptedContext({ makePlan: () => Promise.reject(new Error('read')) });
    await writeFile(join(folder, 'mine'), '');
    await expect(runScenario(request({ out: folder }), context)).rejects.toMatchObject({ name: 'InputError' });
  });

  it.each([
    ['trace' as const, 6000, '3 of 8 started flows finished; 6,000 in the trace'],
    ['scenario' as const, 8, '3 of 8 started flows finished; 8 in the scenario'],
    ['trace' as const, NaN, '3 of 8 started flows finished\n'],
  ])('says how far a stopped run came: its flows in a %s, %d of them', async (role, total, text) => {
    const { source } = emptyPlan();
    const context = scriptedContext({
      makePlan: () =>
        Promise.resolve(
          emptyPlan({
            inputs: [{ role, path: 'file', readPath: 'file' }],
            source: Object.create(source, { total: { value: total } }) as typeof source,
          }),
        ),
      simulate: scriptedSimulate([], figuresWith({ outcome: 'stopped', finished: 3 })),
    });
    await runScenario(request(), context);
    expect(context.stdout.text).toContain(text);
  });

  it('identifies the files it was made from in the manifest, whatever their folder', async () => {
    const fabric = '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n';
    const files = {
      's.yaml': 'fabric: { file: a/f.topo }\ntraffic: { trace: ../t.csv }\n',
      'a/f.topo': fabric,
      '../t.csv': '0,0,1,9\n',
    };
    const manifests = [];
    for (const name of ['one', 'two']) {
      const scenarios = join(folder, name, 'scenarios');
      await mkdir(join(scenarios, 'a'), { recursive: true });
      for (const [path, text] of Object.entries(files)) await writeFile(join(scenarios, path), text);
      expect(
        await runScenario(
          request({ scenario: join(scenarios, 's.yaml'), out: join(folder, name, 'out'), quiet: true }),
          scriptedContext({ makePlan }),
        ),
      ).toBe(0);
      manifests.push(await readFile(join(folder, name, 'out', 'manifest.json'), 'utf8'));
    }
    expect(manifests[0]).toBe(manifests[1]);
    const roles = ['scenario', 'topology', 'trace'];
    expect((JSON.parse(manifests[0]!) as { inputs: unknown }).inputs).toEqual(
      Object.entries(files).map(([path, text], i) => ({
        role: roles[i],
        path,
        sizeBytes: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      })),
    );
  });

  it('hands settings and seed to the plan', async () => {
    const requests: unknown[] = [];
    const context = scriptedContext({
      makePlan: (path, { overrides, seed }) => {
        requests.push({ path, overrides, seed });
        return Promise.resolve(emptyPlan());
      },
    });
    await runCommand(context).parseAsync(['s.yaml', '--set', 'a.b=1', '--set', 'c=x=y', '--seed', '42', '--quiet'], {
      from: 'user',
    });
    expect(requests).toEqual([{ path: 's.yaml', overrides: ['a.b=1', 'c=x=y'], seed: 42 }]);
  });

  it("runs SimAI's inputs like a scenario, with the conf among the inputs of the manifest", async () => {
    const files = {
      'SimAI.conf': 'CC_MODE 1\nVAR_WIN 0\n',
      topology: '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n',
      'trace.csv': '0,0,1,9\n',
    };
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
    const context = scriptedContext({ makePlan, environment: { LANG: 'C.UTF-8', CC_ENABLE: '1' } });
    const options = [
      '--simai-conf',
      join(folder, 'SimAI.conf'),
      '--topology',
      join(folder, 'topology'),
      '--trace',
      join(folder, 'trace.csv'),
    ];
    await runCommand(context).parseAsync(
      [...options, '--out', out, '--json', '--seed', '9', '--set', 'sendLatency=2us'],
      { from: 'user' },
    );
    expect(Object.keys(JSON.parse(context.stdout.text) as object)).toContain('digest');
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as {
      inputs: { role: string; path: string }[];
      warnings: { message: string }[];
    };
    expect(manifest).toMatchObject({
      name: 'SimAI',
      seed: 9,
      scenario: { sendLatency: '2us', controller: { enabled: true }, queuePair: { variableWindow: false } },
    });
    expect(manifest.inputs.map(({ role, path }) => [role, path])).toEqual([
      ['conf', 'SimAI.conf'],
      ['topology', join(folder, 'topology')],
      ['trace', join(folder, 'trace.csv')],
    ]);
    expect(manifest.warnings.map(({ message }) => message)).toEqual([
      'controller.enabled is true, because CC_ENABLE is 1',
    ]);
    expect(context.stderr.text).toContain('environment variable CC_ENABLE: warning: controller.enabled is true');
  });

  it('hears CC_ENABLE and AS_SEND_LAT only with a conf', async () => {
    const plans: Plan[] = [];
    const scenario =
      'fabric: { generate: dumbbell }\ntraffic: { transfers: [{ source: 0, destination: 1, size: 9 }] }\n';
    await writeFile(join(folder, 's.yaml'), scenario);
    const context = scriptedContext({
      environment: { LANG: 'C.UTF-8', CC_ENABLE: '1', AS_SEND_LAT: '6' },
      makePlan: async (...given) => {
        plans.push(await makePlan(...given));
        return plans[0]!;
      },
    });
    await runScenario(request({ scenario: join(folder, 's.yaml') }), context);
    expect(
      plans.map(({ controller, sendLatencyPs, warnings }) => [controller.enabled, sendLatencyPs, warnings]),
    ).toEqual([[false, 0, []]]);
  });

  it.each([
    [[], "missing required argument 'scenario'\n  hint:   give a scenario file, or --simai-conf"],
    [['s.yaml', '--simai-conf', 'c', '--topology', 't', '--trace', 'u'], '--simai-conf and a scenario are both given'],
    [['s.yaml', '--trace', 'u'], '--trace and a scenario are both given\n  hint:   a scenario names its own'],
    [['s.yaml', '-t', '2'], '--threads and a scenario are both given'],
    [['--simai-conf', 'c'], '--topology and --trace or --workload are missing beside --simai-conf\n  hint:'],
    [['-n', 't', '-w', 'u'], '--simai-conf is missing beside --topology and --workload'],
    [
      ['-c', 'c', '-n', 't', '-w', 'u', '--trace', 'v'],
      '--trace and --workload are both given\n  hint:   give one of them',
    ],
    [['-c', 'c', '-n', 't', '--trace', 'v', '--tp', '8', '--ep', '1'], '--tp and --ep are given beside a trace'],
    [['-c', 'c', '-n', 't', '-w', 'u', '--workload', 'v'], "option '-w, --workload <file>' is given more than once"],
    [['--topology', 't', '--trace', 'u'], '--simai-conf is missing beside --topology and --trace'],
    [['--simai-conf', 'c', '--trace', 'u'], '--topology is missing beside --simai-conf and --trace'],
  ])('refuses %j', async (commandLine, text) => {
    let said = '';
    const command = runCommand(scriptedContext())
      .exitOverride()
      .configureOutput({
        writeErr: (part) => {
          said += part;
        },
      });
    await expect(command.parseAsync(commandLine, { from: 'user' })).rejects.toMatchObject({
      name: 'CommanderError',
      exitCode: 2,
    });
    expect(said).toContain(text);
  });

  it.each(
    ['-t', '--tp', '--dp', '--ep'].flatMap((option) => ['0', '8.5', 'x', '99999999'].map((value) => [option, value])),
  )('refuses %s %s', async (option, value) => {
    const command = runCommand(scriptedContext())
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await expect(
      command.parseAsync(['-c', 'c', '-n', 't', '-w', 'u', `${option}`, `${value}`], { from: 'user' }),
    ).rejects.toMatchObject({ code: 'commander.invalidArgument' });
  });

  it.each(['-1', '1.5', '1e3', 'x', '99999999999999999'])('refuses the seed %s', async (seed) => {
    const command = runCommand(scriptedContext())
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await expect(command.parseAsync(['s.yaml', `--seed=${seed}`], { from: 'user' })).rejects.toMatchObject({
      code: 'commander.invalidArgument',
    });
  });
});
