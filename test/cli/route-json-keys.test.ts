// The keys of `--json` of weft route and weft traffic: those that docs/formats/json-output.md names are those that the
// commands print.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const leaf = tree.identity.nodeName.indexOf('leaf00');

let folder = '';
let page = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-keys-'));
  page = await readFile(resolve(import.meta.dirname, '../../docs/formats/json-output.md'), 'utf8');
  await writeFile(join(folder, 'f.net'), writeIbnetdiscover(tree));
  // what is odd and said: a cable from a switch to itself on a port beyond those in use, and traffic of a host with
  // itself
  await writeFile(
    join(folder, 'odd.net'),
    writeIbnetdiscover(tree).replace(
      /^Switch\t4( .*"leaf00".*\n)/m,
      'Switch\t9$1[8]\t"S-0002c90000010000"[9]\t# "leaf00" lid 2 4xEDR\n[9]\t"S-0002c90000010000"[8]\t# "leaf00" lid 2 4xEDR\n',
    ),
  );
  await writeFile(join(folder, 'odd.csv'), 'source,destination,bytes\n0,0,1\n0,7,3\n');
  await writeFile(
    join(folder, 'counters'),
    `   GUID 0x${tree.identity.nodeGuid[leaf]!.toString(16)} port 1: [SymbolErrorCounter == 65535] [PortXmitData == 1224]\n`,
  );
  await writeFile(
    join(folder, 'sl2vl'),
    `# SL2VL table: Lid ${tree.identity.lid[leaf]}\nports: in  0, out  1: |${' 0|'.repeat(16)}\n`,
  );
  await keysOf(['route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts']);
  await keysOf(['route', 'compute', '--fabric', '@f.net', '--algorithm', 'random', '--out', '@b.lfts']);
  const tables = await readFile(join(folder, 'a.lfts'), 'utf8');
  await writeFile(
    join(folder, 'less.lfts'),
    tables
      .split(/(?=Unicast)/)
      .slice(1)
      .join(''),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every key that a command prints, as `phases[].name`. */
async function keysOf(words: readonly string[]): Promise<Set<string>> {
  const world = scriptedContext();
  const code = await runProgram(
    [...words, '--json'].map((word) => word.replace(/^@/, `${folder}/`)),
    world,
  );
  expect({ words, code, stderr: world.stderr.text }).toMatchObject({ code: 0 });
  const keys = new Set<string>();
  const collect = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const own of value) collect(own, `${path}[]`);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, own] of Object.entries(value)) {
        keys.add(path === '' ? key : `${path}.${key}`);
        collect(own, path === '' ? key : `${path}.${key}`);
      }
    }
  };
  collect(JSON.parse(world.stdout.text), '');
  return keys;
}

/** The words in code marks in the first column of the table below a heading. */
function documented(heading: string): string[] {
  const parts = page.split(/^#{2,4} /m).filter((part) => part.startsWith(`${heading}\n`));
  expect({ heading, sections: parts.length }).toEqual({ heading, sections: 1 });
  const cells = parts[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1]!);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, key]) => key!));
}

const evaluated = {
  '': ['Loads and bounds'],
  'phases[].': ['Phases'],
  'collapsed.': ['Phases'],
  'phases[].maxPort.': ['Ports'],
  'phases[].netMaxPort.': ['Ports'],
  'collapsed.maxPort.': ['Ports'],
  'collapsed.netMaxPort.': ['Ports'],
  'fabric.': ['Fabrics'],
  'validity.': ['Validity'],
  'verdicts[].': ['Verdicts'],
  'warnings[].': ['Warnings'],
};
const captured = { 'fabric.': ['Fabrics'], 'validity.': ['Validity'], 'warnings[].': ['Warnings'] };
/**
 * By command: the sections that hold keys, by what stands before these; lists whose own keys stand in a sentence; and
 * calls that between them print every key.
 */
const commands: Readonly<
  Record<
    string,
    {
      readonly sections: Readonly<Record<string, readonly string[]>>;
      readonly described?: RegExp;
      readonly calls: readonly string[][];
    }
  >
> = {
  'weft route compute': {
    sections: { ...evaluated, '': ['Loads and bounds', 'Deadlock', 'weft route compute --json'] },
    described: /^(search|background|validity\.(examples|lengths))\./,
    calls: [
      ['--algorithm', 'weft', '--traffic', 'cyclic-stencil', '--current', '@less.lfts'],
      ['--algorithm', 'ftree', '--traffic', '@odd.csv', '--fabric', '@odd.net'],
      ['--algorithm', 'dmodk'],
      ['--algorithm', 'weft', '--traffic', '@odd.csv', '--background', '@counters'],
    ],
  },
  'weft route evaluate': {
    sections: { ...evaluated, '': ['Loads and bounds', 'Deadlock', 'weft route evaluate --json'] },
    described: /^validity\.(examples|lengths)\./,
    calls: [
      ['--tables', '@a.lfts', '--current', '@less.lfts', '--traffic', 'cyclic-stencil'],
      ['--tables', '@a.lfts', '--traffic', '@odd.csv', '--fabric', '@odd.net'],
    ],
  },
  'weft route compare': {
    sections: {
      '': ['weft route compare --json'],
      'fabric.': ['Fabrics'],
      'warnings[].': ['Warnings'],
      'tables[].': ['Loads and bounds', 'Deadlock', 'Tables of weft route compare'],
      'tables[].phases[].': ['Phases'],
      'tables[].collapsed.': ['Phases'],
      'tables[].phases[].maxPort.': ['Ports'],
      'tables[].phases[].netMaxPort.': ['Ports'],
      'tables[].collapsed.maxPort.': ['Ports'],
      'tables[].collapsed.netMaxPort.': ['Ports'],
      'tables[].validity.': ['Validity'],
      'tables[].verdicts[].': ['Verdicts'],
    },
    described: /^tables\[\]\.validity\.(examples|lengths)\./,
    calls: [
      ['--algorithms', 'dmodk', '--tables', '@a.lfts', '--traffic', 'cyclic-stencil', '--current', '@a.lfts'],
      ['--algorithms', 'dmodk', '--traffic', '@odd.csv', '--fabric', '@odd.net'],
    ],
  },
  'weft route import': {
    sections: {
      ...captured,
      '': ['Deadlock', 'weft route import --json'],
      'counters.': ['Counters'],
      'counters.links[].ends[].': ['Ports'],
      'ports[].': ['Ports'],
      'serviceLevels.': ['Service levels'],
    },
    described: /^(validity\.lengths\.|counters\.links\[\]\.(?!ends\[)|serviceLevels\.tables\[\]\.|ports\[\]\.counters)/,
    calls: [
      ['--tables', '@a.lfts', '--counters', '@counters', '--sl2vl', '@sl2vl'],
      ['--tables', '@a.lfts', '--fabric', '@odd.net'],
    ],
  },
  'weft route export': {
    sections: { ...captured, '': ['Deadlock', 'weft route export --json'] },
    described: /^validity\.lengths\./,
    calls: [
      ['--tables', '@a.lfts', '--out', '@out'],
      ['--tables', '@a.lfts', '--out', '@out', '--fabric', '@odd.net'],
    ],
  },
  'weft route transition': {
    sections: {
      '': ['weft route transition --json'],
      'fabric.': ['Fabrics'],
      'warnings[].': ['Warnings'],
    },
    described: /^(steps|violations)\[\]\./,
    calls: [
      ['@a.lfts', '@b.lfts'],
      ['@a.lfts', '@a.lfts', '--fabric', '@odd.net'],
    ],
  },
  'weft route model': {
    sections: { '': ['weft route model --json'], 'fabric.': ['Fabrics'], 'warnings[].': ['Warnings'] },
    calls: [
      ['--traffic', '@odd.csv', '--out', '@m.lp'],
      ['--traffic', '@odd.csv', '--out', '@m2.lp', '--fabric', '@odd.net'],
    ],
  },
  'weft traffic stats': {
    sections: {
      '': ['weft traffic stats --json'],
      'fabric.': ['Fabrics'],
      'phases[].': ['Phases of weft traffic stats'],
      'warnings[].': ['Warnings'],
    },
    described: /^phases\[\]\.(pairs|share)ByHops\./,
    calls: [
      ['--traffic', '@odd.csv'],
      ['--traffic', 'cyclic-stencil', '--fabric', '@odd.net'],
    ],
  },
};

/** Keys of a warning that it may do without. */
const occasional = new Set(['warnings[].got', 'warnings[].wanted', 'warnings[].hint']);

describe('documented keys are the printed ones', () => {
  it.each(Object.entries(commands))('%s', async (name, { sections, described, calls }) => {
    const expected = new Set(
      Object.entries(sections).flatMap(([before, headings]) =>
        headings.flatMap((heading) => documented(heading).map((key) => `${before}${key}`)),
      ),
    );
    const printed = new Set<string>();
    for (const call of calls)
      for (const key of await keysOf([
        ...name.split(' ').slice(1),
        ...(call.includes('--fabric') ? [] : ['--fabric', '@f.net']),
        ...call,
      ]))
        printed.add(key);
    const own = [...printed].filter((key) => described?.test(key) !== true);
    expect(own.filter((key) => !expected.has(key))).toEqual([]);
    expect([...expected].filter((key) => !printed.has(key) && !occasional.has(key))).toEqual([]);
    // keys of lists and objects that are described in a sentence stand there in code marks
    for (const key of printed)
      if (described?.test(key) === true && !/examples\.[\w-]+$/.test(key))
        expect(page).toContain(`\`${key.split('.').at(-1)!}\``);
  });

  it('weft traffic list', async () => {
    const printed = [...(await keysOf(['traffic', 'list']))].map((key) => key.replace('[].', ''));
    expect(printed.sort()).toEqual(documented('weft traffic list --json').sort());
  });
});
