// Settings and JSON keys that got other names, so that an older build and this one can be asked the same and what they
// answer can be set side by side. Pure.
// Invariant: a rename counts only between two builds of which the older knows the old name alone, so that lines may stay
// here for ever. The list is what is announced to users in CHANGELOG.md.

export interface Rename {
  /** of a setting: its path in a scenario; of a key: its path in what a command prints, lists as `[]` */
  readonly was: string;
  readonly is: string;
  /** old values and what they became; none: values stay */
  readonly values?: readonly (readonly [was: unknown, is: unknown])[];
}

export const renamedSettings: readonly Rename[] = [];

export const renamedKeys: readonly Rename[] = [{ was: 'fabrics[].timeNs', is: 'fabrics[].totalNs' }];

/** The renames that lie between two builds. @param was names of the older build @param is names of the newer one */
export function renamesBetween(
  renames: readonly Rename[],
  was: ReadonlySet<string>,
  is: ReadonlySet<string>,
): readonly Rename[] {
  return renames.filter((each) => was.has(each.was) && !was.has(each.is) && is.has(each.is));
}

/** A path under its new name, whether the rename is of the path or of what it lies in. Places in lists stay. */
export function newPath(path: string, renames: readonly Rename[]): string {
  for (const { was, is } of renames) {
    const pattern = was.split('[]').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const match = new RegExp(`^${pattern.join('(\\[[^\\]]*\\])')}(?<rest>$|[.[].*)`, 's').exec(path);
    if (match === null) continue;
    const places = match.slice(1, pattern.length);
    return is.replaceAll('[]', () => places.shift() ?? '[]') + match.groups!['rest']!;
  }
  return path;
}

/** A setting of the newer build as the older one has it. */
export function oldSetting(path: string, value: unknown, renames: readonly Rename[]): [path: string, value: unknown] {
  const rename = renames.find(({ is }) => is === path);
  if (rename === undefined) return [path, value];
  const same = JSON.stringify(value);
  return [rename.was, rename.values?.find(([, is]) => JSON.stringify(is) === same)?.[0] ?? value];
}

/** A command line of the older build as the newer one takes it: its --set texts under new names. */
export function newCommand(args: readonly string[], renames: readonly Rename[]): string[] {
  return args.map((text, place) => {
    const [, path, value] = /^([^=]+)=(.*)$/s.exec(args[place - 1] === '--set' ? text : '') ?? [];
    const rename = renames.find(({ was }) => was === path);
    if (rename === undefined || value === undefined) return text;
    const became = rename.values?.find(([was]) => String(was) === value)?.[1];
    return `${rename.is}=${became === undefined ? value : JSON.stringify(became)}`;
  });
}
