// `weft schema`: prints the JSON Schema of scenarios, for editors that complete and check YAML. schema/scenario.schema.json is its output.

import { randomBytes } from 'node:crypto';
import { rename, unlink, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { scenarioJsonSchemaText } from '../scenario/json-schema.js';
import { outputError } from '../storage/output-error.js';

/** The command for the command line. @param print receives the schema if it goes to standard output */
export function schemaCommand(print: (text: string) => void = (text) => void process.stdout.write(text)): Command {
  return new Command('schema')
    .summary('print the JSON Schema of scenarios')
    .description('Print the JSON Schema of scenario files, with which editors complete and check them.')
    .option('--out <file>', 'write it to a file instead')
    .addHelpText('after', `
Examples:
  weft schema --out scenario.schema.json
  (then begin a scenario with: # yaml-language-server: $schema=scenario.schema.json)`)
    .action(async ({ out }: { out?: string }) => {
      if (out === undefined) print(scenarioJsonSchemaText());
      else await writeSchema(out);
    });
}

/** Writes the schema whole or not at all. @throws OutputError, InputError */
async function writeSchema(path: string): Promise<void> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await writeFile(partial, scenarioJsonSchemaText(), { flag: 'wx' });
    await rename(partial, path);
  } catch (error) {
    await unlink(partial).catch(() => {});
    throw outputError(path, error);
  }
}
