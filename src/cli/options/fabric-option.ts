// `--fabric`: a topology file, the fabric block of a scenario (.yaml), or a family of fabrics with its parameters as
// further options, as `weft topology generate` takes them.

import { Command } from 'commander';
import { type Diagnostic, Diagnostics, InputError } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import type { Fabric } from '../../fabric/fabric.js';
import { findFamily } from '../../fabric/generators/catalogue.js';
import { readAnyFabric } from '../../scenario/network/any-fabric.js';
import { addFamilyOptions, fabricFromOptions, familyNames, familyHint, type RawOptions } from './family-options.js';
import { refuseRepeats, text } from './declared-command.js';
import { optionFileText } from './option-file.js';

/** The option; parameters of a family are further words of the command. */
export const fabricOption = text(
  '--fabric <file|family>',
  'topology file (SimAI, HPCC, htsim), output of ibnetdiscover,\nscenario (.yaml) with a fabric, or a family with its\nparameters',
);

/** A fabric, and what it is called in results. */
export interface NamedFabric {
  readonly name: string;
  readonly fabric: Fabric;
  readonly warnings: readonly Diagnostic[];
}

/**
 * Reads or generates a fabric.
 * @param named what --fabric says
 * @param words the words of the command line that the command itself does not know: parameters of a family
 * @param command whose messages they are
 * @throws InputError, CommanderError
 */
export async function fabricFromOption(
  named: string | undefined,
  words: readonly string[],
  command: Command,
  host: Host,
): Promise<NamedFabric> {
  const wanted = `a topology file, or one of ${familyNames()}`;
  if (named === undefined)
    throw InputError.about('fabric-option', '--fabric', 'which fabric?', {
      wanted,
      hint: 'such as --fabric spectrum-x --gpus 128',
    });
  const family = findFamily(named);
  if (family !== null) return { name: named.toLowerCase(), ...generated(family, words, command) };
  if (words.length > 0) await refuseWords(named, words, command, host);
  const hint = familyHint(named);
  const read = await optionFileText(named, host, { option: '--fabric', called: 'the topology file', wanted, hint });
  const diagnostics = new Diagnostics();
  const found = await readAnyFabric(read, named, host, diagnostics);
  diagnostics.throwIfErrors();
  return { name: named, fabric: found!.fabric, warnings: diagnostics.warnings };
}

/**
 * Words that are no options here, beside what is taken for a file: a mistyped family, if there is no such file.
 * @throws InputError, CommanderError
 */
async function refuseWords(named: string, words: readonly string[], command: Command, host: Host): Promise<void> {
  const isFile = await host.readText(named).then(
    () => true,
    (error: unknown) => !(error instanceof HostFileError && error.reason === 'missing'),
  );
  if (!isFile)
    throw InputError.about('unknown-family', '--fabric', 'no such family of fabrics, and no such file', {
      got: named,
      wanted: `one of ${familyNames()}, or a topology file`,
      hint: familyHint(named),
    });
  command.error(
    `error: unknown ${words[0]!.startsWith('-') ? 'option' : 'argument'} '${words[0]!}'\n  hint:   parameters ` +
      'go with a family of fabrics; --fabric is taken for a file',
    { code: 'weft.fabric', exitCode: 2 },
  );
}

function generated(
  { family, implied }: NonNullable<ReturnType<typeof findFamily>>,
  words: readonly string[],
  command: Command,
): Omit<NamedFabric, 'name'> {
  const parser = new Command(command.name()).copyInheritedSettings(command).allowExcessArguments(false);
  addFamilyOptions(parser, family, implied);
  refuseRepeats(parser);
  parser.parse(words, { from: 'user' });
  return fabricFromOptions(family, implied, parser.opts<RawOptions>());
}
