// A plan without work: a fabric that is there already, and settings from options and --set. Commands that bring work of
// their own run it.
// Invariant: what --set may name is a setting; the fabric and the work are the command's.

import { probeTables } from '../backends/packet/probes/probes.js';
import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import { withForwardingLatency } from '../fabric/forwarding-latency.js';
import { TransferList } from '../flows/transfer-list.js';
import { flowTable, hopTable } from '../records/flow-records.js';
import { errorAt, type LocatedMap, writeSetting } from './located.js';
import { warnOfNoEffect } from './no-effect.js';
import { overridePlace } from './overrides.js';
import { checkBackend, planBackend } from './plan-backend.js';
import { planFailures } from './plan-failures.js';
import { planPacket } from './plan-packet.js';
import { planRunSettings } from './plan-run-settings.js';
import type { Plan } from './plan.js';
import { groupText } from './quantity-text.js';
import { checkScenario } from './read-scenario.js';
import { groupAt } from './resolve.js';
import { settingGroups, topSettings } from './schema.js';

/** A setting that an option of the command line gives. */
export interface OptionSetting {
  /** path of the setting, such as `sendLatency` */
  readonly path: string;
  readonly value: string | number;
  /** the option, such as `--send-latency` */
  readonly option: string;
}

export interface FabricPlanOptions {
  readonly name: string;
  readonly settings: readonly OptionSetting[];
  /** `path=value` texts of --set, applied in order */
  readonly overrides: readonly string[];
}

/**
 * Resolves every setting for a fabric.
 * @returns a plan whose source has no transfers
 * @throws InputError with everything that was found wrong
 */
export function planOnFabric(built: Fabric, { name, settings, overrides }: FabricPlanOptions): Plan {
  const diagnostics = new Diagnostics();
  const place = { file: '--fabric', ...wholeFile };
  const root: LocatedMap = { kind: 'map', place, entries: new Map() };
  // the form of a scenario wants them
  writeSetting(root, 'fabric.file', '-', place, place, '-');
  writeSetting(root, 'traffic.trace', '-', place, place, '-');
  for (const { path, value, option } of settings)
    writeSetting(root, path, value, { file: option, ...wholeFile }, { file: option, ...wholeFile }, String(value));
  const scenario = checkScenario(
    root,
    name,
    overrides.filter((text) => isSetting(text, diagnostics)),
    diagnostics,
  );
  if (diagnostics.hasErrors) throw new InputError(diagnostics.list, diagnostics.errorCount);
  const backend = planBackend(scenario);
  const packet = planPacket(scenario, backend, built, diagnostics);
  const fabric = packet === null ? built : withForwardingLatency(built, packet.value.switch);
  const failures = planFailures(scenario, fabric, diagnostics);
  checkBackend(root, backend, fabric, diagnostics);
  if (diagnostics.hasErrors || packet === null || failures === null)
    throw new InputError(diagnostics.list, diagnostics.errorCount);
  warnOfNoEffect({ root, backend, settings: packet.value, fabric, failures: failures.value }, diagnostics);
  const { seed, sendLatency } = groupAt(root, [], topSettings);
  const run = planRunSettings(root);
  return {
    name,
    seed,
    backend,
    fabric,
    source: new TransferList(),
    pins: [],
    inference: null,
    jobs: [],
    ...run.value,
    failures: failures.value,
    sendLatencyPs: sendLatency,
    packet: packet.value,
    tables: [flowTable, hopTable, ...(backend === 'packet' ? probeTables(packet.value.probes) : [])],
    warnings: diagnostics.warnings,
    resolved: {
      name,
      ...groupText(topSettings, { seed, backend, sendLatency }),
      routing: run.resolved.routing,
      controller: run.resolved.controller,
      failures: failures.resolved,
      ...packet.resolved,
    },
  };
}

/** Refuses what is no setting: the command has its own. */
function isSetting(text: string, diagnostics: Diagnostics): boolean {
  const [key] = text.trim().split(/[.=[]/) as [string];
  if (key === 'collectives') {
    errorAt(
      diagnostics,
      'set-path',
      overridePlace,
      'collectives cannot be set here: the command has options for them',
      { got: text, wanted: 'an option such as --profile, --algorithm, --channels or --no-nvls' },
    );
    return false;
  }
  if (!['fabric', 'traffic', 'workload', 'jobs', 'inference', 'stragglers', 'name'].includes(key)) return true;
  const wanted = [
    ...Object.keys(topSettings),
    ...Object.keys(settingGroups).filter((group) => group !== 'collectives'),
  ].join(', ');
  errorAt(
    diagnostics,
    'set-path',
    overridePlace,
    `${key} cannot be set here: the command says what is built and what is sent`,
    { got: text, wanted: `a setting of ${wanted}` },
  );
  return false;
}
