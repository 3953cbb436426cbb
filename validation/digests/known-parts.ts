// A scenario cut down to what two builds know, each under its own names. Pure.

import type { Json } from './figures.js';
import type { ChangedDefault } from './names.js';
import { oldSetting, type Rename } from './renames.js';

/** A scenario as JSON. */
export type Settings = Readonly<Record<string, unknown>>;

/** What the older build knows. */
export interface Known {
  readonly settings: ReadonlySet<string>;
  readonly words: ReadonlyMap<string, readonly Json[]>;
  /** gets the settings that are left out */
  readonly leftOut: Set<string>;
}

/** Sets a setting by its path, `group.name` or a name alone. */
function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const [group, name] = path.split('.') as [string, string?];
  if (name === undefined) into[group] = value;
  else into[group] = { ...(into[group] as object | undefined), [name]: value };
}

/** A scenario's settings that both builds know, under the names and with the words of each. */
export function knownParts(
  scenario: Settings,
  renames: readonly Rename[],
  { settings, words, leftOut }: Known,
): { readonly both: Settings; readonly old: Settings } {
  const [both, old]: Record<string, unknown>[] = [{}, {}];
  const visit = (path: string, value: unknown): void => {
    const [oldPath, oldValue] = oldSetting(path, value, renames);
    const choice = words.get(oldPath);
    if (!settings.has(oldPath) || (choice !== undefined && !choice.includes(oldValue as Json))) {
      leftOut.add(path);
      return;
    }
    put(both!, path, value);
    put(old!, oldPath, oldValue);
  };
  for (const [group, value] of Object.entries(scenario))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) visit(group, value);
    else for (const [name, each] of Object.entries(value)) visit(`${group}.${name}`, each);
  return { both: both!, old: old! };
}

/** A scenario in which settings with another default than before are given, with the old one, unless they were drawn. */
export function withOldDefaults(scenario: Settings, changed: readonly ChangedDefault[]): Settings {
  const given: Record<string, unknown> = { ...scenario };
  for (const { path, was } of changed) {
    const [group, name] = path.split('.') as [string, string?];
    const inGroup = given[group] as Settings | undefined;
    if ((name === undefined ? given[group] : inGroup?.[name]) === undefined) put(given, path, was);
  }
  return given;
}

/** What is special about a scenario, in words by which expectations may name it. */
export function tagsOf({ failures, flowControl, pfc, fabric, backend }: Settings): string[] {
  const hasFailures = ((failures as { events?: readonly unknown[] } | undefined)?.events ?? []).length > 0;
  const isOff = (pfc as { enabled?: unknown } | undefined)?.enabled === false;
  const isLossy = isOff || (Array.isArray(flowControl) && !flowControl.includes('pfc'));
  const hasErrors = Number((fabric as { errorRate?: unknown } | undefined)?.errorRate ?? 0) > 0;
  return [
    ...(hasFailures ? ['failures'] : []),
    ...(isLossy ? ['lossy'] : []),
    ...(hasErrors ? ['errors'] : []),
    ...(typeof backend === 'string' ? [backend] : []),
  ];
}
