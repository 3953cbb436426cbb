// What the page and the worker that simulates say to each other. Everything is plain data.

import type { FirstChoices, ScenarioAnswers } from '#weft/app/first-scenario.js';
import type { Schema } from '#weft/app/view/scenario-hints.js';
import type { ViewRefusal } from '#weft/app/view/view-refusal.js';
import type { ViewedRun, ViewForecast, ViewRequest } from '#weft/app/view/view-scenario.js';

/** What the page asks. `number` tells answers apart. */
export type Asked =
  | { readonly kind: 'run'; readonly number: number; readonly request: ViewRequest }
  | { readonly kind: 'forecast'; readonly number: number; readonly request: ViewRequest }
  | { readonly kind: 'schema'; readonly number: number }
  | { readonly kind: 'choices'; readonly number: number }
  | { readonly kind: 'first'; readonly number: number; readonly answers: ScenarioAnswers }
  | {
      readonly kind: 'open';
      readonly number: number;
      readonly folder: string;
      readonly files: ReadonlyMap<string, Blob>;
    }
  | { readonly kind: 'stop' };

/** How far a run is. */
export interface RunProgress {
  /** 0 to 1; null: not known */
  readonly share: number | null;
  readonly nowPs: number;
  readonly flowsFinished: number;
}

/** A run that was read, and the scenario that it was of. */
export interface GivenRun {
  readonly run: ViewedRun;
  readonly scenario: string;
}

/** What the worker answers. */
export type Answer =
  | { readonly kind: 'progress'; readonly number: number; readonly progress: RunProgress }
  | { readonly kind: 'ran'; readonly number: number; readonly run: ViewedRun }
  | { readonly kind: 'opened'; readonly number: number; readonly given: GivenRun }
  | { readonly kind: 'forecast'; readonly number: number; readonly forecast: ViewForecast }
  | { readonly kind: 'schema'; readonly number: number; readonly schema: Schema }
  | { readonly kind: 'choices'; readonly number: number; readonly choices: FirstChoices }
  | { readonly kind: 'first'; readonly number: number; readonly text: string }
  /** it is heard that a run shall end */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'refused'; readonly number: number; readonly refusal: ViewRefusal };
