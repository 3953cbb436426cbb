// weft topology generate | list | check: makes topology files, names what can be made, and looks at files.
// Invariants: nothing is written when the parameters do not fit; every option of `generate` comes from the catalogue of
// families.

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { Diagnostics, formatDiagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import {
  fabricFamilies,
  fabricFileName,
  findFamily,
  resolveParameters,
  type FabricFamily,
} from '../../fabric/generators/catalogue.js';
import { HostFileError } from '../../base/host.js';
import type { Fabric } from '../../fabric/fabric.js';
import { irregularity, oneLevel, recogniseFatTree, type FatTree } from '../../fabric/fat-tree.js';
import { UpDownReach } from '../../routing/up-down-reach.js';
import type { FabricIdentity } from '../../fabric/identity.js';
import { summariseFabric } from '../../fabric/summary.js';
import { writeIbnetdiscover } from '../../formats/ibnetdiscover-writer.js';
import { writeTopology } from '../../formats/simai-topology-text.js';
import { counted } from '../../report/text-style.js';
import { nodeHost } from '../../storage/node-host.js';
import {
  addFamilyOptions,
  familyNames,
  givenParameters,
  namedFamily,
  parameterDiagnostic,
  type RawOptions,
} from '../options/family-options.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { readFabricText } from '../../app/routes/fabric-input.js';
import { levelIdentity } from '../../fabric/level-identity.js';
import { familyList, fabricReport, generatedLine } from './topology-text.js';
import { forceHelp, writeWholeFiles } from '../whole-file.js';

/** Where a command's results go: standard output, or a test. */
export type Writer = (text: string) => unknown;

/**
 * The command `topology` with its subcommands, to be added to the program.
 * Mistakes in parameters and files are thrown as InputError or HostFileError; commander's own as CommanderError
 * (exitOverride is set).
 * @param write receives what goes to standard output
 */
export function topologyCommand(write: Writer, warn: Writer): Command {
  const topology = new Command('topology')
    .description('generate, list and check fabrics (SimAI/HPCC topology files)')
    .exitOverride()
    .showHelpAfterError('(add --help for the options)');
  addGenerate(topology, write, warn);
  topology
    .command('list')
    .description('list the families of fabrics with their parameters and defaults')
    .argument('[family]', 'only this family')
    .option('--json', 'print the list as JSON')
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const families = name === undefined ? fabricFamilies : [namedFamily(name).family];
      write(options.json === true ? `${JSON.stringify(families.map(familyObject), null, 2)}\n` : familyList(families));
    });
  topology
    .command('check')
    .description('read a topology file and say what stands in it')
    .argument('<file>', 'topology file in the SimAI or HPCC form, or output of ibnetdiscover')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', '\nExamples:\n  weft topology check fabric.topo\n  weft topology check fabric.net --json\n')
    .action(async (file: string, options: { json?: boolean }) => {
      await check(file, options.json === true, write);
    });
  return topology;
}

function addGenerate(topology: Command, write: Writer, warn: Writer): void {
  const generate = topology
    .command('generate')
    .description('generate a fabric and print it, or write it to a file')
    .argument('[family]', 'one of the families below, in any case')
    .argument('[options...]', "the family's parameters")
    .allowUnknownOption()
    .usage('<family> [options]')
    .addHelpText('after', generateExamples);
  for (const family of fabricFamilies)
    generate.addCommand(familyCommand(family, {}, write, warn).copyInheritedSettings(generate));
  // Whatever is not exactly a family's name arrives here: other spellings of a name, options before the name, or no
  // family at all.
  generate.action(async () => {
    const words = generate.args;
    const first = words.findIndex((word) => !word.startsWith('-'));
    const known = words.findIndex((word) => findFamily(word) !== null);
    const at = first === 0 || known === -1 ? first : known;
    const name = words[at];
    if (name === undefined)
      throw InputError.at('missing-family', 'weft topology generate', wholeFile, 'which family of fabrics?', {
        wanted: familyNames(),
        hint: 'see: weft topology list',
      });
    const { family, implied } = namedFamily(name);
    const command = familyCommand(family, implied, write, warn).copyInheritedSettings(generate);
    await command.parseAsync(
      words.filter((_, i) => i !== at),
      { from: 'user' },
    );
  });
}

const generateExamples = `
Examples:
  weft topology generate dcn+ --gpus 16 --nics-per-asw 8 --bandwidth 100Gbps
  weft topology generate spectrum-x --gpus 128 --gpu-type A100 --out fabrics/
  weft topology generate alibaba-hpn --gpus 64 --psw-switches 16 --dual-plane
  weft topology generate fat-tree --k 8 --out k8.topo
  weft topology generate quartz1 --format ibnetdiscover --out quartz1.net
  weft topology generate torus --width 3 --height 3 --format ibnetdiscover
  weft topology generate dragonfly+ --groups 9 --out dragonfly.topo
  weft topology generate dumbbell --left-hosts 8 --bottleneck-rate 40Gbps

The parameters of a family: weft topology generate <family> --help
`;

function familyCommand(
  family: FabricFamily,
  implied: Readonly<Record<string, unknown>>,
  write: Writer,
  warn: Writer,
): Command {
  const command = new Command(family.name).description(family.description).helpCommand(false);
  addFamilyOptions(command, family, implied);
  command
    .addOption(
      new Option(
        '--format <form>',
        'the form of the file: ibnetdiscover names nodes and has GUIDs, for InfiniBand tools',
      )
        .choices(['topology', 'ibnetdiscover'])
        .default('topology'),
    )
    .option('--out <path>', 'write to this file, or under its default name to this folder; without it, print')
    .option('--force', forceHelp)
    .option('--json', 'print what was generated as JSON')
    .addHelpText(
      'after',
      Object.keys(family.aliases).length === 0
        ? ''
        : `\nSimAI's short names are accepted, too:\n${Object.keys(family.aliases)
            .map((short, i) => `${i % 8 === 0 && i > 0 ? '\n' : ''} --${short}`)
            .join('')}\n`,
    )
    .action(async (options: RawOptions) => {
      await generateFile({ family, implied }, options, write, warn);
    });
  return refuseRepeats(command);
}

async function generateFile(
  { family, implied }: { readonly family: FabricFamily; readonly implied: Readonly<Record<string, unknown>> },
  options: RawOptions,
  write: Writer,
  warn: Writer,
): Promise<void> {
  const given = { ...implied, ...givenParameters(family, options) };
  const { values, problems, remarks } = resolveParameters(family, given);
  if (values === null) throw new InputError(problems.map((problem) => parameterDiagnostic(family, problem, given)));
  const warnings = remarks.map((remark) => parameterDiagnostic(family, remark, given, 'warning'));
  for (const warning of warnings) warn(`${formatDiagnostic(warning)}\n`);
  const fabric = family.generate(values);
  const net = options['format'] === 'ibnetdiscover';
  const text = net ? netText(fabric, family.name) : writeTopology(fabric);
  const out = options['out'];
  const path =
    typeof out === 'string'
      ? await writeFabric(out, `${fabricFileName(family, values)}${net ? '.net' : ''}`, text, options['force'] === true)
      : null;
  if (options['json'] === true) {
    const object = {
      family: family.name,
      parameters: values,
      warnings,
      file: path,
      ...(path === null ? { topology: text } : {}),
      summary: summariseFabric(fabric),
    };
    write(`${JSON.stringify(object, null, 2)}\n`);
  } else if (path === null) write(text);
  else write(generatedLine(path, fabric));
}

/**
 * As ibsim reads it: LIDs are 0, a subnet manager gives them. Names and GUIDs go by level; switches of what is no fat tree are all of one.
 */
function netText(fabric: Fabric, name: string): string {
  const { tree, problem } = recogniseFatTree(fabric);
  const known = tree ?? oneLevel(fabric);
  if (known === null)
    throw InputError.at('no-subnet', '--format', wholeFile, `${name} is no fabric of one subnet: ${problem!.reason}`, {
      wanted: 'topology, or a fabric whose hosts have one link each, to a switch',
    });
  return writeIbnetdiscover({
    fabric,
    identity: { ...levelIdentity(fabric, name, known), lid: new Uint16Array(fabric.nodeCount) },
  });
}

function familyObject(family: FabricFamily): unknown {
  return {
    name: family.name,
    otherNames: Object.keys(family.otherNames),
    description: family.description,
    parameters: family.settings,
    aliases: family.aliases,
  };
}

async function check(file: string, json: boolean, write: Writer): Promise<void> {
  const diagnostics = new Diagnostics();
  const { fabric, identity } = readFabricText(await textOf(file), file, diagnostics);
  const summary = summariseFabric(fabric);
  if (json)
    write(
      `${JSON.stringify({ file, ...summary, ...(identity === null ? {} : { fatTree: fatTreeObject(fabric) }), warnings: diagnostics.warnings }, null, 2)}\n`,
    );
  else
    write(fabricReport(file, summary, diagnostics.warnings, identity === null ? [] : [fatTreeLine(fabric, identity)]));
}

/** @throws InputError if it cannot be read */
async function textOf(file: string): Promise<string> {
  try {
    return await nodeHost().readText(file);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    const why = error.message.replace(`${error.path}: `, '');
    throw InputError.at(`file-${error.reason}`, file, wholeFile, `the fabric cannot be read: ${why}`, {
      wanted: 'a topology file, or what ibnetdiscover prints',
    });
  }
}

function fatTreeObject(fabric: Fabric): unknown {
  const { tree } = recogniseFatTree(fabric);
  return tree === null
    ? null
    : {
        levels: tree.levels,
        switchesByLevel: tree.switches.map((level) => level.length),
        pods: tree.podCount,
        coreGroups: tree.coreGroupCount,
        irregularity: irregularity(tree),
      };
}

function fatTreeLine(fabric: Fabric, { nodeName }: FabricIdentity): string {
  const { tree, problem } = recogniseFatTree(fabric);
  if (tree === null)
    return `  fat tree    no: ${problem.reason}${problem.nodes.length === 0 ? '' : ` (${problem.nodes.map((node) => nodeName[node]).join(', ')})`}`;
  const odd = irregularity(tree);
  return `  fat tree    ${tree.switches.map((level) => level.length).join(' + ')} switches${tree.levels === 3 ? `, ${counted(tree.podCount, 'pod')}, ${counted(tree.coreGroupCount, 'core group')}` : ''}${odd === null ? '' : `\n              not whole: ${odd}`}${partedText(tree)}`;
}

/** What no up-down way joins; nothing if all is joined. */
function partedText(tree: FatTree): string {
  const parted = UpDownReach.of(tree).partedPairs;
  if (parted === 0) return '';
  return `\n              ${counted(parted, 'pair')} of leaves without an up-down way: routes need detours`;
}

/**
 * Writes a generated fabric.
 * @param out file, or folder (one that exists, or a path that ends in a slash)
 * @param defaultName name of the file in a folder
 * @returns the path of the file
 */
async function writeFabric(out: string, defaultName: string, text: string, force: boolean): Promise<string> {
  if (out === '')
    throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', {
      wanted: 'a file, or a folder that ends in /',
    });
  const slash = out.endsWith('/') || out.endsWith('\\');
  const path = slash || (await isFolder(out)) ? join(out, defaultName) : out;
  if (!slash && !(await isFolder(dirname(path))))
    throw InputError.at('output-path', path, wholeFile, 'the folder of this file does not exist', {
      got: dirname(path),
      hint: 'make it first, or give --out FOLDER/',
    });
  await writeWholeFiles([{ path, text }], force, slash ? out : null);
  return path;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
