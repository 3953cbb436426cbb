// The `fabric` block -> the fabric: read from a topology file or generated.

import type { Diagnostics } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import { withErrorRate } from '../fabric/error-rates.js';
import type { Fabric } from '../fabric/fabric.js';
import { resolveParameters, type NamedFamily } from '../fabric/generators/catalogue.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { isHtsimTopology, readHtsimTopology } from '../formats/htsim-topology.js';
import { isInfinibandFabric, readInfinibandFabric } from '../formats/infiniband-fabric.js';
import { readTopology } from '../formats/simai-topology.js';
import {
  errorAt,
  keyPlaceOf,
  nodeAt,
  pathText,
  plainOf,
  textOf,
  type LocatedMap,
  type Path,
  warningAt,
} from './located.js';
import type { InputFiles } from './input-files.js';
import { parameterHint } from './parameter-hint.js';
import { groupText } from '../base/quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, wordAt } from './resolve.js';
import { fileFabricSettings } from './schema.js';

/** A part of the plan, and how a scenario would write it. */
export interface Planned<T> {
  readonly value: T;
  readonly resolved: Record<string, unknown>;
}

/** A fabric, and who its nodes are on InfiniBand, if its file says so. */
export interface PlannedFabric extends Planned<Fabric> {
  readonly identity: FabricIdentity | null;
}

/** Builds the fabric of a scenario. @returns null after at least one error */
export async function planFabric(
  scenario: Scenario,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<PlannedFabric | null> {
  const { fabric, root } = scenario;
  if (fabric === null) return null;
  if (fabric.form === 'generate') return generated(root, fabric.named, diagnostics);
  const file = wordAt(root, ['fabric', 'file'])!;
  try {
    const text = await files.readText('topology', file);
    const path = files.resolve(file);
    const subnet = isInfinibandFabric(text) ? readInfinibandFabric(text, path, diagnostics) : undefined;
    const built =
      subnet === undefined
        ? (isHtsimTopology(text) ? readHtsimTopology : readTopology)(text, path, diagnostics)
        : (subnet?.fabric ?? null);
    const settings = groupAt(root, ['fabric'], fileFabricSettings);
    return built === null
      ? null
      : {
          value: withErrorRate(built, settings.errorRate),
          resolved: { file, ...groupText(fileFabricSettings, settings) },
          identity: subnet?.identity ?? null,
        };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(root, ['fabric', 'file'], 'topology file', error, diagnostics);
    return null;
  }
}

function generated(root: LocatedMap, named: NamedFamily, diagnostics: Diagnostics): PlannedFabric | null {
  const { family, implied } = named;
  const given = plainOf(nodeAt(root, ['fabric'])!) as Record<string, unknown>;
  const parameters = Object.fromEntries(
    Object.keys(family.settings)
      .filter((key) => Object.hasOwn(given, key))
      .map((key) => [key, given[key]]),
  );
  const { values, problems, remarks } = resolveParameters(family, { ...implied, ...parameters });
  for (const { parameter, code, message, ...detail } of remarks) {
    const path = ['fabric', parameter ?? 'generate'];
    const name = pathText(path);
    warningAt(diagnostics, code, nodeAt(root, path)!.place, `${name}: ${message}`, { ...detail, path: name });
  }
  if (values === null) {
    for (const problem of problems) {
      const { parameter, code, message, got, wanted } = problem;
      const hint = parameterHint(family, problem, parameters, (name) => `fabric.${name}`);
      const key = parameter !== null && Object.hasOwn(parameters, parameter) ? parameter : 'generate';
      const node = nodeAt(root, ['fabric', key])!;
      errorAt(diagnostics, code, node.place, parameter === null ? message : `fabric.${parameter}: ${message}`, {
        got: got ?? textOf(node),
        ...(wanted === undefined ? {} : { wanted }),
        ...(hint === undefined ? {} : { hint }),
      });
    }
    return null;
  }
  return {
    value: family.generate(values),
    resolved: { generate: family.name, ...groupText(family.settings, values) },
    identity: null,
  };
}

/** Reports a file that a scenario names and that cannot be read, at the place where it is named. */
export function reportFile(
  root: LocatedMap,
  path: Path,
  what: string,
  error: HostFileError,
  diagnostics: Diagnostics,
): void {
  const node = nodeAt(root, path);
  const place = node?.place ?? keyPlaceOf(root, path);
  // a config.txt names files as its own program opens them
  const isAsNamed = node !== undefined && error.path === textOf(node) && /[/\\]/.test(root.place.file);
  errorAt(diagnostics, `file-${error.reason}`, place, `the ${what} cannot be read: ${error.message}`, {
    wanted: `a readable ${what}`,
    ...(error.reason === 'missing' && !isOption(place.file)
      ? { hint: `paths are relative to ${isAsNamed ? 'the current folder' : 'the folder of the scenario'}` }
      : {}),
  });
}

/** A path given with an option of the command line is relative to where the user stands. */
function isOption(file: string): boolean {
  return file === '--topology' || file === '--trace';
}
