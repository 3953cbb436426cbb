// `weft calibrate`: from measured rows to a profile. Parameters are fitted by closed forms (fit-parameters.ts). What
// sizes take is a curve through the fitted rows (time-curve.ts); paces bring the plan's backend to it at every knot
// (fit-paces.ts). Then every row is simulated, those that were held out, too.
// Invariant: rows that are held out take no part in either fit; the errors are of the profile as its file has it.
// Not modelled: how exact measurements are; which version of NCCL measured (that is the base).

import { fail } from '../../base/fail.js';
import { type CalibratedProfile, type RowErrors } from '../../collectives/calibrated-profile.js';
import { ClosedFormCosts } from '../../collectives/closed-form.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import { chooseWith } from '../../collectives/selection.js';
import { takenFigures } from '../../collectives/taken-figures.js';
import type { CalibrationFigures } from '../../report/calibration-text.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import { nicPortsOf } from '../../routing/nic-ports.js';
import { PathTracer } from '../../routing/path.js';
import type { Plan } from '../../scenario/plan.js';
import { packetShape } from '../make-network.js';
import type { SimulateOptions } from '../simulate.js';
import { planCollective, type PlannedCollective, selectionRequest } from '../simulate-collective.js';
import type { Communicator } from '../../collectives/communicator.js';
import { type CollectiveCase, rowErrors, type TransferCase } from './calibration-cases.js';
import { fitPaces, geometricMean, knotSizes, type PacedSize } from './fit-paces.js';
import { fitParameters, type FittedParameter, type FittedRow, withParameters } from './fit-parameters.js';
import { profileParameters, rendezvousParameters } from './profile-parameters.js';
import { CalibrationProgress } from './calibration-progress.js';
import type { GroupTask, SimulateAll } from './simulate-all.js';
import { TimeCurve } from './time-curve.js';

/**
 * Passes in which paces are brought to what the backend simulates, and how near they have to come: 0.0005 is 0.05 %.
 */
const pacePasses = 3;
const nearEnough = 5e-4;

/** What is calibrated, and by what. */
export interface CalibrationRequest {
  /** whose fabric and backend count */
  readonly plan: Plan;
  /** of the fabric's GPUs (profileOn): its figures are where the fit starts */
  readonly base: CalibratedProfile;
  readonly collectives: readonly CollectiveCase[];
  readonly transfers: readonly TransferCase[];
  /** on the plan */
  readonly simulateAll: SimulateAll;
  readonly options: Pick<SimulateOptions, 'host' | 'stopRequested'>;
  /** @param share of the work that is done */
  readonly onProgress: (what: string, share: number) => void;
}

/** What came of a calibration: rows in the order given, transfers last. */
export interface Calibration extends CalibrationFigures {
  readonly profile: CalibratedProfile;
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
  const profile = await run.paced(physical);
  if (profile === null) return null;
  const afterUs = await run.rowsUs(profile);
  if (afterUs === null) return null;
  const rows: CalibrationFigures['rows'] = [
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
    parameters: parameters.map(({ parameter: { name, unit, start }, value }) => ({
      name,
      unit,
      before: start,
      after: value,
    })),
    paces: profile.paces.reduce((sum, { sizeBytes }) => sum + sizeBytes.length, 0),
    rows,
    fitted: errors('afterUs', false),
    heldOut,
    before: { fitted: errors('beforeUs', false), heldOut: errors('beforeUs', true) },
  };
}

/** A transfer under a profile: the share of the network counts for its bytes, the latency of transfers once. */
function transferUs({ measures, idealUs }: TransferCase, profile: CalibratedProfile, gpuType: string): number {
  const { shares, transferLatencyPs } = takenFigures(profile, gpuType);
  return measures === 'latency' ? idealUs + transferLatencyPs / 1e6 : idealUs / shares.network.simple;
}

/** A size of a group that a pace is fitted at. */
type Knot = Omit<CollectiveCase, 'isHeldOut' | 'measuredUs'> & {
  /** mean of its fitted rows; null: between them */
  readonly measuredUs: number | null;
};

class CalibrationRun {
  private readonly tracer: PathTracer;
  private readonly costs: ClosedFormCosts;
  private readonly groups: readonly (readonly Knot[])[];
  /** what has been simulated, by case and choice */
  private readonly known = new Map<string, number>();
  private readonly communicators: readonly Communicator[];
  private readonly progress: CalibrationProgress;
  private isFitted = false;

  constructor(private readonly request: CalibrationRequest) {
    const { plan, collectives } = request;
    this.tracer = new PathTracer(new EqualCostRoutes(plan.fabric, plan.routing.nextHopOrder));
    this.costs = new ClosedFormCosts(this.tracer, {
      ...packetShape(plan.packet),
      sendLatencyPs: plan.sendLatencyPs,
      model: 'steps',
      nics: nicPortsOf(this.tracer, plan.packet.queuePair),
    });
    this.groups = knotsOf(collectives);
    this.communicators = [...new Set(collectives.map(({ setup }) => setup.communicator))];
    const { options, onProgress } = request;
    this.progress = new CalibrationProgress(options.host, collectives.length, this.laterCases(0), onProgress);
  }

  /** Cases that are still simulated after so many passes of paces, at most: other passes, then every row. */
  private laterCases(passes: number): number {
    return (pacePasses - passes) * this.groups.flat().length + this.request.collectives.length;
  }

  /** What cases take on the plan's backend; null if stopped. */
  async timesUs(
    profile: CalibratedProfile,
    cases: readonly Pick<CollectiveCase, 'setup' | 'task'>[],
    stage: string,
  ): Promise<readonly number[] | null> {
    const { simulateAll, options } = this.request;
    const runs = cases.map(({ setup, task }) => ({ setup: { ...setup, profile }, task }));
    const keys = runs.map((run) => this.keyOf(run));
    const unknown = keys.flatMap((key, i) => (this.known.has(key) || keys.indexOf(key) < i ? [] : [i]));
    const times = await simulateAll(
      unknown.map((i) => runs[i]!),
      (done) => this.progress.simulated(stage, done, unknown.length, this.isFitted),
    );
    if (times.includes(null) || options.stopRequested?.() === true) return null;
    for (const [place, i] of unknown.entries()) this.known.set(keys[i]!, times[place]!.timePs / 1e6);
    return keys.map((key) => this.known.get(key)!);
  }

  /** What tells a case and its choice from others. */
  private keyOf({ setup, task }: GroupTask): string {
    const { choice } = planned(setup, task);
    const { communicator } = setup;
    return `${this.communicators.indexOf(communicator)} ${task.kind} ${task.sizeBytes} ${JSON.stringify(choice)}`;
  }

  /** What all rows take in the end; null if stopped. */
  rowsUs(profile: CalibratedProfile): Promise<readonly number[] | null> {
    this.progress.begin(0);
    return this.timesUs(profile, this.request.collectives, 'rows');
  }

  async parameters(fitted: readonly CollectiveCase[]): Promise<readonly FittedParameter[] | null> {
    const { base, transfers, options } = this.request;
    const { gpuType } = this.request.plan.fabric;
    const rows: FittedRow[] = [
      ...fitted.map(({ setup, task, measuredUs }) => {
        const { request } = planned({ ...setup, profile: base }, task);
        const asked = selectionRequest(setup, task);
        // most parameters are of other protocols or links than a row's: its choice stays as it is
        const known = new Map<string, number>();
        return {
          measuredUs,
          modelUs: (profile: CalibratedProfile) => {
            const choice = chooseWith(profile, asked, setup.wish);
            const key = JSON.stringify(choice);
            const us = known.get(key) ?? this.costs.costPs(request, choice, setup.communicator) / 1e6;
            known.set(key, us);
            return us;
          },
        };
      }),
      ...transfers
        .filter(({ isHeldOut }) => !isHeldOut)
        .map((transfer) => ({
          measuredUs: transfer.measuredUs,
          modelUs: (profile: CalibratedProfile) => transferUs(transfer, profile, gpuType),
        })),
    ];
    // what no row tells from a hop or from a link's share stays out
    const isLeftOut = new Set([
      ...(transfers.length > 0 ? [] : ['latency.transfer']),
      ...(fitted.some(({ task }) => isSend(task.kind)) ? [] : ['latency.post', 'bandwidth.sends']),
      ...(fitted.every(({ task }) => isSend(task.kind)) && transfers.length === 0 ? ['bandwidth.network'] : []),
    ]);
    const parameters = profileParameters(takenFigures(base, gpuType)).filter(({ name }) => !isLeftOut.has(name));
    this.progress.begin(this.laterCases(0));
    const found = await fitParameters(base, parameters, rendezvousParameters(takenFigures(base, gpuType)), rows, {
      onStep: (done, of) => this.progress.fitted('parameters', done, of),
      stopRequested: () => options.stopRequested?.() === true,
      breathe: () => options.host.breathe(),
    });
    this.isFitted = true;
    return found;
  }

  /** A profile with the paces that bring every knot to its curve; null if stopped. */
  async paced(physical: CalibratedProfile): Promise<CalibratedProfile | null> {
    const knots = this.groups.flat();
    this.progress.begin(this.laterCases(1));
    const modelUs = await this.timesUs(physical, knots, 'paces');
    if (modelUs === null) return null;
    const targetUs = this.groups.flatMap((group) => {
      const curve = curveOf(group, (knot) => modelUs[knots.indexOf(knot)]!);
      return group.map((knot) => knot.measuredUs ?? curve(knot));
    });
    const sizes = knots.map((knot) => pacedSize(physical, knot, knot.task.sizeBytes));
    const beyond = this.groups.flatMap(([first]) => everySize.map((size) => pacedSize(physical, first!, size)));
    let factors = targetUs.map((us, i) => us / modelUs[i]!);
    for (let pass = 1; ; pass++) {
      const needed = sizes.map((size, i) => Object.assign({ factor: factors[i]! }, size));
      const profile = { ...physical, paces: fitPaces(needed, beyond) };
      if (pass === pacePasses) return profile;
      this.progress.begin(this.laterCases(pass + 1));
      const times = await this.timesUs(profile, knots, 'paces');
      if (times === null) return null;
      const ratios = times.map((us, i) => targetUs[i]! / us);
      if (ratios.every(isNear)) return profile;
      factors = factors.map((factor, i) => (isNear(ratios[i]!) ? factor : factor * ratios[i]!));
    }
  }
}

function isSend(kind: CollectiveKind): boolean {
  return kind === 'alltoall' || kind === 'sendrecv';
}

function isNear(ratio: number): boolean {
  return Math.abs(ratio - 1) <= nearEnough;
}

/** Every power of two that a buffer may have. */
const everySize = knotSizes([1, maxCollectiveBytes], new Set());

/** The knots of each kind and communicator that has a fitted row. */
function knotsOf(collectives: readonly CollectiveCase[]): Knot[][] {
  const groups = new Map<string, CollectiveCase[]>();
  for (const one of collectives) {
    const key = `${one.task.kind} ${one.setup.communicator.ranks.join()}`;
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [one]);
    else own.push(one);
  }
  return [...groups.values()].flatMap((group) => {
    const fitted = new Map<number, number[]>();
    for (const { task, measuredUs, isHeldOut } of group) {
      if (isHeldOut) continue;
      const times = fitted.get(task.sizeBytes);
      if (times === undefined) fitted.set(task.sizeBytes, [measuredUs]);
      else times.push(measuredUs);
    }
    if (fitted.size === 0) return [];
    const { setup, task } = group[0]!;
    const sizes = group.map((one) => one.task.sizeBytes);
    const between = knotSizes(sizes, new Set(fitted.keys()));
    const knots: readonly (readonly [number, number | null])[] = [
      ...[...fitted].map(([size, times]) => [size, geometricMean(times)] as const),
      ...between.map((size) => [size, null] as const),
    ];
    return [
      knots
        .map(([sizeBytes, measuredUs]) => ({ setup, task: { ...task, sizeBytes }, measuredUs }))
        .sort((a, b) => a.task.sizeBytes - b.task.sizeBytes),
    ];
  });
}

/** What the knots of a group take by its fitted ones. */
function curveOf(group: readonly Knot[], modelUs: (knot: Knot) => number): (knot: Knot) => number {
  const curve = new TimeCurve(
    group.flatMap((knot) =>
      knot.measuredUs === null
        ? []
        : [{ sizeBytes: knot.task.sizeBytes, measuredUs: knot.measuredUs, modelUs: modelUs(knot) }],
    ),
  );
  return (knot) => curve.timeUs(knot.task.sizeBytes, modelUs(knot));
}

function pacedSize(
  profile: CalibratedProfile,
  { setup, task }: Pick<CollectiveCase, 'setup' | 'task'>,
  sizeBytes: number,
): PacedSize {
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
