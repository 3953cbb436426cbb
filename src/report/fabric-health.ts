// The health of a fabric as a whole: cables, changes, counters, tables. What is wrong, in one sentence, and what to do
// first.
// Invariants: healthy means that nothing that was looked at is at fault; what was not looked at is said. Faults stand in
// the order in which they are worth mending: first what stops packets, then cables, then what changed.

import type { Diagnostic } from '../base/diagnostics.js';
import type { LidSummary } from '../fabric/lid-summary.js';
import type { RoutedFabric } from '../fabric/routed-fabric.js';
import type { FabricSummary } from '../fabric/summary.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import {
  changeLists,
  endsText,
  findingRows,
  naming,
  toldFindings,
  type FabricFindingReport,
  type FabricHealth,
} from './fabric-check-text.js';
import { errorText, faultyLinks, type LinkCounters } from './routes/counter-text.js';
import type { JudgedTables } from './routes/judged-tables.js';
import { counted } from './text-style.js';

/** Tables of a fabric whose health is told. */
export interface HealthTables {
  /** what they are called */
  readonly name: string;
  /** why they were not judged: packets go round in circles; null = they were */
  readonly loop: Diagnostic | null;
  readonly judged: JudgedTables | null;
}

/** What is known of a fabric; null = it was not given. */
export interface HealthReport {
  readonly check: FabricHealth & { readonly name: string; readonly summary: FabricSummary };
  /** null where nothing can be routed on it */
  readonly source: RoutedFabric | null;
  readonly counters: LinkCounters | null;
  readonly tables: HealthTables | null;
  readonly traffic: Traffic | null;
  readonly lids: LidSummary | null;
  /** its switches by level with odd and hot cables, as SVG; null where there is nothing to draw */
  readonly figure: string | null;
  readonly warnings: readonly Diagnostic[];
}

/** The answer. */
export interface HealthVerdict {
  readonly isHealthy: boolean;
  /** what is wrong, or that nothing is; and what to do first */
  readonly sentences: readonly string[];
  /** what was not given and so not looked at */
  readonly notLookedAt: readonly string[];
}

/** Something at fault. */
interface Fault {
  readonly what: string;
  /** what to do about it */
  readonly remedy: string;
}

/** Whether a fabric is healthy, and what to do first. */
export function healthVerdict(report: HealthReport): HealthVerdict {
  const { check, counters, tables } = report;
  const faults = [
    ...partFaults(check),
    ...tableFaults(tables),
    ...errorFaults(counters),
    ...cableFaults(check),
    ...changeFaults(check),
  ];
  const notLookedAt = [
    ...(counters === null ? ['errors and load of links (--counters)'] : []),
    ...(tables === null ? ['forwarding tables (--tables)'] : []),
    ...(check.changes === null ? ['changes (--against)'] : []),
  ];
  const [first] = faults;
  if (first !== undefined)
    return {
      isHealthy: false,
      sentences: [`Not healthy: ${faults.map(({ what }) => what).join('; ')}.`, `First: ${first.remedy}.`],
      notLookedAt,
    };
  const good = [
    'no cable is at fault as far as alike switches tell',
    ...(counters === null ? [] : ['no port counts errors that a cable makes']),
    ...(tables === null ? [] : ['the tables lead everywhere and cannot deadlock']),
    ...(check.changes === null ? [] : ['nothing changed since the earlier capture']),
  ];
  return { isHealthy: true, sentences: [`Healthy: ${good.join('; ')}.`], notLookedAt };
}

function partFaults({ apart, identity }: FabricHealth): Fault[] {
  if (apart === null) return [];
  const name = naming(identity);
  const [from, to] = apart.map((end) => name(end));
  return [
    {
      what: 'the fabric falls into parts',
      remedy: `look for the cables that lead from ${from} to ${to}: no path does`,
    },
  ];
}

function tableFaults(tables: HealthTables | null): Fault[] {
  const mend = 'mend the tables (weft route repair) and load them';
  if (tables === null) return [];
  if (tables.judged === null) return [{ what: 'packets go round in circles', remedy: mend }];
  const { validity, deadlock } = tables.judged;
  const { unreachable, loop } = validity.faults;
  const faults: Fault[] = [];
  if (unreachable > 0)
    faults.push({ what: `${counted(unreachable, 'pair')} (leaf, host) without a way`, remedy: mend });
  if (loop > 0) faults.push({ what: `${counted(loop, 'pair')} (leaf, host) led in circles`, remedy: mend });
  if (deadlock.cycle !== null || (!validity.valid && faults.length === 0))
    faults.push({
      what: 'routes that may deadlock',
      remedy: 'compute tables without deadlock (weft route compute, or repair with --lanes-out) and load them',
    });
  return faults;
}

function errorFaults(counters: LinkCounters | null): Fault[] {
  const [worst, ...others] = counters === null ? [] : faultyLinks(counters.links);
  if (worst === undefined) return [];
  return [
    {
      what: `${counted(others.length + 1, 'port')} with errors that a cable makes`,
      remedy: `look at the cable at ${worst.from}, to ${worst.to}: ${worst.errorCounts.map(errorText).join(', ')}`,
    },
  ];
}

/** What to do about a cable, by kind of finding. */
const remedies: Readonly<Record<FabricFindingReport['kind'], (cable: string, remark: string) => string>> = {
  'slow-link': (cable, remark) => `reseat or replace the cable ${cable} (${remark})`,
  'missing-link': (cable) => `plug in the cable that is missing, ${cable}`,
  'crossed-link': (cable) => `follow the cable ${cable}: alike switches lead elsewhere`,
  'host-above-leaves': (cable) => `move the host of ${cable}`,
  'unbalanced-uplinks': (cable) => `look at the cables upwards of ${cable}`,
};

function cableFaults({ findings, identity }: FabricHealth): Fault[] {
  const name = naming(identity);
  return findings
    .filter(({ isFault }) => isFault)
    .map((finding) => {
      const { ends, remark } = findingRows(finding)[0]!;
      return { what: toldFindings([finding]), remedy: remedies[finding.kind](endsText(ends, name), remark) };
    });
}

function changeFaults({ changes, identity }: FabricHealth): Fault[] {
  const name = naming(identity);
  const lists = changes === null ? [] : changeLists(changes, name);
  if (lists.length === 0) return [];
  const { told, rows } = lists[0]!;
  return [
    {
      what: `changed since the earlier capture: ${lists.map((list) => list.told).join(', ')}`,
      remedy: `ask whether this was meant: ${told}, ${endsText(rows[0]!.ends, name)}`,
    },
  ];
}
