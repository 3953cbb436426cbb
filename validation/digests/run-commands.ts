// Carries out command lines of a built weft, many in one process: starting a process costs more than most of them. Started
// by command-process.ts with the path of the file of the build whose import carries out the process's command line, it
// gets command lines as messages and answers each.
// Invariant: what is run is the program as it was built, with nothing known of its insides.
// It relies on the program keeping nothing between two runs; command-process.ts asks for the proof.

import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A command line to be carried out. */
export interface Request {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What a command line came to. */
export interface Outcome {
  /** exit code; null if it was ended because it took too long, or died */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program wants to end here and now. */
class Exit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

const program = process.argv[2]!;
let runs = 0;

process.on('message', (request: Request) => {
  void carryOut(request).then((outcome) => process.send!(outcome));
});

async function carryOut({ args, environment }: Request): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  const { argv } = process;
  const kept = { out: process.stdout.write, err: process.stderr.write, exit: process.exit };
  const before = { ...process.env };
  let status: number;
  process.argv = [process.execPath, program, ...args];
  Object.assign(process.env, environment);
  process.stdout.write = writer((text) => (texts.stdout += text));
  process.stderr.write = writer((text) => (texts.stderr += text));
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  process.exitCode = undefined;
  try {
    // another address, so that the module runs again; what it imports is kept
    runs += 1;
    await import(`${pathToFileURL(program).href}?run=${runs}`);
    while (process.exitCode === undefined) await delay(2);
    status = Number(process.exitCode);
  } catch (error) {
    status = error instanceof Exit ? error.status : 1;
    if (!(error instanceof Exit)) texts.stderr += error instanceof Error ? error.stack : String(error);
  }
  process.exitCode = undefined;
  process.argv = argv;
  process.stdout.write = kept.out;
  process.stderr.write = kept.err;
  process.exit = kept.exit;
  process.env = before;
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  return { status, ...texts };
}

/** Stands in for a stream's write, whatever of its optional arguments are given. */
function writer(take: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = rest.find((each) => typeof each === 'function');
    if (done !== undefined) setImmediate(done as () => void);
    return true;
  };
}
