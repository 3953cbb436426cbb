// Errors on their way from a worker process: copies between processes keep neither classes nor what they add.
// Invariant: what arrives is of the class that was thrown, with its message and stack, as if this process had thrown
// it.

import { type Diagnostic, InputError } from '../base/diagnostics.js';
import { InvariantError } from '../base/fail.js';
import { HostFileError } from '../base/host.js';
import { OutputError } from '../storage/output-error.js';

/** An error as plain data. */
export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** what its class has besides */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Takes an error apart. */
export function carriedError(error: unknown): CarriedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '', detail: {} };
  const { name, message, stack = '' } = error;
  const detail =
    error instanceof InputError
      ? { diagnostics: error.diagnostics, errorCount: error.errorCount }
      : error instanceof HostFileError
        ? { path: error.path, reason: error.reason }
        : error instanceof OutputError
          ? { path: error.path, code: error.code }
          : {};
  return { name, message, stack, detail };
}

/** Puts an error together again. */
export function errorFrom({ name, message, stack, detail }: CarriedError): Error {
  const error = ofClass(name, message, detail);
  // the constructors add to messages
  error.message = message;
  error.stack = stack;
  return error;
}

function ofClass(name: string, message: string, detail: CarriedError['detail']): Error {
  if (name === 'InputError')
    return new InputError(detail['diagnostics'] as Diagnostic[], detail['errorCount'] as number);
  if (name === 'HostFileError')
    return new HostFileError(detail['path'] as string, detail['reason'] as HostFileError['reason']);
  if (name === 'OutputError') return new OutputError(detail['path'] as string, detail['code'] as string, '');
  if (name === 'InvariantError') return new InvariantError(message);
  return new Error(message);
}
