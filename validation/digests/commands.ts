// The command lines that two builds are compared by: those of the examples, of the golden tests, and random scenarios.
// What an example's page shows is read from the page, so that a new example is compared without a line here.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Group = 'examples' | 'goldens' | 'random';

/** A command line of `weft`, relative to a folder in which `examples` lies. */
export interface Command {
  readonly group: Group;
  readonly args: readonly string[];
  /** in the table; left out: the command line */
  readonly name?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Commands whose answer is compared. */
const compared = /^(run|collective|compare-fabrics|demo|route (compute|compare|evaluate)) /;

/**
 * The command lines of `weft` in the blocks of a Markdown page, word by word, without the shell's comments.
 * @param page text of the page
 */
export function commandsIn(page: string): string[][] {
  const lines = page.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines.flatMap((line) => {
    const [, text] = /^(?: {4}|\$ )?npx weft (.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    const words = [...text.matchAll(/'([^']*)'|"([^"]*)"|(?<!\S)(#).*$|(\S+)/g)];
    const args = words.filter(([, , , comment]) => comment === undefined).map((word) => word[1] ?? word[2] ?? word[4]!);
    return compared.test(`${args.join(' ')} `) ? [args] : [];
  });
}

/** How scenarios run that take minutes with every packet, by the start of their path: on fluid, or a layer of them. */
const inPlaceOfMinutes: readonly (readonly [string, readonly string[]])[] = [
  ['compare-fabrics/', ['--backend', 'fluid']],
  ['training/gpt3-13b.yaml', ['--set', 'workload.layerCount=1']],
];

/** What the examples of a build run: each of their scenarios, and the command lines of their pages. @param folder the build's */
export function exampleCommands(folder: string): Command[] {
  const commands: string[][] = [['demo']];
  const examples = join(folder, 'examples');
  for (const name of readdirSync(examples).sort()) {
    const files = readdirSync(join(examples, name)).sort();
    for (const file of files.filter((each) => each.endsWith('.yaml'))) {
      const [, shorter] = inPlaceOfMinutes.find(([start]) => `${name}/${file}`.startsWith(start)) ?? [];
      commands.push(['run', `examples/${name}/${file}`, ...(shorter ?? [])]);
    }
    if (files.includes('README.md'))
      commands.push(...commandsIn(readFileSync(join(examples, name, 'README.md'), 'utf8')));
  }
  return commands.map((args) => ({ group: 'examples', args: asJson(args), environment: {} }));
}

/** A run of an example's scenario with settings. */
function run(file: string, ...sets: string[]): string[] {
  return ['run', `examples/${file}`, ...sets.flatMap((set) => ['--set', set])];
}

/** What examples/pxn compares. */
function alltoall(spines: number, ...options: string[]): string[] {
  const fabric = `--fabric spectrum-x --gpus 64 --psw-switches ${spines}`.split(' ');
  return ['collective', 'alltoall', ...fabric, ...'--sizes 1MiB --backend packet --explain'.split(' '), ...options];
}

/**
 * What the golden tests run, as command lines.
 * @param reference folder of SimAI's reference data; null: without its cases
 */
export function goldenCommands(reference: string | null): Command[] {
  const commands = [
    ...['dcqcn', 'dctcp', 'timely', 'hpcc', 'hpcc-pint', 'none'].map((algorithm) =>
      run('incast-127/incast-127.yaml', `congestion.algorithm=${algorithm}`),
    ),
    run('kv-cache/cross-rail.yaml', 'controller.enabled=true'),
    run('kv-cache/own-plane.yaml', 'inference.layersPerTransfer=8'),
    run('server-pair/no-controller.yaml', 'routing.nextHopOrder=ascending-node-id'),
    run('server-pair/controller.yaml', 'routing.nextHopOrder=ascending-node-id'),
    alltoall(64),
    alltoall(8),
    alltoall(4),
    alltoall(64, '--pxn'),
    alltoall(4, '--pxn'),
    ['compare-fabrics', 'examples/compare-fabrics/scenario.yaml'],
    'route compare --fabric quartz1 --traffic lulesh'.split(' '),
  ];
  return [
    ...commands.map((args): Command => ({ group: 'goldens', args: asJson(args), environment: {} })),
    ...(reference === null ? [] : simaiCommands(reference)),
  ];
}

/** SimAI's five cases from its own files; those with random marks with several seeds. */
function simaiCommands(reference: string): Command[] {
  const [small, server, large] = [
    'DCN+SingleToR_16g_8gps_100Gbps_A100',
    'DCN+SingleToR_8g_8gps_100Gbps_A100',
    'Spectrum-X_128g_8gps_100Gbps_A100',
  ].map((name) => join(reference, 'topo', name)) as [string, string, string];
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
  const cases: [folder: string, topology: string, input: [option: string, file: string], seeds: readonly number[]][] = [
    ['case_i_10MiB', small, ['--trace', 'flows_i_10MiB.csv'], [1]],
    ['case_ii_ring_A100_seq', server, ['--workload', 'tp8_allreduce16M.txt'], [1]],
    ['case_iii_dp16_ar16M_seq', small, ['--workload', 'dp16_allreduce16M.txt'], seeds],
    ['case_iv_dp16_a2a16M_seq', small, ['--workload', 'dp16_alltoall16M.txt'], seeds],
    ['case_v_tp8dp16_ar32M_seq', large, ['--workload', 'tp8dp16_allreduce32M.txt'], [1]],
  ];
  return cases.flatMap(([name, topology, [option, file], given]) => {
    const folder = join(reference, 'cases', name);
    const args = [
      'run',
      '--simai-conf',
      join(folder, 'SimAI.conf'),
      '--topology',
      topology,
      option,
      join(folder, file),
    ];
    return given.map((seed): Command => ({
      group: 'goldens',
      args: asJson([...args, '--seed', String(seed)]),
      // what SimAI was started with
      environment: option === '--trace' ? {} : { AS_SEND_LAT: '6' },
    }));
  });
}

/**
 * A command line that answers in JSON, writes no folder of results and no figure, and searches without a limit of time
 * that a busy machine could reach: searches count work.
 */
function asJson(args: readonly string[]): string[] {
  const isDropped = (text: string | undefined): boolean =>
    text === '--figure' || (text === '--out' && args[0] === 'run');
  const kept = args.filter((text, place) => !isDropped(text) && !isDropped(args[place - 1]));
  const searches = args[0] === 'route' && args[1] !== 'evaluate' && !args.includes('--time');
  return [...kept, ...(searches ? ['--time', '10min'] : []), '--json'];
}
