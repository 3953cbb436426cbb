// Samples of links added up: over windows and over the links of a kind, of one job.

import type { Fabric } from '#weft/fabric/fabric.js';
import { LinkSampleColumn, linkSampleTable } from '#weft/sampling/sample-records.js';
import type { ExampleRun } from './example-run.js';

/** Estimates of packets, and how many links they are of. */
export interface LinkSums {
  readonly traffic: number;
  readonly congested: number;
  readonly links: number;
}

/**
 * What a job's samples say of some links.
 * @param isMeant nodes that a link leads from and to
 * @param only the end of the only window that counts, ps, and the only tag; left out: all
 */
export function linkSums(
  { fabric, sink }: ExampleRun,
  job: number,
  isMeant: (from: number, to: number) => boolean,
  only: { readonly endPs?: number; readonly tag?: number } = {},
): LinkSums {
  const column = (name: keyof typeof LinkSampleColumn): ArrayLike<number> =>
    sink.column(linkSampleTable, LinkSampleColumn[name]);
  const [time, jobs, node, number] = [column('time'), column('job'), column('node'), column('interface')];
  const [tags, traffic, congested] = [column('tag'), column('traffic'), column('congested')];
  const sums = { traffic: 0, congested: 0 };
  const ports = new Set<number>();
  for (let i = 0; i < time.length; i++) {
    if (jobs[i] !== job || time[i] !== (only.endPs ?? time[i]) || tags[i] !== (only.tag ?? tags[i])) continue;
    const port = fabric.portOffset[node[i]!]! + number[i]! - 1;
    if (!isMeant(node[i]!, fabric.portNode[fabric.portPeer[port]!]!)) continue;
    sums.traffic += traffic[i]!;
    sums.congested += congested[i]!;
    ports.add(port);
  }
  return { ...sums, links: ports.size };
}

/** The ends of windows with samples, ps, in order. */
export function windowEnds({ sink }: ExampleRun): number[] {
  return [...new Set(sink.column(linkSampleTable, LinkSampleColumn.time))].sort((a, b) => a - b);
}

/** The leaf of a host. */
export function leafOf(fabric: Fabric, host: number): number {
  return fabric.portNode[fabric.portPeer[fabric.portOffset[host]!]!]!;
}
