// A scenario as text -> the plan that runs. The same reading and the same messages as `weft run`, without a file.

import type { Host } from '../base/host.js';
import { makePlan } from '../scenario/make-plan.js';
import type { Plan } from '../scenario/plan.js';
import { type Additions, cataloguesWith } from './additions.js';
import { memoryHost } from '../app/memory-host.js';

/** How a scenario is to be read. */
export interface ScenarioOptions extends Additions {
  /** where the files are that the scenario names (topology, trace, workload); none without it */
  readonly host?: Host;
  /**
   * what the text is called in messages, `scenario.yaml` if it is left out; the files that it names are relative to its
   * folder
   */
  readonly file?: string;
  /** changes of settings in the form of `--set`, such as `controller.enabled=true`, applied in order */
  readonly overrides?: readonly string[];
  /** in place of the scenario's seed: a whole number from 0 to 2^53 - 1 */
  readonly seed?: number;
}

/**
 * Reads a scenario from its YAML text, with all files that it names, and resolves every setting.
 * @param text YAML, as docs/formats/scenario.md describes it
 * @returns the plan, with warnings about settings without an effect; give it to `simulate` once
 * @throws InputError with everything that was found wrong, each with file, line and column
 */
export function planFromText(text: string, options: ScenarioOptions = {}): Promise<Plan> {
  const { host = memoryHost(), file = 'scenario.yaml', overrides = [], seed } = options;
  return makePlan(file, {
    host: withText(host, file, text),
    overrides,
    catalogues: cataloguesWith(options),
    seed,
  });
}

/**
 * As planFromText, but reads the scenario, too, through the host.
 * @param path of the scenario file, as the host is asked for it
 * @throws InputError with everything that was found wrong
 */
export function planFromFile(
  path: string,
  options: Omit<ScenarioOptions, 'file'> & { readonly host: Host },
): Promise<Plan> {
  const { host, overrides = [], seed } = options;
  return makePlan(path, {
    host,
    overrides,
    catalogues: cataloguesWith(options),
    seed,
  });
}

/** A host that has one more file. */
function withText(host: Host, file: string, text: string): Host {
  return {
    readText: (path) => (path === file ? Promise.resolve(text) : host.readText(path)),
    readBytes: (path) => host.readBytes(path),
    resolve: (from, path) => host.resolve(from, path),
    wallMs: () => host.wallMs(),
    cpuSeconds: () => host.cpuSeconds(),
    peakMemoryBytes: () => host.peakMemoryBytes(),
    breathe: () => host.breathe(),
  };
}
