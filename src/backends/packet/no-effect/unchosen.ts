// Settings of mechanisms that are not chosen have no effect: derived from the catalogue, for mechanisms of every kind.

import type { SettingGroup } from '../../../base/settings.js';
import type { NoEffectRule } from '../../backend-declaration.js';
import type { Mechanism } from '../mechanism.js';
import type { Mechanisms } from '../mechanisms.js';
import type { PacketSettings } from '../settings.js';

/** What chooses mechanisms of a kind, and who is chosen. */
interface Choice {
  readonly setting: string;
  readonly chosen: (settings: PacketSettings) => readonly string[];
}

const choices: Readonly<Record<keyof Mechanisms, Choice>> = {
  congestionControls: { setting: 'congestion.algorithm', chosen: ({ congestion }) => [congestion.algorithm] },
  balancers: { setting: 'routing.balancing', chosen: ({ balancing }) => [balancing] },
  transports: { setting: 'transport.algorithm', chosen: ({ transport }) => [transport.algorithm] },
  flowControls: { setting: 'flowControl', chosen: ({ flowControl }) => flowControl },
  lossModels: { setting: 'loss.model', chosen: ({ loss }) => [loss.model] },
};

type Entries = Readonly<Record<string, Mechanism<never, unknown>>>;

/** By group of settings the names of the mechanisms that have it, in the order of the catalogue. */
function usersOfGroups(list: Entries): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const [name, { settings = {} }] of Object.entries(list))
    for (const group of Object.keys(settings)) users.set(group, [...(users.get(group) ?? []), name]);
  return users;
}

/** Every setting of the groups of mechanisms of a kind, as rules name them. */
export const patternsOf = (list: Entries): string[] => [...usersOfGroups(list).keys()].map((group) => `${group}.*`);

/** The rules that follow from which mechanisms are chosen. */
export function unchosenRules(catalogue: Mechanisms): NoEffectRule[] {
  return (Object.keys(choices) as (keyof Mechanisms)[]).flatMap((kind) => {
    const { setting, chosen } = choices[kind];
    return Array.from(usersOfGroups(catalogue[kind]), ([group, names]): NoEffectRule => ({
      settings: [`${group}.*`],
      causes: [setting],
      when: ({ settings }) => !chosen(settings).some((name) => names.includes(name)),
      because:
        kind === 'flowControls'
          ? `${setting} has no ${names.join(' or ')}`
          : ({ settings }) => `${setting} is ${chosen(settings).join(', ')}`,
    }));
  });
}

/** The groups of settings of the mechanisms that are chosen. */
export function chosenSettings(
  catalogue: Mechanisms,
  settings: PacketSettings,
): Readonly<Record<string, SettingGroup>> {
  return Object.assign(
    {},
    ...(Object.keys(choices) as (keyof Mechanisms)[]).flatMap((kind) => {
      const list: Entries = catalogue[kind];
      return choices[kind].chosen(settings).map((name) => list[name]?.settings);
    }),
  ) as Readonly<Record<string, SettingGroup>>;
}
