// Work of a command that keeps no journal, such as a comparison, as engines have it: what tells it from any other, and
// the files that its plans were made from.

import { hostname } from 'node:os';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import type { EngineOptions } from '../options/run-options.js';
import { readFilesOf } from '../run/run-plan.js';
import type { EngineWork } from './engine.js';
import { MeanCost } from './mean-cost.js';

export class CommandWork {
  private readonly files = new Map<string, string>();
  private readonly cost: MeanCost;

  /** @param command its name */
  constructor(
    private readonly command: string,
    private readonly engine: EngineOptions,
    private readonly context: CommandContext,
  ) {
    this.cost = new MeanCost(engine.on === 'slurm', context.host);
  }

  /** Takes a plan of the work, as soon as it is made. */
  add(plan: Plan): void {
    for (const [path, sha256] of readFilesOf(plan, this.context)) this.files.set(path, sha256);
    this.cost.add(plan);
  }

  /** @param tasks plain data: what is carried out */
  of(tasks: readonly unknown[]): Pick<EngineWork, 'identity' | 'files' | 'cost'> & { readonly engine: EngineOptions } {
    const { command, engine, files } = this;
    // the same command in another folder may have other files of the same names, and results of its own
    const identity = JSON.stringify([hostname(), process.cwd(), command, tasks]);
    return { identity, files, cost: this.cost.mean, engine };
  }
}
