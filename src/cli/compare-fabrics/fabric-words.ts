// The fabrics of `weft compare-fabrics` as the user writes them: families with parameters, topology files, scenario
// files -> the block `fabric` of a scenario, and the folders of `--out DIR`: one below DIR for the run on each fabric.
// Invariants: parameters of a family are those of `weft topology generate FAMILY`; what is not given follows from the
// number of GPUs and the taper that all fabrics share (sized-family.ts). A fabric's folder has its name, as far as that
// can name a folder, and no two have the same one, on file systems that do not tell capitals apart either; what stands
// in DIR already stays unless --force is given, and even then runs on fabrics that are not compared now stay.

import { Command, CommanderError } from 'commander';
import { dirname, resolve } from 'node:path';
import { InputError, reading } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { findFamily, resolveParameters } from '../../fabric/generators/catalogue.js';
import { sizedParameters, type SizeRequest } from '../../fabric/generators/sized-family.js';
import { nodeAt, plainOf } from '../../scenario/form/located.js';
import { readYaml } from '../../scenario/form/read-yaml.js';
import type { ComparisonFolders } from '../../storage/run-folder.js';
import {
  addFamilyOptions,
  givenParameters,
  kebabCase,
  familyHint,
  parameterDiagnostic,
  type RawOptions,
} from '../options/family-options.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';

const fabricFile: OptionFile = {
  option: '--fabrics',
  called: 'the file',
  wanted: 'names of families (weft topology list), topology files or scenarios',
};

/** The fabrics that the values of `--fabrics` name: lists by commas, or one with parameters each. @throws InputError */
export function fabricNames(values: readonly string[]): string[] {
  const names = values.flatMap((value) =>
    (/\s--/.test(value) ? [value] : value.split(',')).map((name) => name.trim().replace(/\s+/g, ' ')),
  );
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw mistakeOf('--fabrics', 'a fabric is named twice', twice, 'every fabric once');
  return names;
}

/** Whether a fabric is of a family, so that it has a size to be told. */
export function isFamily(words: string): boolean {
  return findFamily(words.split(' ')[0]!) !== null;
}

/** What fabrics of a comparison share if they do not say it themselves. */
export interface SharedRequest extends SizeRequest {
  /** left out: that of each family */
  readonly gpuType?: string;
}

/**
 * The block `fabric` of a scenario, as YAML on one line.
 * @param words a family with its options, or the path of a file
 * @param isSized the user said how many GPUs there are @param option that names the fabric
 * @throws InputError
 */
export async function fabricBlock(
  words: string,
  request: SharedRequest,
  isSized: boolean,
  host: Host,
  option = '--fabrics',
): Promise<string> {
  const mistake = (...of: MistakeOf): InputError => mistakeOf(option, ...of);
  const [name = '', ...options] = words.split(' ');
  const found = findFamily(name);
  if (found === null) return await fileBlock(words, host, option);
  const { family, implied } = found;
  const typed = parametersIn(name, options, option);
  const { gpuType } = request;
  const own =
    gpuType !== undefined && Object.hasOwn(family.settings, 'gpuType') && typed['gpuType'] === undefined
      ? { ...typed, gpuType }
      : typed;
  const sized = sizedParameters(family, { ...implied, ...own }, request);
  if (sized === null && isSized)
    throw mistake(
      `${family.name} is not made by number of GPUs`,
      words,
      'families with a size (spectrum-x, leaf-spine ...), a topology file or a scenario',
      'weft topology generate writes a topology file',
    );
  const parameters = { ...sized?.parameters, ...own };
  const { problems } = resolveParameters(family, { ...implied, ...parameters });
  const [problem] = problems;
  const isOwn = typeof problem?.parameter === 'string' && Object.hasOwn(own, problem.parameter);
  if (!isOwn && sized !== null && sized.gpus !== request.gpus && Object.keys(typed).length > 0)
    throw mistake(
      `these parameters make ${sized.gpus} GPUs, and the job has ${request.gpus}`,
      words,
      'parameters of as many GPUs',
      'leave those out that follow from the number of GPUs, or give another --gpus',
    );
  if (problem !== undefined) {
    const at = parameterDiagnostic(family, problem, { ...implied, ...parameters });
    // parameters that Weft chose follow from the number of GPUs
    throw new InputError([{ ...at, file: isOwn ? at.file : '--gpus', message: `${family.name}: ${at.message}` }]);
  }
  if (sized !== null && sized.gpus !== request.gpus)
    throw mistake(
      `${family.name} has no shape of ${request.gpus} GPUs here; the nearest has ${sized.gpus}`,
      words,
      'parameters of the family that make as many',
      `see: weft topology generate ${family.name} --help`,
    );
  return `{generate: ${name}${Object.entries(parameters)
    .map(([key, value]) => `, ${key}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`)
    .join('')}}`;
}

/** The options of a family, as `weft topology generate FAMILY` takes them. @throws InputError */
function parametersIn(name: string, options: readonly string[], option: string): Record<string, unknown> {
  const { family, implied } = findFamily(name)!;
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => {} });
  addFamilyOptions(command, family, implied);
  try {
    command
      .helpOption(false)
      .allowExcessArguments(false)
      .parse([...options], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw mistakeOf(
      option,
      `${family.name}: ${error.message.replace(/^error: /, '').split('\n')[0]!}`,
      [name, ...options].join(' '),
      `options of weft topology generate ${family.name}, such as --${kebabCase(Object.keys(family.settings)[1]!)} NUMBER`,
      /\(Did you mean (.*)\?\)/.exec(error.message) === null
        ? `see: weft topology generate ${family.name} --help`
        : `did you mean ${/\(Did you mean (.*)\?\)/.exec(error.message)![1]!}?`,
    );
  }
  return givenParameters(family, command.opts<RawOptions>());
}

/** The block of a topology file or of a scenario's fabric. @throws InputError */
async function fileBlock(path: string, host: Host, option: string): Promise<string> {
  const mistake = (...of: MistakeOf): InputError => mistakeOf(option, ...of);
  const near = familyHint(path.split(' ')[0]!);
  if (near !== undefined && !/^[^ ]*[./]/.test(path))
    throw mistake('there is no such family of fabrics', path, fabricFile.wanted, near);
  const text = await optionFileText(path, host, { ...fabricFile, option });
  if (!/\.ya?ml$/i.test(path)) return `{file: ${JSON.stringify(resolve(path))}}`;
  const root = reading((diagnostics) => readYaml(text, path, diagnostics)).value as ReturnType<typeof readYaml>;
  const node = root === null ? undefined : nodeAt(root, ['fabric']);
  if (node?.kind !== 'map')
    throw mistake('the file has no fabric', path, 'a scenario with a block fabric', 'weft init writes one');
  const block = plainOf(node) as Record<string, unknown>;
  // a path in it is seen from its file
  if (typeof block['file'] === 'string') block['file'] = resolve(dirname(path), block['file']);
  return JSON.stringify(block);
}

type MistakeOf = [message: string, got: string, wanted: string, hint?: string];

function mistakeOf(option: string, ...[message, got, wanted, hint]: MistakeOf): InputError {
  return InputError.about('compare-fabrics', option, message, { got, wanted, hint });
}

/** Folders with the names that they have in DIR. */
export interface FabricFolders extends ComparisonFolders {
  readonly names: readonly string[];
}

/**
 * Looks at the folders; nothing is created.
 * @param fabrics as the user wrote them, families with their parameters
 * @throws InputError if the path is no comparison of Weft, new or empty, or if runs are in it and may not be replaced
 */
export async function fabricFolders(
  out: string | undefined,
  fabrics: readonly string[],
  force: boolean,
): Promise<FabricFolders | null> {
  if (out === undefined) return null;
  const { comparisonFolders, unusable } = await import('../../storage/run-folder.js');
  const names = folderNames(fabrics);
  const found = await comparisonFolders(out, names, null);
  if (found.earlier.length > 0 && !force)
    throw unusable(
      out,
      `holds runs of Weft (${found.earlier.map(({ name }) => name).join(', ')}), so it is left as it is`,
      'give another folder with --out, or add --force to replace those on the same fabrics',
    );
  return { ...found, names };
}

/** characters of a folder's name; file systems take 255 bytes */
const longestName = 60;

/** A name for a folder for each fabric: of a topology file its name without the folders that it is in. */
export function folderNames(fabrics: readonly string[]): string[] {
  const taken = new Set<string>();
  return fabrics.map((fabric) => {
    const last = fabric.split(/[\\/]+/).at(-1)!;
    // results are collected in NAME.partial, and NAME.previous keeps what is not ours
    const plain =
      last
        .replace(/[^\p{L}\p{N}._+-]/gu, '-')
        .replace(/-{2,}/g, '-')
        .slice(0, longestName)
        .replace(/^\.+/, '')
        .replace(/\.(partial|previous[-\d]*)$/i, '-$1')
        .replace(/\.+$/, '') || 'fabric';
    let name = plain;
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${plain}-${i}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
