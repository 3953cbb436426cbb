// Tasks for pools of worker processes, by word: what test/campaign needs of a module of tasks.

import { InputError, wholeFile } from '#weft/base/diagnostics.js';
import { fail } from '#weft/base/fail.js';
import { HostFileError, readingUntil } from '#weft/base/host.js';
import { OutputError } from '#weft/storage/output-error.js';

const turn = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param shared a number that is added @param input `{ word, value }` */
export default async function perform(shared, { word, value }, { report, stopRequested }) {
  if (word === 'input') throw InputError.at('wrong', 'file.yaml', { line: 3, column: 7 }, 'no good', { got: value });
  if (word === 'file') throw new HostFileError(value, 'missing');
  if (word === 'output') throw new OutputError(value, 'ENOSPC', 'no space left on the device');
  if (word === 'invariant') fail(value);
  if (word === 'error') throw new TypeError(value, { cause: wholeFile });
  if (word === 'read')
    await readingUntil({}, stopRequested, async () => {
      for (; !stopRequested(); await turn(10)) report(value);
    });
  if (word === 'die') process.kill(process.pid, 'SIGKILL');
  for (let waited = 0; waited < (word === 'forever' ? Infinity : 30) && !stopRequested(); waited += 10) {
    report(waited);
    await turn(10);
  }
  return { sum: shared + value, pid: process.pid, stopped: stopRequested() };
}
