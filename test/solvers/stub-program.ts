// A program that stands in for a solver: a script of Node that notes how it was called, writes a solution file and
// prints what it is told.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface Stub {
  /** how it was called: arguments, and the text of the model */
  readonly calls: () => { args: string[]; model: string }[];
  readonly remove: () => void;
}

/**
 * Puts a stub of that name first on PATH. In `solution` and `output` nothing is replaced; the argument after or with
 * which the solution file is named is found by its ending .sol.
 * @param then what it does at last, as JavaScript: by default it ends well
 */
export function stubProgram(name: string, output: string, solution: string | null, then = ''): Stub {
  const folder = mkdtempSync(join(tmpdir(), 'weft-stub-'));
  const log = join(folder, 'calls');
  writeFileSync(log, '');
  writeFileSync(
    join(folder, name),
    `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
const model = args.find((own) => own.endsWith('.mps'));
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, model: fs.readFileSync(model, 'utf8') }) + '\\n');
process.stdout.write(${JSON.stringify(output)});
const file = args.map((own) => own.replace('ResultFile=', '')).find((own) => own.endsWith('model.sol'));
if (${JSON.stringify(solution)} !== null) fs.writeFileSync(file, ${JSON.stringify(solution)});
${then}
`,
  );
  chmodSync(join(folder, name), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${folder}${delimiter}${path}`;
  return {
    calls: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { args: string[]; model: string }),
    remove: () => {
      process.env['PATH'] = path;
      rmSync(folder, { recursive: true });
    },
  };
}
