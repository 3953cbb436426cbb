// What runs take, as engines ask for it: the mean over some of the plans, by the forecast.

import { expectedCost } from '../../app/forecast/expected-cost.js';
import { machineSlowness } from '../../app/forecast/machine-speed.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import type { EngineWork } from './engine.js';

/** Plans whose cost is forecast. */
const mostForecast = 16;

export class MeanCost {
  private seconds = 0;
  private memoryBytes = 0;
  private count = 0;
  private isKnown = true;
  private slowness: number | null = null;

  /** @param isWanted whether anybody asks: the speed of the machine is measured then */
  constructor(
    private readonly isWanted: boolean,
    private readonly host: CommandContext['host'],
  ) {}

  add(plan: Plan): void {
    if (!this.isWanted || !this.isKnown || this.count === mostForecast) return;
    this.slowness ??= machineSlowness(this.host);
    const cost = expectedCost(plan, this.host, this.slowness);
    this.isKnown = cost !== null;
    this.seconds += cost?.cpuSeconds ?? 0;
    this.memoryBytes = Math.max(this.memoryBytes, cost?.memoryBytes ?? 0);
    this.count++;
  }

  /** Mean CPU time of a run, and most memory of one; null: nobody asked, or it is not known. */
  get mean(): EngineWork['cost'] {
    return this.isKnown && this.count > 0
      ? { cpuSeconds: this.seconds / this.count, memoryBytes: this.memoryBytes }
      : null;
  }
}
