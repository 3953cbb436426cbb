// What a run would be and take, for people and for --json, before it runs.

import { formatTimePs } from '../base/units.js';
import type { Fabric } from '../fabric/fabric.js';
import { summariseFabric } from '../fabric/summary.js';
import { counted, grouped, labelled, percentText } from './text-style.js';

/** What a run would be and take. */
export interface ForecastFigures {
  readonly backend: string;
  readonly flows: number;
  readonly payloadBytes: number;
  readonly packets: number;
  /** data and acknowledgements over links, nothing sent twice; null on a backend without packets */
  readonly packetHops: number | null;
  /** of all jobs */
  readonly ranks: number;
  readonly operations: number;
  /** share of the work that was counted, 0 to 1; the rest is extrapolated */
  readonly counted: number;
  /** on this machine; null: nobody knows what the backend takes */
  readonly cpuSeconds: number | null;
  /** time that this machine takes for what the reference machine takes 1 */
  readonly slowness: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** probes record rows beside these, which are not forecast */
  readonly hasProbes: boolean;
}

/** What would run. */
export interface ForecastRun {
  readonly name: string;
  readonly seed: number;
  readonly fabric: Fabric;
  readonly jobs: readonly { readonly name: string; readonly ranks: Int32Array; readonly iterations: number }[];
  /** settings that differ from their defaults */
  readonly changed: readonly {
    readonly path: string;
    readonly value: string | number | boolean;
    /** what it follows from; null: it was given */
    readonly derivedFrom: string | null;
  }[];
  readonly figures: ForecastFigures;
}

const indent = 15;
const jobsNamed = 4;
const filesNamed = 3;

/** The report, at most 80 columns wide. */
export function forecastReport({ name, seed, fabric, jobs, changed, figures }: ForecastRun): string {
  const summary = summariseFabric(fabric);
  const files = [...figures.files].sort((a, b) => b.bytes - a.bytes);
  const nodes = [
    counted(summary.hosts, 'host'),
    ...(summary.nvswitches > 0 ? [counted(summary.nvswitches, 'NVSwitch', 'NVSwitches')] : []),
    ...(summary.pcieSwitches > 0 ? [counted(summary.pcieSwitches, 'PCIe switch', 'PCIe switches')] : []),
    counted(summary.switches, 'switch', 'switches'),
    counted(summary.links, 'link'),
  ];
  const largest = files.slice(0, filesNamed).map((file) => `${file.name} ${bytesText(file.bytes)}`);
  const text = [
    ...labelled('fabric', nodes.join(', '), indent),
    ...jobs
      .slice(0, jobsNamed)
      .flatMap(({ name: job, ranks, iterations }) =>
        labelled('job', `${job}: ${counted(ranks.length, 'rank')}, ${counted(iterations, 'iteration')}`, indent),
      ),
    ...(jobs.length > jobsNamed ? labelled('', `and ${counted(jobs.length - jobsNamed, 'more job')}`, indent) : []),
    ...labelled('flows', flowsText(figures), indent),
    ...labelled('backend', figures.backend, indent),
    ...labelled('time', timeText(figures), indent),
    ...labelled('memory', `about ${bytesText(figures.memoryBytes)}`, indent),
    ...labelled(
      'disk',
      `about ${bytesText(figures.diskBytes)} with --out: ${largest.join(', ')}${figures.hasProbes ? '; probes write more, which is not forecast' : ''}`,
      indent,
    ),
    ...labelled('seed', String(seed), indent),
  ];
  const end = ['', '  Within a factor of three, if nothing fails, is lost or sent again.'];
  return `${[`${name}: what would run, and what it would take`, '', ...text, ...settingLines(changed), ...end].join('\n')}\n`;
}

/** Settings that were given, then those that follow from them, each with what from; all others have their defaults. */
function settingLines(changed: ForecastRun['changed']): string[] {
  if (changed.length === 0) return labelled('settings', 'all are the defaults', indent);
  const given = changed.filter(({ derivedFrom }) => derivedFrom === null);
  const derived = changed.filter(({ derivedFrom }) => derivedFrom !== null);
  return [
    ...labelled(
      'settings',
      given.length === 0
        ? 'none was given another value than its default'
        : 'given, where they differ from their defaults:',
      indent,
    ),
    ...given.map(({ path, value }) => `    ${path}: ${value}`),
    ...(derived.length === 0 ? [] : labelled('', 'derived, and what from:', indent)),
    ...derived.map(({ path, value, derivedFrom }) => `    ${path}: ${value} (${derivedFrom})`),
    ...labelled('', 'all others have their defaults', indent),
  ];
}

function flowsText(figures: ForecastFigures): string {
  const { flows, payloadBytes, packets, packetHops, operations, ranks, counted: share } = figures;
  if (flows === 0 && ranks > 0)
    return `none: ${counted(operations, 'operation')} of jobs, whose collectives closed forms time`;
  const hops =
    packetHops === null
      ? ''
      : ` in ${counted(packets, 'packet')}; ${counted(packetHops, 'packet-hop')} with their acknowledgements`;
  const part = share < 1 ? ` (from the first ${percentText(share, 0)} of the work)` : '';
  return `${counted(flows, 'flow')}, ${bytesText(payloadBytes)}${hops}${part}`;
}

function timeText({ cpuSeconds, slowness }: ForecastFigures): string {
  if (cpuSeconds === null) return 'not known of this backend';
  const speed =
    slowness > 1 ? `${slowness.toFixed(1)} times as slow as` : `${(1 / slowness).toFixed(1)} times as fast as`;
  return `about ${cpuText(cpuSeconds)} of CPU on this machine, ${speed} that of the measurements`;
}

/** CPU time with two digits: 0.12 s, 3.4 s, 12 min, 3.1 h. */
export function cpuText(seconds: number): string {
  if (seconds < 120) return formatTimePs(Number(seconds.toPrecision(2)) * 1e12).replace(/(\d)(m?s)$/, '$1 $2');
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Bytes as people read them, with two or three digits: 112 MB. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
  return `${value >= 100 ? grouped(value) : String(Number(value.toPrecision(2)))} ${units[unit]!}`;
}

/** The object that --json prints. */
export function forecastObject({ name, seed, jobs, changed, figures }: ForecastRun): Record<string, unknown> {
  const { backend, ranks: _, ...work } = figures;
  return {
    name,
    seed,
    dryRun: true,
    backend,
    jobs: jobs.map((job) => ({ name: job.name, ranks: job.ranks.length, iterations: job.iterations })),
    ...work,
    settings: Object.fromEntries(changed.map(({ path, value }) => [path, value])),
    derivedSettings: Object.fromEntries(
      changed.flatMap(({ path, derivedFrom }) => (derivedFrom === null ? [] : [[path, derivedFrom]])),
    ),
  };
}
