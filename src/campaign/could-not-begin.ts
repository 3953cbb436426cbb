// How a worker process ends that could not begin: one line, and the pool goes on with fewer.
// Invariant: nothing but Node's own modules is loaded here, as loading is what fails.

import { writeSync } from 'node:fs';

/** Says why, unless one before it has, and ends the process. */
export function couldNotBegin(error: unknown): never {
  // the pool tells each how many before it could not begin
  if (process.argv[2] === '0')
    writeSync(2, `note: a worker process could not begin (${String(error)}); the work goes on without it\n`);
  process.exit(1);
}
