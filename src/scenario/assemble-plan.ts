// The one assembly of a plan: every part from the parts that it needs, as far as they are free of errors.
// Invariant: a part is planned as soon as all that it is made from is there, so that the mistakes of every part are
// found together; there is a plan only if none was found. Nothing is written anywhere.

import { Section } from './form/section.js';
import { wholeFile, type Diagnostics } from '../base/diagnostics.js';
import type { LossPlan } from '../backends/packet/loss/loss-plan.js';
import { defaultPacketChoices } from '../backends/packet/settings.js';
import { groupText } from '../base/quantity-text.js';
import { partCosts } from '../fabric/bill-of-materials.js';
import type { Fabric } from '../fabric/fabric.js';
import { withForwardingLatency } from '../fabric/forwarding-latency.js';
import { switchRates } from '../fabric/switch-rates.js';
import { withReceiveSpeed } from '../fabric/receive-speed.js';
import { jobTables } from '../jobs/job-recorder.js';
import { flowTable, hopTable, unfinishedTable } from '../records/flow-records.js';
import { messageTable } from '../records/message-records.js';
import { requestTable } from '../records/request-records.js';
import type { RoutingRules } from '../routing/equal-cost.js';
import { givenPaths, GivenInTree } from './form/given-settings.js';
import type { InputFiles } from './input-files.js';
import { nodeAt } from './form/located.js';
import { resolveNodeNames } from './network/node-references.js';
import { warnOfNoEffect } from './no-effect.js';
import { partsMadeAnew, type PlanParts } from './plan-memory.js';
import { checkBackend, planBackend } from './network/plan-backend.js';
import { type BackendSettings, planBackendSettings } from './network/plan-backend-settings.js';
import { type Planned, planFabric } from './network/plan-fabric.js';
import { planFailures } from './network/plan-failures.js';
import { planInference } from './work/plan-inference.js';
import { planJobs } from './work/plan-jobs.js';
import { planLosses, warnOfUnknownFlows } from './network/plan-losses.js';
import { PinTable } from './network/plan-pins.js';
import { planLanes } from './network/plan-lanes.js';
import { planSourcePorts } from './network/plan-source-ports.js';
import { planProfile } from './work/plan-profile.js';
import { planRunSettings } from './plan-run-settings.js';
import { warnOfEmptyShare } from './network/check-controller-share.js';
import { planStragglers } from './work/plan-stragglers.js';
import { planTables } from './network/plan-tables.js';
import { planTraffic } from './work/plan-traffic.js';
import type { Plan } from './plan.js';
import type { Scenario } from './form/read-scenario.js';
import { groupAt, wordAt } from './form/resolve.js';
import { runSettings, topSettings } from './form/schema.js';
import { writeUniform, type UniformThreshold } from './foreign/simai/conf-thresholds.js';

/** What a plan is assembled from. */
export interface PlanDraft {
  /** its form was checked */
  readonly scenario: Scenario;
  /** of the plan, if the scenario has none */
  readonly name: string;
  /** in place of the scenario's seed: a whole number from 0 to 2^53 - 1 */
  readonly seed?: number;
  /** by which the scenario's files are read */
  readonly files: InputFiles;
  /** where its parts come from; left out: they are made anew */
  readonly parts?: PlanParts;
  /** built already, in place of the scenario's */
  readonly fabric?: Fabric;
  /** ECN thresholds of SimAI for every rate that the fabric has; the scenario's own come first */
  readonly uniform?: UniformThreshold;
}

/** What is there of some parts. */
type Present<Parts> = { readonly [Name in keyof Parts]: Exclude<Parts[Name], null> };

/**
 * Makes a part from others.
 * @returns null if one of them is missing: whatever kept it from being made has said so
 */
function from<Parts extends object, Made>(parts: Parts, make: (parts: Present<Parts>) => Made): Made | null {
  return Object.values(parts).includes(null) ? null : make(parts as Present<Parts>);
}

/** Assembles a plan; every mistake goes to the diagnostics. @returns null after at least one error */
export async function assemblePlan(draft: PlanDraft, diagnostics: Diagnostics): Promise<Plan | null> {
  const parts = await planParts(draft, diagnostics);
  return from(parts, (there) => (diagnostics.hasErrors ? null : planOf(draft, there, diagnostics)));
}

/** The parts of a plan; null for each that has mistakes, or needs one that has. */
async function planParts(draft: PlanDraft, diagnostics: Diagnostics) {
  const { files, parts: made = partsMadeAnew } = draft;
  const { root } = draft.scenario;
  const part = <T>(name: string, of: readonly unknown[], make: () => T): T => made.part(name, of, diagnostics, make);
  const seed = seedOf(draft, diagnostics);
  const backend = planBackend(draft.scenario);
  const built =
    draft.fabric === undefined
      ? await planFabric(draft.scenario, files, diagnostics, made)
      : { value: draft.fabric, resolved: null, identity: null };
  const scenario =
    built === null
      ? draft.scenario
      : part('names', [draft.scenario, built.value], () => resolveNodeNames(draft.scenario, built.value, diagnostics));
  writeThresholds(draft, built?.value ?? null);
  const marking = backend.marksPackets ? (built?.value ?? null) : null;
  const chosen = part('settings', [scenario, marking], () => planBackendSettings(scenario, marking, diagnostics));
  const readLosses = from({ built }, (parts) => () => planLosses(scenario, parts.built.value, files, diagnostics));
  const losses = await from({ built, readLosses }, (parts) =>
    nodeAt(root, ['loss', 'file']) === undefined
      ? part('losses', [scenario, parts.built.value], parts.readLosses)
      : parts.readLosses(),
  );
  const settings = from({ chosen, losses }, (parts) =>
    part('settings and losses', [parts.chosen, parts.losses], () => withLosses(parts.chosen, parts.losses)),
  );
  const stragglers = from({ built }, (parts) =>
    part('stragglers', [scenario, parts.built.value], () =>
      planStragglers(scenario, parts.built.value, backend, diagnostics),
    ),
  );
  const fabric = from({ built }, (parts) =>
    part('fabric as it runs', [parts.built.value, settings, stragglers], () =>
      asRun(parts.built.value, settings?.value.packet.switch, stragglers?.receiveSpeed),
    ),
  );
  const named = built === null ? null : { fabric: built.value, identity: built.identity };
  const tables = await from({ named }, (parts) => planTables(scenario, parts.named, seed, files, diagnostics));
  const routing = from({ tables }, (parts): RoutingRules => {
    const rules = groupAt(root, ['routing'], runSettings.routing);
    return parts.tables.value.length === 0 ? rules : { ...rules, tables: parts.tables.value };
  });
  const ports = await from({ fabric }, (parts) => planSourcePorts(scenario, parts.fabric, files, diagnostics));
  const lanes = await from({ named }, (parts) => planLanes(scenario, parts.named, backend, files, diagnostics));
  const pins = from({ fabric, routing }, (parts) => new PinTable(parts.fabric, parts.routing));
  const sent = { fabric, pins };
  const traffic = await from(sent, (parts) => planTraffic(scenario, parts.fabric, parts.pins, files, diagnostics));
  const profile = await planProfile(scenario, files, diagnostics);
  const jobs = await from(sent, (parts) => {
    const computeSpeed = stragglers?.computeSpeed ?? null;
    return planJobs(scenario, { ...parts, computeSpeed, files, profile, seed }, diagnostics);
  });
  const inference = await from(sent, (parts) =>
    planInference(scenario, parts.fabric, parts.pins, seed, files, diagnostics),
  );
  const failures = from({ fabric }, (parts) =>
    part('failures', [scenario, parts.fabric], () => planFailures(scenario, parts.fabric, diagnostics)),
  );
  const given = new GivenInTree(root);
  // what needs no fabric is checked without one, too
  from({ settings }, (parts) => {
    const use = { given, settings: parts.settings.value.packet, fabric, failures: failures?.value ?? null };
    checkBackend(new Section(root, [], diagnostics), backend, use);
  });
  const work = { traffic, jobs, inference };
  const network = { built, fabric, settings, stragglers, ports, lanes, pins, failures, tables, routing };
  return { ...work, ...network, seed, backend, scenario, profile, given };
}

type Parts = Present<Awaited<ReturnType<typeof planParts>>>;

function planOf(draft: PlanDraft, parts: Parts, diagnostics: Diagnostics): Plan {
  const { scenario, seed, backend, given, fabric, traffic, jobs, failures, inference } = parts;
  const { root } = scenario;
  const { packet, groups } = parts.settings.value;
  const hasCollectives = jobs.value.jobs.length > 0 || scenario.isSettingsOnly;
  const { parts: made = partsMadeAnew } = draft;
  const withoutEffect = made.part('no effect', [scenario, packet, fabric, failures, hasCollectives], diagnostics, () =>
    warnOfNoEffect(
      scenario,
      { given, backend: backend.name, settings: packet, fabric, failures: failures.value, hasCollectives },
      diagnostics,
    ),
  );
  const name = wordAt(root, ['name']) ?? draft.name;
  const { sendLatency, stopTime } = groupAt(root, [], topSettings);
  const run = planRunSettings(scenario, parts.profile);
  const { source } = traffic.value;
  if (!hasCollectives && inference.value === null)
    warnOfUnknownFlows(new Section(root, ['loss'], diagnostics), packet.losses, source.total);
  warnOfEmptyShare(new Section(root, [], diagnostics), run.value.controller, fabric, seed);
  return {
    name,
    seed,
    backend,
    fabric,
    identity: parts.built.identity,
    source,
    paces: traffic.value.paces,
    transferJobs: traffic.value.jobs,
    sourcePorts: parts.ports.value,
    lanes: parts.lanes.value,
    pins: parts.pins.pins,
    inference: inference.value,
    ...jobs.value,
    ...run.value,
    routing: parts.routing,
    failures: failures.value,
    sendLatencyPs: sendLatency,
    stopPs: stopTime === 0 ? Infinity : stopTime,
    packet: {
      ...packet,
      // where there is nothing to choose, ways are known before they are taken
      balancing: withoutEffect.has('routing.balancing') ? defaultPacketChoices.balancing : packet.balancing,
      receiveBuffers: parts.stragglers.receiveBuffers,
    },
    settings: groups,
    cost: nodeAt(root, ['cost']) === undefined ? null : partCosts(fabric, groupAt(root, ['cost'], runSettings.cost)),
    tables: [
      flowTable,
      hopTable,
      ...(stopTime === 0 ? [] : [unfinishedTable]),
      ...backend.tables(packet),
      ...(jobs.value.jobs.length > 0 ? jobTables(run.value.timeline) : []),
      ...(jobs.value.programs.length > 0 ? [messageTable] : []),
      ...(nodeAt(root, ['inference']) === undefined ? [] : [requestTable]),
    ],
    inputs: draft.files.list,
    warnings: diagnostics.warnings,
    withoutEffect,
    given: draft.seed === undefined ? givenPaths(root) : givenPaths(root).add('seed'),
    resolved: { name, ...resolvedOf(parts, run.resolved) },
  };
}

/** The scenario as resolved, but for its name. @param run what is resolved of the run's own settings */
function resolvedOf(parts: Parts, run: ReturnType<typeof planRunSettings>['resolved']): Record<string, unknown> {
  const { scenario, built, stragglers, ports, tables, lanes } = parts;
  const { root, form } = scenario;
  const has = (block: string): boolean => nodeAt(root, [block]) !== undefined;
  const top = { ...groupAt(root, [], form.topSettings), seed: parts.seed, backend: parts.backend.name };
  return {
    ...groupText(form.topSettings, top),
    ...(built.resolved === null ? {} : { fabric: built.resolved }),
    ...(has('traffic') ? { traffic: parts.traffic.resolved } : {}),
    ...(has('inference') ? { inference: parts.inference.resolved } : {}),
    ...parts.jobs.resolved,
    ...(has('stragglers') ? { stragglers: stragglers.resolved } : {}),
    ...run,
    ...(has('cost') ? { cost: groupText(runSettings.cost, groupAt(root, ['cost'], runSettings.cost)) } : {}),
    routing: { ...run.routing, ...ports.resolved, ...tables.resolved, ...lanes.resolved },
    failures: parts.failures.resolved,
    ...parts.settings.resolved,
  };
}

/** The settings with what is said of losses beside them. */
function withLosses(
  { value: { packet, groups }, resolved }: Planned<BackendSettings>,
  losses: Planned<LossPlan>,
): Planned<BackendSettings> {
  return {
    value: { packet: { ...packet, losses: losses.value }, groups },
    resolved: { ...resolved, loss: { ...(resolved['loss'] as object), ...losses.resolved } },
  };
}

/** The seed of the run: the one given, else the scenario's, else the default. */
function seedOf({ scenario: { root, faulty }, seed }: PlanDraft, diagnostics: Diagnostics): number {
  if (seed === undefined)
    return faulty.has('seed') ? topSettings.seed.default : groupAt(root, [], { seed: topSettings.seed }).seed;
  if (!Number.isSafeInteger(seed) || seed < 0)
    diagnostics.error('seed', '--seed', wholeFile, 'the seed is not a whole number from 0 to 2^53 - 1', {
      got: String(seed),
    });
  return seed;
}

/** SimAI's thresholds for the rates of the fabric, where the scenario has none. */
function writeThresholds({ scenario: { root }, uniform }: PlanDraft, fabric: Fabric | null): void {
  if (uniform === undefined || fabric === null || nodeAt(root, ['ecn', 'thresholds']) !== undefined) return;
  writeUniform(root, uniform, switchRates(fabric));
}

/**
 * The fabric as it runs: with the forwarding times of its switches and hosts that receive slowly.
 * @param forwarding undefined: the settings of switches have errors @param receiveSpeed by node; absent: all at 1
 */
function asRun(
  built: Fabric,
  forwarding: Parameters<typeof withForwardingLatency>[1] | undefined,
  receiveSpeed: Float64Array | null | undefined,
): Fabric {
  if (forwarding === undefined) return built;
  const fabric = withForwardingLatency(built, forwarding);
  return receiveSpeed === null || receiveSpeed === undefined ? fabric : withReceiveSpeed(fabric, receiveSpeed);
}
