// Why a page has no result, as it is told: what is wrong with a file, or in words. Said once for the worker of a page and for
// `weft ui`. Invariant: no stack, and nothing of the machine but names of files that were asked for.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import { InvariantError } from '../../base/fail.js';
import { HostFileError } from '../../base/host.js';

/** What is wrong with a file, with its place; or a sentence, where there is no such place. */
export interface ViewRefusal {
  readonly diagnostics: readonly Diagnostic[];
  readonly text: string;
}

/** What a page is told of an error. */
export function viewRefusal(error: unknown): ViewRefusal {
  if (error instanceof InputError) return { diagnostics: error.diagnostics, text: '' };
  return { diagnostics: [], text: wordsOf(error) };
}

function wordsOf(error: unknown): string {
  if (error instanceof HostFileError) return error.message;
  if (error instanceof InvariantError) return `Weft contradicts itself: ${error.message}. Please report it.`;
  if (error instanceof RangeError && error.message.includes('allocation'))
    return 'There is not enough memory for it here: take fewer flows, or the command line.';
  return 'It cannot be shown: what it holds does not fit together, or Weft has a mistake. weft report may say more.';
}
