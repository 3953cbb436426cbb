// A scenario as a report shows it: as an outline to read, and where scenarios of several runs differ.
// Invariant: every value of the scenario stands in the outline; keys are those of the file.

import type { Json, ReportRun } from './report-run.js';
import { jsonAt } from './report-run.js';

/** An outline in the form of YAML. */
export function outline(value: Json | undefined, indent = ''): string {
  if (!isObject(value)) return scalar(value);
  return Object.entries(value)
    .map(([key, own]) => {
      if (isObject(own) && Object.keys(own).length > 0) return `${indent}${key}:\n${outline(own, `${indent}  `)}`;
      return `${indent}${key}: ${scalar(own)}`;
    })
    .join('\n');
}

/** Settings that are not the same in all runs: path and the value of each. */
export function differences(runs: readonly ReportRun[], most: number): { path: string; values: string[] }[] {
  const all = runs.map(({ manifest }) => settingsByPath(jsonAt(manifest, 'scenario'), scalar));
  const paths = [...new Set(all.flatMap((own) => [...own.keys()]))];
  return paths
    .filter((path) => path !== 'name' && all.some((own) => own.get(path) !== all[0]!.get(path)))
    .slice(0, most)
    .map((path) => ({ path, values: all.map((own) => own.get(path) ?? '') }));
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function scalar(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return /^[\w./][\w ./,-]*$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/** The settings of a scenario, by path. @param textOf a value that is no block */
export function settingsByPath(
  value: Json | undefined,
  textOf: (value: Json) => string,
  path = '',
  into = new Map<string, string>(),
): Map<string, string> {
  if (isObject(value))
    for (const [key, own] of Object.entries(value))
      settingsByPath(own, textOf, path === '' ? key : `${path}.${key}`, into);
  else if (value !== undefined) into.set(path, textOf(value));
  return into;
}
