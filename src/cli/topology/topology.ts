// weft topology generate | list | check: makes topology files, names what can be made, and looks at files.
// Invariants: nothing is written when the parameters do not fit; every option of `generate` comes from the catalogue of
// families.

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { formatDiagnostic, InputError } from '../../base/diagnostics.js';
import { fabricFamilies, fabricFileName, findFamily, type FabricFamily } from '../../fabric/generators/catalogue.js';
import type { Fabric } from '../../fabric/fabric.js';
import { irregularity, oneLevel, recogniseFatTree, type FatTree } from '../../fabric/fat-tree.js';
import { UpDownReach } from '../../routing/up-down-reach.js';
import type { FabricIdentity } from '../../fabric/identity.js';
import { summariseFabric } from '../../fabric/summary.js';
import { writeIbnetdiscover } from '../../formats/ibnetdiscover-writer.js';
import { writeTopology } from '../../formats/simai-topology-text.js';
import { counted, nounOf } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { commandGroup, declaredCommand, toggle, oneOf, type OptionValues, text } from '../options/declared-command.js';
import {
  fabricFromOptions,
  familyNames,
  familyOptions,
  namedFamily,
  type RawOptions,
} from '../options/family-options.js';
import { checkFabric } from '../../app/check-fabric.js';
import { fabricForms } from '../../formats/fabric-file.js';
import { healthLines } from '../../report/fabric-check-text.js';
import { ExitCode } from '../exit-codes.js';
import { shownName } from '../../fabric/port-identity.js';
import { levelIdentity } from '../../fabric/level-identity.js';
import { checkObject } from './check-object.js';
import { familyList, fabricReport, generatedLine } from './topology-text.js';
import { forceHelp, writeWholeFiles } from '../whole-file.js';

const listCommand = declaredCommand({
  name: 'list',
  description: 'list the families of fabrics with their parameters and defaults',
  argument: ['[family]', 'only this family'],
  options: [toggle('--json', 'print the list as JSON')],
  run: ({ argument: name, options: { json }, context: { stdout } }) => {
    const families = name === undefined ? fabricFamilies : [namedFamily(name).family];
    stdout.write(json ? `${JSON.stringify(families.map(familyObject), null, 2)}\n` : familyList(families));
  },
});

const checkCommand = declaredCommand({
  name: 'check',
  description: 'read a fabric, say what stands in it and what is odd about its cables',
  argument: ['<file>', `${fabricForms}; a scenario (.yaml), or a family of fabrics`],
  options: [
    text('--against <file>', 'an earlier capture of the same fabric, or a plan of it: what changed since'),
    toggle('--json', 'print the summary as JSON'),
  ],
  after: `
Examples:
  weft topology check fabric.topo
  weft topology check fabric.net --json
  weft topology check today.net --against yesterday.net

Exit code 1 if a cable is at fault, hosts cannot reach each other, or anything
changed.
`,
  run: async ({ argument, options: { against, json }, context: { host, stdout } }) => {
    const found = await checkFabric({ fabric: argument, ...(against === undefined ? {} : { against }) }, host);
    const { name, fabric, identity, summary, warnings, isOdd } = found;
    stdout.write(
      json
        ? `${JSON.stringify({ ...checkObject(found), warnings }, null, 2)}\n`
        : fabricReport(
            name,
            summary,
            warnings,
            healthLines(found),
            identity === null ? [] : [fatTreeLine(fabric, identity)],
          ),
    );
    return isOdd ? ExitCode.failed : undefined;
  },
});

function generateCommand(context: CommandContext): Command {
  const generate = new Command('generate')
    .description('generate a fabric and print it, or write it to a file')
    .argument('[family]', 'one of the families below, in any case')
    .argument('[options...]', "the family's parameters")
    .allowUnknownOption()
    .usage('<family> [options]')
    .addHelpText('after', generateExamples);
  for (const family of fabricFamilies) generate.addCommand(familyCommand(family, {})(context));
  // Whatever is not exactly a family's name arrives here: other spellings of a name, options before the name, or no
  // family at all.
  return generate.action(async () => {
    const words = generate.args;
    const first = words.findIndex((word) => !word.startsWith('-'));
    const known = words.findIndex((word) => findFamily(word) !== null);
    const at = first === 0 || known === -1 ? first : known;
    const name = words[at];
    if (name === undefined)
      throw InputError.about('missing-family', 'weft topology generate', 'which family of fabrics?', {
        wanted: familyNames(),
        hint: 'see: weft topology list',
      });
    const { family, implied } = namedFamily(name);
    const command = familyCommand(family, implied)(context).copyInheritedSettings(generate);
    await command.parseAsync(
      words.filter((_, i) => i !== at),
      { from: 'user' },
    );
  });
}

/** The command `topology` with its subcommands. @throws InputError, HostFileError, CommanderError when it is called */
export default commandGroup('topology', 'generate, list and check fabrics (SimAI/HPCC topology files)', [
  generateCommand,
  listCommand,
  checkCommand,
]);

const generateExamples = `
Examples:
  weft topology generate dcn+ --gpus 16 --nics-per-asw 8 --bandwidth 100Gbps
  weft topology generate spectrum-x --gpus 128 --gpu-type A100 --out fabrics/
  weft topology generate alibaba-hpn --gpus 64 --psw-switches 16 --dual-plane
  weft topology generate fat-tree --k 8 --out k8.topo
  weft topology generate quartz1 --format ibnetdiscover --out quartz1.net
  weft topology generate torus --width 3 --height 3 --format ibnetdiscover
  weft topology generate dragonfly --hosts-per-switch 4 --out dragonfly.topo
  weft topology generate dumbbell --left-hosts 8 --bottleneck-rate 40Gbps

The parameters of a family: weft topology generate <family> --help
`;

/** Options of every family beside its parameters. */
const outputOptions = [
  oneOf(
    '--format <form>',
    'the form of the file: ibnetdiscover names nodes and has GUIDs, for InfiniBand tools',
    ['topology', 'ibnetdiscover'],
    'topology',
  ),
  text('--out <path>', 'write to this file, or under its default name to this folder; without it, print'),
  toggle('--force', forceHelp),
  toggle('--json', 'print what was generated as JSON'),
] as const;

function familyCommand(
  family: FabricFamily,
  implied: Readonly<Record<string, unknown>>,
): (context: CommandContext) => Command {
  const aliases = Object.keys(family.aliases).map((short, i) => `${i % 8 === 0 && i > 0 ? '\n' : ''} --${short}`);
  return (context) =>
    declaredCommand({
      name: family.name,
      description: family.description,
      options: [...familyOptions(family, implied), ...outputOptions],
      after: aliases.length === 0 ? '' : `\nSimAI's short names are accepted, too:\n${aliases.join('')}\n`,
      run: ({ options, command }) => generateFile(family, implied, options, command.opts<RawOptions>(), context),
    })(context).helpCommand(false);
}

async function generateFile(
  family: FabricFamily,
  implied: Readonly<Record<string, unknown>>,
  { format, out, force, json }: OptionValues<typeof outputOptions>,
  options: RawOptions,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const { fabric, values, warnings } = fabricFromOptions(family, implied, options);
  for (const warning of warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const net = format === 'ibnetdiscover';
  const topology = net ? netText(fabric, family.name) : writeTopology(fabric);
  const fileName = `${fabricFileName(family, values)}${net ? '.net' : ''}`;
  const file = out === undefined ? null : await writeFabric(out, fileName, topology, force);
  if (json) {
    const object = {
      family: family.name,
      parameters: values,
      warnings,
      file,
      ...(file === null ? { topology } : {}),
      summary: summariseFabric(fabric),
    };
    stdout.write(`${JSON.stringify(object, null, 2)}\n`);
  } else stdout.write(file === null ? topology : generatedLine(file, fabric));
}

/**
 * As ibsim reads it: LIDs are 0, a subnet manager gives them. Names and GUIDs go by level; switches of what is no fat
 * tree are all of one.
 */
function netText(fabric: Fabric, name: string): string {
  const { tree, problem } = recogniseFatTree(fabric);
  const known = tree ?? oneLevel(fabric);
  if (known === null)
    throw InputError.about('no-subnet', '--format', `${name} is no fabric of one subnet: ${problem!.reason}`, {
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

function fatTreeLine(fabric: Fabric, identity: FabricIdentity): string {
  const { tree, problem } = recogniseFatTree(fabric);
  if (tree === null)
    return `  fat tree    no: ${problem.reason}${problem.nodes.length === 0 ? '' : ` (${problem.nodes.map((node) => shownName(identity, node)).join(', ')})`}`;
  const odd = irregularity(tree);
  const levels = tree.switches.map((level) => level.length);
  const switches = `${levels.join(' + ')} ${nounOf(
    levels.reduce((sum, own) => sum + own),
    'switch',
    'switches',
  )}`;
  const parts = `, ${counted(tree.podCount, 'pod')}, ${counted(tree.coreGroupCount, 'core group')}`;
  const whole = odd === null ? '' : `\n              not whole: ${odd}`;
  return `  fat tree    ${switches}${tree.levels === 3 ? parts : ''}${whole}${partedText(tree)}`;
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
    throw InputError.about('output-path', '--out', 'the path is empty', {
      wanted: 'a file, or a folder that ends in /',
    });
  const slash = out.endsWith('/') || out.endsWith('\\');
  const path = slash || (await isFolder(out)) ? join(out, defaultName) : out;
  if (!slash && !(await isFolder(dirname(path))))
    throw InputError.about('output-path', path, 'the folder of this file does not exist', {
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
