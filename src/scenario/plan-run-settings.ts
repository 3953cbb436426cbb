// The settings of a run that say for themselves what they mean: routing, the controller, collectives, what is recorded
// of jobs. Backends and failures have plans of their own, for theirs depend on the fabric.

import type { SettingValues } from '../base/settings.js';
import { groupText } from '../base/quantity-text.js';
import type { Profile } from '../collectives/selection.js';
import type { CollectiveSettings } from '../jobs/job.js';
import { collectiveSettingsAt, writtenVariables } from './work/nccl-variables.js';
import type { Scenario } from './form/read-scenario.js';
import { groupAt } from './form/resolve.js';
import { runSettings } from './form/schema.js';

const groups = ['routing', 'controller', 'collectives', 'timeline'] as const;

/** Values of every group, defaults where nothing is given. */
export type RunSettings = {
  readonly [K in Exclude<(typeof groups)[number], 'collectives'>]: SettingValues<(typeof runSettings)[K]>;
} & {
  readonly collectives: CollectiveSettings;
};

/**
 * The settings of a scenario without errors, as values and as a scenario would write them.
 * @param profile that its collectives name
 */
export function planRunSettings(
  { root, form }: Scenario,
  profile: Profile,
): {
  readonly value: RunSettings;
  readonly resolved: Readonly<Record<keyof RunSettings, object>>;
} {
  const variables = writtenVariables(root);
  const entries = groups.map((name) => [name, groupAt(root, [name], runSettings[name])] as const);
  return {
    value: {
      ...Object.fromEntries(entries),
      collectives: collectiveSettingsAt(root, profile),
    } as unknown as RunSettings,
    resolved: Object.fromEntries(
      entries.map(([name, values]) =>
        name === 'routing'
          ? [name, groupText(form.routingSettings, groupAt(root, [name], form.routingSettings))]
          : [
              name,
              {
                ...groupText(runSettings[name], values),
                ...(name === 'collectives' && variables !== null ? { environment: variables } : {}),
              },
            ],
      ),
    ) as Record<keyof RunSettings, object>,
  };
}
