// Every error that reaches the top becomes text on stderr and an exit code, here and nowhere else: bad input, output
// that cannot be written, and bugs are three different things to the user.

import { CommanderError } from 'commander';
import { InputError } from '../base/diagnostics.js';
import { EngineError } from '../campaign/engine-error.js';
import { LostWorkerError } from '../campaign/lost-worker.js';
import { InvariantError } from '../base/fail.js';
import { HostFileError } from '../base/host.js';
import { machineLimit } from '../storage/machine-limits.js';
import { OutputError } from '../storage/output-error.js';
import { ExitCode } from './exit-codes.js';
import { weftVersion } from './version.js';

/** What to print on stderr, and how to end. */
export interface Failure {
  /** ends with a newline, or is empty */
  readonly text: string;
  readonly exitCode: number;
}

/** Explains an error that ended a command. @param commandLine the arguments after `weft`, to be reported with a bug */
export function describeFailure(error: unknown, commandLine: readonly string[]): Failure {
  if (error instanceof InputError)
    return { text: `${error.message}\n${moreErrors(error)}`, exitCode: ExitCode.badInput };
  if (error instanceof HostFileError) return { text: `error: ${error.message}\n`, exitCode: ExitCode.badInput };
  if (error instanceof OutputError || error instanceof LostWorkerError || error instanceof EngineError)
    return { text: `error: ${error.message}\n`, exitCode: ExitCode.failed };
  // commander has printed its message (or the help) already
  if (error instanceof CommanderError)
    return { text: '', exitCode: error.exitCode === 0 ? ExitCode.ok : ExitCode.badInput };
  const limit = machineLimit(error);
  if (limit !== null)
    return {
      text: `error: ${limit.what} (${(error as Error).message})\n  hint:   ${limit.hint}\n`,
      exitCode: ExitCode.failed,
    };
  return { text: bug(error, commandLine), exitCode: ExitCode.bug };
}

function moreErrors(error: InputError): string {
  const shown = error.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  return error.errorCount > shown ? `... and ${error.errorCount - shown} more errors\n` : '';
}

function bug(error: unknown, commandLine: readonly string[]): string {
  const known = error instanceof InvariantError;
  const message = error instanceof Error ? error.message : String(error);
  const lines = known
    ? [`internal error: ${message}`]
    : [
        `internal error: ${message}`,
        'This is a bug in Weft, not in your input. Please report it with the scenario and the seed.',
      ];
  lines.push(
    `  command:  weft ${commandLine.join(' ')}`,
    `  version:  weft ${weftVersion()}, Node ${process.version}, ${process.platform} ${process.arch}`,
  );
  if (error instanceof Error && error.stack !== undefined)
    lines.push(
      ...error.stack
        .split('\n')
        .filter((line) => /^\s+at /.test(line))
        .slice(0, 8),
    );
  return `${lines.join('\n')}\n`;
}
