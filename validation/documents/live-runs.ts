// The small run that the page of each mechanism has, from live-runs.yaml.
// Invariant: a page of docs/models has a run, or says why it has none; no entry is of another page.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { siteExamples } from '#weft/cli/ui/site-files.js';
import { sharedHash } from '../../web/app/share.js';
import { repositoryFolder } from '../repository.js';

/** What a page offers to run, or why it does not. */
type LiveRun =
  | { readonly shows: string; readonly example: string }
  | { readonly shows: string; readonly scenario: string }
  | { readonly reason: string };

/** A run of a page, as its program takes it. */
export interface OfferedRun {
  /** what to look for in it */
  readonly shows: string;
  readonly text: string;
  /** texts of files that it names, by path */
  readonly files: Readonly<Record<string, string>>;
  /** the part behind `#` of the link that opens it in the application */
  readonly hash: string;
}

/** The entries of live-runs.yaml, by the name of their page in docs/models. */
export function liveRuns(): Readonly<Record<string, LiveRun>> {
  return parse(readFileSync(join(repositoryFolder, 'validation/documents/live-runs.yaml'), 'utf8')) as Record<
    string,
    LiveRun
  >;
}

/**
 * The runs of all pages that have one, by the path of their page.
 * @param examples of the application
 * @throws Error if it has not the example of a page
 */
export async function offeredRuns(
  examples: Awaited<ReturnType<typeof siteExamples>>,
): Promise<ReadonlyMap<string, OfferedRun>> {
  const offered = new Map<string, OfferedRun>();
  for (const [name, run] of Object.entries(liveRuns())) {
    if ('reason' in run) continue;
    const path = `docs/models/${name}.md`;
    if ('scenario' in run) {
      const { shows, scenario: text } = run;
      const hash = await sharedHash({ text, files: {}, time: null, link: null, flow: null });
      offered.set(path, { shows, text, files: {}, hash });
      continue;
    }
    const found = examples.find((own) => own.name === run.example);
    if (found === undefined)
      throw new Error(`${path}: the application has no example ${run.example}\n  wanted: one of its gallery`);
    const { text, files } = found;
    offered.set(path, { shows: run.shows, text, files, hash: `#example=${run.example}` });
  }
  return offered;
}
