// `collectives.environment`: variables of NCCL's environment in a scenario, such as { NCCL_ALGO: Ring }.
// Invariant: a variable is honoured, or the scenario is refused with the reason.

import * as z from 'zod';
import { ncclEnvironment, ncclVariables, variableProblem } from '../../collectives/nccl-environment.js';
import type { Profile } from '../../collectives/selection.js';
import type { CollectiveSettings } from '../../jobs/job.js';
import { type LocatedMap, nodeAt } from '../form/located.js';
import { groupAt } from '../form/resolve.js';
import { runSettings } from '../form/schema.js';
import { checked } from '../form/setting-schema.js';

const path = ['collectives', 'environment'] as const;

/** The form of the block. */
export function environmentSchema(): z.ZodType {
  return z
    .strictObject(
      Object.fromEntries(
        ncclVariables.map(({ name, description }) => [
          name,
          checked(
            (value) => {
              const wanted = 'a number or text';
              if (value === null || typeof value === 'object' || typeof value === 'boolean')
                return { code: 'nccl-variable', message: 'is no number and no text', wanted };
              const problem = variableProblem(name, String(value));
              return problem === null ? null : { code: 'nccl-variable', ...problem };
            },
            { type: ['string', 'integer'], description },
          ).optional(),
        ]),
      ),
    )
    .optional()
    .meta({ description: 'environment variables of NCCL, which its profiles honour' });
}

/** The variables of a scenario without errors, as they are written; null: none. */
export function writtenVariables(root: LocatedMap): Readonly<Record<string, string>> | null {
  const node = nodeAt(root, path);
  if (node?.kind !== 'map' || node.entries.size === 0) return null;
  return Object.fromEntries(
    Array.from(node.entries, ([name, { value }]) => [name, value.kind === 'scalar' ? String(value.value) : '']),
  );
}

/** The settings of `collectives` with its variables. @param profile that they name, read if it is of a file */
export function collectiveSettingsAt(root: LocatedMap, profile: Profile): CollectiveSettings {
  const values = { ...groupAt(root, ['collectives'], runSettings.collectives), profile };
  const variables = writtenVariables(root);
  return variables === null ? values : { ...values, environment: ncclEnvironment(variables) };
}
