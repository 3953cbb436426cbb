// `weft schema`: prints the JSON Schema of scenarios, for editors that complete and check YAML.
// schema/scenario.schema.json is its output.

import { Command, Option } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { profileJsonSchemaText } from '../../scenario/profile-form.js';
import { scenarioJsonSchemaText } from '../../scenario/json-schema.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

/** The command for the command line. @param print receives the schema if it goes to standard output */
export function schemaCommand(print: (text: string) => unknown): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of scenarios')
    .description(
      'Print the JSON Schema of scenario files or profile files, with which editors\ncomplete and check them.',
    )
    .addOption(
      new Option('--of <form>', 'of scenarios, or of profile files')
        .choices(['scenario', 'profile'])
        .default('scenario'),
    )
    .option('--out <file>', 'write it to a file instead')
    .option('--force', forceHelp)
    .addHelpText(
      'after',
      `
Examples:
  weft schema --out scenario.schema.json
  weft schema --of profile --out profile.schema.json

Then begin a scenario with:
  # yaml-language-server: $schema=scenario.schema.json`,
    )
    .action(async ({ of, out, force = false }: { of: string; out?: string; force?: boolean }) => {
      if (out === '') throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', { wanted: 'a file' });
      const text = of === 'profile' ? profileJsonSchemaText() : scenarioJsonSchemaText();
      if (out === undefined) print(text);
      else await writeWholeFile(out, text, force);
    });
  return refuseRepeats(command);
}
