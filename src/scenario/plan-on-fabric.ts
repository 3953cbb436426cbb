// A plan without work: a fabric that is there already, and settings from options and --set. Commands that bring work of
// their own run it.
// Invariant: what --set may name is a setting; the fabric and the work are the command's.

import { Diagnostics, wholeFile } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import type { Fabric } from '../fabric/fabric.js';
import { assemblePlan } from './assemble-plan.js';
import { type Catalogues, defaultCatalogues } from './catalogues.js';
import { InputFiles } from './input-files.js';
import { errorAt, type LocatedMap, writeSetting } from './form/located.js';
import { planOrErrors } from './make-plan.js';
import { overridePlace } from './form/overrides.js';
import type { Plan } from './plan.js';
import { checkSettings } from './form/read-scenario.js';
import { formOf, type ScenarioForm } from './form/scenario-form.js';

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
  readonly host: Host;
  /** what may be chosen from; what comes with Weft if it is left out */
  readonly catalogues?: Catalogues;
}

/**
 * Resolves every setting for a fabric.
 * @returns a plan whose source has no transfers
 * @throws InputError with everything that was found wrong
 */
export async function planOnFabric(
  fabric: Fabric,
  { name, settings, overrides, host, catalogues = defaultCatalogues }: FabricPlanOptions,
): Promise<Plan> {
  const diagnostics = new Diagnostics();
  const place = { file: '--fabric', ...wholeFile };
  const root: LocatedMap = { kind: 'map', place, entries: new Map() };
  for (const { path, value, option } of settings)
    writeSetting(root, path, value, { file: option, ...wholeFile }, { file: option, ...wholeFile }, String(value));
  const form = formOf(catalogues);
  const changes = overrides.filter((text) => isSetting(text, form, diagnostics));
  const scenario = checkSettings(root, changes, diagnostics, form);
  const draft = { scenario, name, files: new InputFiles(host, ''), fabric };
  return planOrErrors(await assemblePlan(draft, diagnostics), diagnostics);
}

/** Refuses what is no setting: the command has its own. */
function isSetting(text: string, form: ScenarioForm, diagnostics: Diagnostics): boolean {
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
    ...Object.keys(form.topSettings),
    ...Object.keys(form.groups).filter((group) => group !== 'collectives'),
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
