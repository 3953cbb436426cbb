// A scenario file -> the plan that runs: reads everything through the host, checks everything, and reports all mistakes
// together.
// Invariant: a plan is returned only if nothing was found wrong; nothing is written anywhere.

import { probeTables } from '../backends/packet/probes/probes.js';
import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import { HostFileError, type Host } from '../base/host.js';
import type { Fabric } from '../fabric/fabric.js';
import { withReceiveSpeed } from '../fabric/receive-speed.js';
import { withForwardingLatency } from '../fabric/forwarding-latency.js';
import { jobTables } from '../jobs/job-recorder.js';
import { flowTable, hopTable } from '../records/flow-records.js';
import { requestTable } from '../records/request-records.js';
import { nodeAt } from './located.js';
import { warnOfNoEffect } from './no-effect.js';
import { checkBackend, planBackend } from './plan-backend.js';
import { planFabric } from './plan-fabric.js';
import { planFailures } from './plan-failures.js';
import { planInference } from './plan-inference.js';
import { planJobs } from './plan-jobs.js';
import { switchRates } from './plan-marking.js';
import { PinTable } from './plan-pins.js';
import { planPacket } from './plan-packet.js';
import { planRunSettings } from './plan-run-settings.js';
import { planStragglers, type Stragglers } from './plan-stragglers.js';
import { planTraffic } from './plan-traffic.js';
import type { Plan } from './plan.js';
import { groupText } from './quantity-text.js';
import { readScenario, type Scenario } from './read-scenario.js';
import { groupAt, wordAt } from './resolve.js';
import { runSettings, topSettings } from './schema.js';
import { writeUniform } from './simai/conf-thresholds.js';
import { readSimaiInputs, type SimaiInputs } from './simai/inputs.js';

/** How a scenario is to be read. */
export interface PlanOptions {
  /** `path=value` texts of --set, applied in order */
  readonly overrides: readonly string[];
  /** instead of the scenario's seed: a whole number from 0 to 2^53 - 1 */
  readonly seed?: number;
  readonly host: Host;
}

/**
 * Reads a scenario with its topology and trace, and resolves every setting.
 * @param source path of the scenario file, the paths in which are relative to its folder; or SimAI's inputs
 * @throws InputError with everything that was found wrong
 */
export async function makePlan(source: string | SimaiInputs, options: PlanOptions): Promise<Plan> {
  const { host, overrides } = options;
  const diagnostics = new Diagnostics();
  const { scenario, uniform } =
    typeof source === 'string'
      ? {
          scenario: readScenario(await readInputFile(source, host, 'scenario'), source, overrides, diagnostics),
          uniform: null,
        }
      : readSimaiInputs(await readInputFile(source.conf, host, 'conf'), source, overrides, diagnostics);
  if (scenario === null) throw inputError(diagnostics);
  const seed = planSeed(scenario, options.seed, diagnostics);
  const built = await planFabric(scenario, host, diagnostics);
  if (uniform !== null && built !== null && nodeAt(scenario.root, ['ecn', 'thresholds']) === undefined)
    writeUniform(scenario.root, uniform, switchRates(built.value));
  const backend = planBackend(scenario);
  const packet = planPacket(scenario, backend, built?.value ?? null, diagnostics);
  const stragglers = built === null ? null : planStragglers(scenario, built.value, diagnostics);
  const fabric =
    built === null || packet === null
      ? built
      : { ...built, value: builtAs(withForwardingLatency(built.value, packet.value.switch), stragglers) };
  const pins =
    fabric === null || scenario.faulty.has('routing')
      ? null
      : new PinTable(fabric.value, groupAt(scenario.root, ['routing'], runSettings.routing).nextHopOrder);
  const traffic =
    fabric === null || pins === null ? null : await planTraffic(scenario, fabric.value, pins, host, diagnostics);
  const jobs =
    fabric === null || pins === null
      ? null
      : await planJobs(
          scenario,
          { fabric: fabric.value, pins, computeSpeed: stragglers?.computeSpeed ?? null, host },
          diagnostics,
        );
  const hasInference = nodeAt(scenario.root, ['inference']) !== undefined;
  const inference =
    !hasInference || fabric === null || pins === null
      ? null
      : await planInference(scenario, fabric.value, pins, seed, host, diagnostics);
  const failures = fabric === null ? null : planFailures(scenario, fabric.value, diagnostics);
  if (fabric !== null) checkBackend(scenario.root, backend, fabric.value, diagnostics);
  if (
    diagnostics.hasErrors ||
    packet === null ||
    failures === null ||
    traffic === null ||
    jobs === null ||
    stragglers === null ||
    fabric === null ||
    pins === null ||
    (hasInference && inference === null)
  )
    throw inputError(diagnostics);
  const { root } = scenario;
  warnOfNoEffect(
    { root, backend, settings: packet.value, fabric: fabric.value, failures: failures.value },
    diagnostics,
  );
  const name = wordAt(root, ['name']) ?? fileStem(typeof source === 'string' ? source : source.conf);
  const { sendLatency } = groupAt(root, [], topSettings);
  const run = planRunSettings(root);
  return {
    name,
    seed,
    backend,
    fabric: fabric.value,
    source: traffic.value,
    pins: pins.pins,
    inference: inference?.value ?? null,
    jobs: jobs.value,
    ...run.value,
    failures: failures.value,
    sendLatencyPs: sendLatency,
    packet: packet.value,
    tables: [
      flowTable,
      hopTable,
      ...(backend === 'packet' ? probeTables(packet.value.probes) : []),
      ...(jobs.value.length > 0 ? jobTables(run.value.timeline) : []),
      ...(hasInference ? [requestTable] : []),
    ],
    warnings: diagnostics.warnings,
    resolved: {
      name,
      ...groupText(topSettings, { seed, backend, sendLatency }),
      fabric: fabric.resolved,
      ...(nodeAt(root, ['traffic']) === undefined ? {} : { traffic: traffic.resolved }),
      ...(inference === null ? {} : { inference: inference.resolved }),
      ...jobs.resolved,
      ...(stragglers.resolved.length === 0 ? {} : { stragglers: stragglers.resolved }),
      ...run.resolved,
      failures: failures.resolved,
      ...packet.resolved,
    },
  };
}

/** The fabric with its hosts that receive slowly. */
function builtAs(fabric: Fabric, stragglers: Stragglers | null): Fabric {
  const speed = stragglers?.receiveSpeed ?? null;
  return speed === null ? fabric : withReceiveSpeed(fabric, speed);
}

/** Everything that was found wrong: file by file, in the order of each file's lines. */
function inputError(diagnostics: Diagnostics): InputError {
  const files = [...new Set(diagnostics.list.map(({ file }) => file))];
  const list = [...diagnostics.list];
  list.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column);
  return new InputError(list, diagnostics.errorCount);
}

const fileForms = {
  scenario: { wanted: 'a scenario file (YAML)', hint: 'name the file in it, such as controller.yaml' },
  conf: { wanted: 'a SimAI.conf', hint: 'name the file in it, such as SimAI.conf' },
} as const;

async function readInputFile(path: string, host: Host, what: keyof typeof fileForms): Promise<string> {
  try {
    return await host.readText(path);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    const { wanted, hint } = fileForms[what];
    throw InputError.at(
      `file-${error.reason}`,
      path,
      wholeFile,
      `the ${what} cannot be read: ${error.message.replace(`${error.path}: `, '')}`,
      { wanted, ...(error.reason === 'directory' ? { hint } : {}) },
    );
  }
}

/** The seed of the run: the option, else the scenario's, else the default. */
function planSeed(scenario: Scenario, given: number | undefined, diagnostics: Diagnostics): number {
  if (given === undefined)
    return scenario.faulty.has('seed')
      ? topSettings.seed.default
      : groupAt(scenario.root, [], { seed: topSettings.seed }).seed;
  if (!Number.isSafeInteger(given) || given < 0)
    diagnostics.error('seed', '--seed', wholeFile, 'the seed is not a whole number from 0 to 2^53 - 1', {
      got: String(given),
    });
  return given;
}

/** `examples/server-pair/controller.yaml` -> `controller` */
function fileStem(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}
