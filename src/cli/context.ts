// What the commands need from outside: the composition, the host and the three streams. main.ts gives the real ones,
// tests stand-ins.

import type { SimulateOptions } from '../app/simulate.js';
import type { RouteHost } from '../app/routes/make-tables.js';
import type { RunSummary } from '../app/run-progress.js';
import type { Host } from '../base/host.js';
import type { SimaiInputs } from '../scenario/foreign/simai/inputs.js';
import type { Plan } from '../scenario/plan.js';
import type { InputDigests } from '../storage/input-digests.js';
import type { ProgressStream } from './progress.js';

/** How a scenario is to be read. */
interface PlanRequest {
  /** `path=value`, as given with --set */
  readonly overrides: readonly string[];
  readonly seed?: number | null | undefined;
  readonly host: Host;
}

/** Independent runs at the same time (campaign/run-pool.ts). */
interface SideBySide {
  /** processes, unless the user says otherwise */
  readonly processes: number;
  /** work left from which on others than this one begin, in wall-clock milliseconds; left out: the pool's own */
  readonly worthMs?: number;
}

export interface CommandContext {
  readonly host: NonNullable<RouteHost['files']>;
  /** of what the host has read */
  readonly inputs: InputDigests;
  readonly environment: NodeJS.ProcessEnv;
  /** the words after `weft`, as they were given */
  readonly commandLine: readonly string[];
  /** of independent runs */
  readonly sideBySide: SideBySide;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  /** @param source path of a scenario, or SimAI's inputs */
  makePlan(source: string | SimaiInputs, request: PlanRequest): Promise<Plan>;
  simulate(plan: Plan, options: SimulateOptions): Promise<RunSummary>;
  /** The exit code of the process, unless something throws. */
  endWith(exitCode: number): void;
}
