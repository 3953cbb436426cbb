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
  const all = runs.map(({ manifest }) => {
    const found = new Map<string, string>();
    collect(jsonAt(manifest, 'scenario'), '', found);
    return found;
  });
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

function collect(value: Json | undefined, path: string, into: Map<string, string>): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    into.set(path, scalar(value));
    return;
  }
  for (const [key, own] of Object.entries(value)) collect(own, path === '' ? key : `${path}.${key}`, into);
}
