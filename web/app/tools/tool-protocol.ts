// What the panels of tools ask their worker, and what it answers. Everything is plain data.

import type { ViewRefusal } from '#weft/app/view/view-refusal.js';
import type { ComparedRow } from '#weft/report/figures/collectives.js';

/** A collective over sizes, beside a table if one was pasted. */
interface CollectiveRequest {
  readonly family: string;
  readonly gpus: number;
  readonly collective: string;
  /** what nccl-tests printed; empty: none */
  readonly table: string;
}

/** Routes of a fat tree for traffic by name. */
interface RoutesRequest {
  readonly fabric: string;
  readonly traffic: string;
  readonly seconds: number;
}

/** A matrix that is sent, counted and found again. */
interface MatrixRequest {
  readonly fabric: string;
  readonly traffic: string;
  readonly lanes: number;
  /** share of a counter */
  readonly noise: number;
  readonly seconds: number;
}

/** What is asked of each panel's tool. */
export interface ToolRequests {
  readonly collective: CollectiveRequest;
  readonly routes: RoutesRequest;
  readonly matrix: MatrixRequest;
}

/** One size of a collective. */
export interface SizePoint {
  readonly sizeBytes: number;
  readonly timePs: number;
  /** bytes per second */
  readonly busBandwidth: number;
  readonly algorithm: string;
}

/** What a search knew after so many seconds. */
export interface SearchPoint {
  readonly seconds: number;
  readonly stage: string;
  readonly largestLoad: number;
  readonly lowerBound: number;
}

/** What comes before a tool has ended. */
export interface ToolNews {
  readonly collective: SizePoint;
  readonly routes: SearchPoint;
  readonly matrix: never;
}

/** What each tool comes to. */
export interface ToolResults {
  readonly collective: {
    readonly points: readonly SizePoint[];
    readonly measured: readonly (readonly ComparedRow[])[];
    readonly warnings: readonly string[];
  };
  readonly routes: {
    readonly points: readonly SearchPoint[];
    readonly hosts: number;
    readonly largestLoad: number;
    readonly adaptiveBound: number;
    readonly lowerBound: number;
    readonly gap: number;
    readonly isProven: boolean;
    readonly seconds: number;
  };
  readonly matrix: {
    /** what was found, what was sent and the difference, as SVG */
    readonly picture: string;
    readonly hosts: number;
    readonly pairs: number;
    readonly counters: number;
    readonly relativeError: number | null;
    readonly residual: number;
    readonly steps: number;
    readonly end: string;
  };
}

export type Tool = keyof ToolRequests;

/** A question to the worker. */
export interface ToolAsked<T extends Tool = Tool> {
  readonly tool: T;
  readonly request: ToolRequests[T];
}

export type ToolAnswer<T extends Tool = Tool> =
  | { readonly kind: 'news'; readonly news: ToolNews[T] }
  | { readonly kind: 'ended'; readonly result: ToolResults[T] }
  | { readonly kind: 'refused'; readonly refusal: ViewRefusal };
