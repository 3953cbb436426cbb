// `weft calibrate --json`, as tests call it.

import { simulate } from '../../src/app/simulate.js';
import { commandWith } from './run-command.js';

export const weft = commandWith({ simulate });

interface Errors {
  readonly rows: number;
  readonly median: number;
  readonly worst: number;
}

/** What it prints, as far as tests look at it. */
export interface Result {
  readonly fitted: Errors;
  readonly heldOut: Errors;
  readonly before: { readonly fitted: Errors; readonly heldOut: Errors };
  readonly backend: string;
  readonly parameters: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly rows: readonly {
    readonly ranks: number;
    readonly sizeBytes: number;
    readonly measuredUs: number;
    readonly isHeldOut: boolean;
    readonly errorAfter: number;
  }[];
}
