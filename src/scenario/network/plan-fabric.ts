// The `fabric` block -> the fabric: read from a topology file or generated.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import { partsMadeAnew, type PlanParts } from '../plan-memory.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import { withErrorRate } from '../../fabric/error-rates.js';
import type { Fabric } from '../../fabric/fabric.js';
import { resolveParameters, type NamedFamily } from '../../fabric/generators/catalogue.js';
import type { FabricIdentity } from '../../fabric/identity.js';
import { readFabricForm } from '../../formats/fabric-file.js';
import { plainOf, textOf } from '../form/located.js';
import type { InputFiles } from '../input-files.js';
import { parameterHint } from '../form/parameter-hint.js';
import { groupText } from '../../base/quantity-text.js';
import type { Scenario } from '../form/read-scenario.js';
import { fileFabricSettings } from '../form/schema.js';

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
  parts: PlanParts = partsMadeAnew,
): Promise<PlannedFabric | null> {
  const { fabric } = scenario;
  if (fabric === null) return null;
  const block = new Section(scenario.root, ['fabric'], diagnostics);
  if (fabric.form === 'generate')
    return parts.part('fabric', [scenario], diagnostics, () => generated(block, fabric.named, parts, diagnostics));
  const file = block.word('file')!;
  return readNamed(block.at('file'), 'topology file', async () => {
    const text = await files.readText('topology', file);
    const path = files.resolve(file);
    const read = parts.part('topology', [text, path], diagnostics, () => readFabricForm(text, path, diagnostics));
    return parts.part('fabric', [scenario, read], diagnostics, () => {
      const settings = block.group(fileFabricSettings);
      const resolved = { file, ...groupText(fileFabricSettings, settings) };
      if (read === null) return null;
      const { identity } = read;
      const fabric = withErrorRate(read.fabric, settings.errorRate);
      return { value: identity === null ? fabric : { ...fabric, identity }, resolved, identity };
    });
  });
}

function generated(
  block: Section,
  named: NamedFamily,
  parts: PlanParts,
  diagnostics: Diagnostics,
): PlannedFabric | null {
  const { family, implied } = named;
  const given = plainOf(block.node()!) as Record<string, unknown>;
  const parameters = Object.fromEntries(
    Object.keys(family.settings)
      .filter((key) => Object.hasOwn(given, key))
      .map((key) => [key, given[key]]),
  );
  const { values, problems, remarks } = resolveParameters(family, { ...implied, ...parameters });
  for (const { parameter, code, message, ...detail } of remarks) {
    const key = parameter ?? 'generate';
    const name = block.text(key);
    block.warning(key, code, `${name}: ${message}`, { ...detail, path: name });
  }
  if (values === null) {
    for (const problem of problems) {
      const { parameter, code, message, got, wanted } = problem;
      const hint = parameterHint(family, problem, parameters, (name) => `fabric.${name}`);
      const key = parameter !== null && Object.hasOwn(parameters, parameter) ? parameter : 'generate';
      block.error(key, code, parameter === null ? message : `fabric.${parameter}: ${message}`, {
        got: got ?? textOf(block.node(key)!),
        ...(wanted === undefined ? {} : { wanted }),
        ...(hint === undefined ? {} : { hint }),
      });
    }
    return null;
  }
  return {
    value: parts.part('generated', [family, JSON.stringify(values)], diagnostics, () => family.generate(values)),
    resolved: { generate: family.name, ...groupText(family.settings, values) },
    identity: null,
  };
}
