// `weft calibrate`: from measured rows to a profile. Parameters are fitted by closed forms (fit-parameters.ts), paces by
// what the plan's backend simulates under them (fit-paces.ts); then every row is simulated, those that were held out, too.
// Invariant: rows that are held out take no part in either fit; the errors are of the profile as its file has it.
// Not modelled: how exact measurements are; which version of NCCL measured (that is the base).

import { fail } from '../../base/fail.js';
import { type CalibratedProfile, type RowErrors } from '../../collectives/calibrated-profile.js';
import { ClosedFormCosts } from '../../collectives/closed-form.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import { chooseWith } from '../../collectives/selection.js';
import { takenFigures } from '../../collectives/taken-figures.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import { nicPortsOf } from '../../routing/nic-ports.js';
import { PathTracer } from '../../routing/path.js';
import type { Plan } from '../../scenario/plan.js';
import { packetShape } from '../make-network.js';
import type { RunSummary } from '../run-summary.js';
import type { SimulateOptions } from '../simulate.js';
import {
  planCollective,
  type PlannedCollective,
  selectionRequest,
  simulateCollective,
} from '../simulate-collective.js';
import { type CollectiveCase, rowErrors, type TransferCase } from './calibration-cases.js';
import { fitPaces, type NeededPace, type PacedSize } from './fit-paces.js';
import { fitParameters, type FittedParameter, type FittedRow, withParameters } from './fit-parameters.js';
import { profileParameters } from './profile-parameters.js';

/** Passes in which paces are brought to what the backend simulates. */
const pacePasses = 3;

/** What is calibrated, and by what. */
export interface CalibrationRequest {
  /** whose fabric and backend count */
  readonly plan: Plan;
  /** of the fabric's GPUs (profileOn): its figures are where the fit starts */
  readonly base: CalibratedProfile;
  readonly collectives: readonly CollectiveCase[];
  readonly transfers: readonly TransferCase[];
  readonly simulate: (plan: Plan, options: SimulateOptions) => Promise<RunSummary>;
  readonly options: Pick<SimulateOptions, 'host' | 'stopRequested'>;
  /** @param share of the work that is done */
  readonly onProgress: (what: string, share: number) => void;
}

/** A row, measured, and under the base and the profile. */
export interface CalibratedRow {
  readonly kind: CollectiveKind | 'latency' | 'bandwidth';
  readonly ranks: number;
  readonly sizeBytes: number;
  readonly measuredUs: number;
  readonly beforeUs: number;
  readonly afterUs: number;
  readonly isHeldOut: boolean;
}

/** What came of a calibration. */
export interface Calibration {
  readonly profile: CalibratedProfile;
  readonly parameters: readonly FittedParameter[];
  /** in the order given, transfers last */
  readonly rows: readonly CalibratedRow[];
  /** null without such rows */
  readonly fitted: RowErrors | null;
  readonly heldOut: RowErrors | null;
  /** of the base */
  readonly before: { readonly fitted: RowErrors | null; readonly heldOut: RowErrors | null };
}

/** Calibrates. @returns null if it was stopped */
export async function calibrate(request: CalibrationRequest): Promise<Calibration | null> {
  const { base, collectives, transfers } = request;
  const { gpuType } = request.plan.fabric;
  const run = new CalibrationRun(request);
  const beforeUs = await run.timesUs(base, collectives, 'base profile');
  if (beforeUs === null) return null;
  const fitted = collectives.filter(({ isHeldOut }) => !isHeldOut);
  const parameters = await run.parameters(fitted);
  if (parameters === null) return null;
  const physical = withParameters(base, parameters);
  let profile = physical;
  let factors = fitted.map(() => 1);
  for (let pass = 0; pass < pacePasses; pass++) {
    const times = await run.timesUs(profile, fitted, 'paces');
    if (times === null) return null;
    factors = factors.map((factor, i) => (factor * fitted[i]!.measuredUs) / times[i]!);
    profile = withPaces(physical, run.paces(physical, fitted, factors));
  }
  const afterUs = await run.timesUs(profile, collectives, 'rows');
  if (afterUs === null) return null;
  const rows: CalibratedRow[] = [
    ...collectives.map(({ setup, task, measuredUs, isHeldOut }, i) => ({
      kind: task.kind,
      ranks: setup.communicator.rankCount,
      sizeBytes: task.sizeBytes,
      measuredUs,
      beforeUs: beforeUs[i]!,
      afterUs: afterUs[i]!,
      isHeldOut,
    })),
    ...transfers.map((transfer) => ({
      kind: transfer.measures,
      ranks: 2,
      sizeBytes: transfer.sizeBytes,
      measuredUs: transfer.measuredUs,
      beforeUs: transferUs(transfer, base, gpuType),
      afterUs: transferUs(transfer, profile, gpuType),
      isHeldOut: transfer.isHeldOut,
    })),
  ];
  const errors = (time: 'beforeUs' | 'afterUs', isHeldOut: boolean): RowErrors | null =>
    rowErrors(rows.filter((row) => row.isHeldOut === isHeldOut).map((row) => row[time] / row.measuredUs - 1));
  const heldOut = errors('afterUs', true);
  return {
    profile: { ...profile, heldOut },
    parameters,
    rows,
    fitted: errors('afterUs', false),
    heldOut,
    before: { fitted: errors('beforeUs', false), heldOut: errors('beforeUs', true) },
  };
}

function withPaces(profile: CalibratedProfile, paces: CalibratedProfile['paces']): CalibratedProfile {
  return { ...profile, paces };
}

/** A transfer under a profile: the share of the network counts for its bytes, the latency of transfers once. */
function transferUs({ measures, idealUs }: TransferCase, profile: CalibratedProfile, gpuType: string): number {
  const { shares, transferLatencyPs } = takenFigures(profile, gpuType);
  return measures === 'latency' ? idealUs + transferLatencyPs / 1e6 : idealUs / shares.network.simple;
}

class CalibrationRun {
  private readonly tracer: PathTracer;
  private readonly costs: ClosedFormCosts;
  private done = 0;
  private readonly all: number;

  constructor(private readonly request: CalibrationRequest) {
    const { plan, collectives } = request;
    this.tracer = new PathTracer(new EqualCostRoutes(plan.fabric, plan.routing.nextHopOrder));
    this.costs = new ClosedFormCosts(this.tracer, {
      ...packetShape(plan.packet),
      sendLatencyPs: plan.sendLatencyPs,
      model: 'steps',
      nics: nicPortsOf(this.tracer, plan.packet.queuePair),
    });
    const fitted = collectives.filter(({ isHeldOut }) => !isHeldOut).length;
    // the fit of parameters counts as much as a pass over all rows
    this.all = 3 * collectives.length + pacePasses * fitted;
  }

  /** What cases take on the plan's backend; null if stopped. */
  async timesUs(
    profile: CalibratedProfile,
    cases: readonly CollectiveCase[],
    what: string,
  ): Promise<readonly number[] | null> {
    const { plan, simulate, options, onProgress } = this.request;
    const times: number[] = [];
    for (const { setup, task } of cases) {
      onProgress(what, this.done++ / this.all);
      const own = { ...setup, profile };
      const { timePs, summary } = await simulateCollective(plan, own, planned(own, task), simulate, options);
      if (summary.outcome === 'stopped' || options.stopRequested?.() === true) return null;
      times.push(timePs / 1e6);
    }
    return times;
  }

  async parameters(fitted: readonly CollectiveCase[]): Promise<readonly FittedParameter[] | null> {
    const { base, transfers, collectives, options, onProgress } = this.request;
    const { gpuType } = this.request.plan.fabric;
    const rows: FittedRow[] = [
      ...fitted.map(({ setup, task, measuredUs }) => {
        const { request } = planned({ ...setup, profile: base }, task);
        const asked = selectionRequest(setup, task);
        return {
          measuredUs,
          modelUs: (profile: CalibratedProfile) =>
            this.costs.costPs(request, chooseWith(profile, asked, setup.wish), setup.communicator) / 1e6,
        };
      }),
      ...transfers
        .filter(({ isHeldOut }) => !isHeldOut)
        .map((transfer) => ({
          measuredUs: transfer.measuredUs,
          modelUs: (profile: CalibratedProfile) => transferUs(transfer, profile, gpuType),
        })),
    ];
    const from = this.done;
    const hasTransfers = transfers.length > 0;
    const parameters = profileParameters(takenFigures(base, gpuType)).filter(
      ({ name }) => hasTransfers || name !== 'latency.transfer',
    );
    const found = await fitParameters(base, parameters, rows, {
      onStep: (done, of) => onProgress('parameters', (from + (collectives.length * done) / of) / this.all),
      stopRequested: () => options.stopRequested?.() === true,
      breathe: () => options.host.breathe(),
    });
    this.done = from + collectives.length;
    return found;
  }

  paces(
    profile: CalibratedProfile,
    fitted: readonly CollectiveCase[],
    factors: readonly number[],
  ): CalibratedProfile['paces'] {
    const needed: NeededPace[] = fitted.map((own, i) => ({
      ...pacedSize(profile, own, own.task.sizeBytes),
      factor: factors[i]!,
    }));
    return fitPaces(needed, this.between(profile));
  }

  /** Every power of two in the range of each group's sizes, and the sizes themselves. */
  private between(profile: CalibratedProfile): PacedSize[] {
    const groups = new Map<string, CollectiveCase[]>();
    for (const one of this.request.collectives) {
      const key = `${one.task.kind} ${one.setup.communicator.ranks.join()}`;
      const own = groups.get(key);
      if (own === undefined) groups.set(key, [one]);
      else own.push(one);
    }
    return [...groups.values()].flatMap((group) => {
      const sizes = group.map(({ task }) => task.sizeBytes);
      const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
      for (let size = 1; size <= most; size *= 2) if (size >= least) sizes.push(size);
      return [...new Set(sizes)].map((size) => pacedSize(profile, group[0]!, size));
    });
  }
}

function pacedSize(profile: CalibratedProfile, { setup, task }: CollectiveCase, sizeBytes: number): PacedSize {
  const asked = selectionRequest(setup, { ...task, sizeBytes });
  const { algorithm, protocol } = chooseWith(profile, asked, setup.wish);
  return { kind: task.kind, servers: asked.facts.servers === 1 ? 'one' : 'several', algorithm, protocol, sizeBytes };
}

/** Whoever made the case has seen that it can be done. */
function planned(setup: CollectiveCase['setup'], task: CollectiveCase['task']): PlannedCollective {
  const one = planCollective(setup, task);
  if (typeof one === 'string') fail(one);
  return one;
}
