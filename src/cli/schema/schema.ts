// `weft schema`: prints the JSON Schema of scenarios, for editors that complete and check YAML.
// schema/scenario.schema.json is its output.

import { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { scenarioJsonSchemaText } from '../../scenario/json-schema.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

/** The command for the command line. @param print receives the schema if it goes to standard output */
export function schemaCommand(print: (text: string) => unknown): Command {
  const command = new Command('schema')
    .summary('print the JSON Schema of scenarios')
    .description('Print the JSON Schema of scenario files, with which editors complete and check them.')
    .option('--out <file>', 'write it to a file instead')
    .option('--force', forceHelp)
    .addHelpText(
      'after',
      `
Examples:
  weft schema --out scenario.schema.json

Then begin a scenario with:
  # yaml-language-server: $schema=scenario.schema.json`,
    )
    .action(async ({ out, force = false }: { out?: string; force?: boolean }) => {
      if (out === '') throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', { wanted: 'a file' });
      if (out === undefined) print(scenarioJsonSchemaText());
      else await writeWholeFile(out, scenarioJsonSchemaText(), force);
    });
  return refuseRepeats(command);
}
