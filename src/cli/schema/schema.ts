// `weft schema`: prints the JSON Schema of scenarios, for editors that complete and check YAML.
// schema/scenario.schema.json is its output.

import { InputError } from '../../base/diagnostics.js';
import { profileJsonSchemaText } from '../../scenario/profile-form.js';
import { scenarioJsonSchemaText } from '../../scenario/json-schema.js';
import { declaredCommand, toggle, oneOf, text } from '../options/declared-command.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

/** The command for the command line. */
export default declaredCommand({
  name: 'schema',
  summary: 'print the JSON Schema of scenarios',
  description: 'Print the JSON Schema of scenario files or profile files, with which editors\ncomplete and check them.',
  options: [
    oneOf('--of <form>', 'of scenarios, or of profile files', ['scenario', 'profile'], 'scenario'),
    text('--out <file>', 'write it to a file instead'),
    toggle('--force', forceHelp),
  ],
  after: `
Examples:
  weft schema --out scenario.schema.json
  weft schema --of profile --out profile.schema.json

Then begin a scenario with:
  # yaml-language-server: $schema=scenario.schema.json`,
  run: async ({ options: { of, out, force }, context }) => {
    if (out === '') throw InputError.about('output-path', '--out', 'the path is empty', { wanted: 'a file' });
    const schema = of === 'profile' ? profileJsonSchemaText() : scenarioJsonSchemaText();
    if (out === undefined) context.stdout.write(schema);
    else await writeWholeFile(out, schema, force);
  },
});
