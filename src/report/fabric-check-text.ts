// What is odd about the cables of a fabric, and what changed since an earlier capture, for people.
// Invariant: the answer first; 80 columns where names allow it; what is not listed is counted.

import { listsBy } from '../base/lists-by-key.js';
import { formatRateBps } from '../base/units.js';
import { findingKinds, type FabricFinding } from '../fabric/fabric-findings.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { isShared, type PortIdentity } from '../fabric/port-identity.js';
import { counted } from './text-style.js';

/** An end of a cable: GUIDs and LID are null where the file of the fabric has none. */
export interface CableEnd extends Pick<PortIdentity, 'name' | 'port'> {
  readonly guid: string | null;
  readonly portGuid: string | null;
  readonly lid: number | null;
}

/** A cable with its two ends. */
export interface Cable {
  readonly ends: readonly [CableEnd, CableEnd];
  /** 0 for one that is missing */
  readonly rateBps: number;
}

/** A cable of a finding. */
export interface FoundCable extends Cable {
  /** rate of most cables of its kind */
  readonly usualRateBps: number;
}

/** Something odd, with the cables that show it. */
export interface FabricFindingReport extends Pick<FabricFinding, 'kind' | 'isFault'> {
  readonly links: readonly FoundCable[];
}

/** What changed since an earlier capture. */
export interface FabricChanges {
  readonly added: readonly Cable[];
  readonly removed: readonly Cable[];
  /** as they are now, and as they were */
  readonly moved: readonly (Cable & { readonly before: Cable['ends'] })[];
  readonly changedRate: readonly (Cable & { readonly beforeRateBps: number })[];
  readonly addedNodes: readonly CableEnd[];
  readonly removedNodes: readonly CableEnd[];
  readonly replaced: readonly NodeChange[];
  readonly renumbered: readonly NodeChange[];
  readonly renamed: readonly NodeChange[];
}

/** A node as it is and as it was. */
export interface NodeChange {
  readonly now: CableEnd;
  readonly before: CableEnd;
}

/** What is odd about the cables of a fabric. */
export interface FabricHealth {
  /** null where the file of the fabric has no GUIDs */
  readonly identity: FabricIdentity | null;
  readonly findings: readonly FabricFindingReport[];
  /** null without an earlier capture */
  readonly changes: FabricChanges | null;
  /** two hosts that no path joins; null: there are none */
  readonly apart: readonly [CableEnd, CableEnd] | null;
}

/** Cables listed of one kind. */
const listed = 20;

/** Lines about the health of a fabric, the answer first. */
export function healthLines({ findings, changes, apart, identity }: FabricHealth): string[] {
  const name = naming(identity);
  const [faults, others] = [true, false].map((fault) => findings.filter(({ isFault }) => isFault === fault));
  const mend = [
    ...(apart === null ? [] : ['the fabric falls into parts']),
    ...(faults!.length === 0 ? [] : [toldFindings(faults!)]),
  ];
  return [
    `  health      ${mend.length === 0 ? 'no cable is at fault, as far as alike switches tell' : `TO MEND: ${mend.join(', ')}`}`,
    ...(others!.length === 0 ? [] : [`              to know: ${toldFindings(others!)}`]),
    ...findings.flatMap((finding) => [
      `    ${finding.kind}: ${findingKinds[finding.kind]}`,
      ...limited(findingRows(finding).map(({ ends, remark }) => joined(endsText(ends, name), remark))),
    ]),
    ...(changes === null ? [] : changeLines(changes, name)),
  ];
}

/** How many cables or switches findings are about: "1 slow cable, 2 cables missing". */
export function toldFindings(findings: readonly FabricFindingReport[]): string {
  return findings
    .map((finding) => {
      const [one, many] = words[finding.kind];
      return counted(findingRows(finding).length, one, many);
    })
    .join(', ');
}

/** A cable by both ends, or a switch, and what is said of it. */
export interface CableRow {
  readonly ends: readonly CableEnd[];
  readonly remark: string;
}

/** What a finding lists: cables, or switches with what they have upwards. */
export function findingRows({ kind, links }: FabricFindingReport): CableRow[] {
  if (kind !== 'unbalanced-uplinks')
    return links.map(({ ends, rateBps, usualRateBps }) => ({
      ends,
      remark: kind === 'slow-link' ? `${formatRateBps(rateBps)}, others ${formatRateBps(usualRateBps)}` : '',
    }));
  return [...bySwitch(links).values()].map((own) => {
    const sum = own.reduce((rate, { rateBps }) => rate + rateBps, 0);
    const end = { ...own[0]!.ends[0], port: null };
    const has = sum === 0 ? 'no cable' : `${counted(own.length, 'cable')}, ${formatRateBps(sum)} in all`;
    return { ends: [end], remark: has };
  });
}

/** What one and several of a kind are called. */
const words = {
  'slow-link': ['slow cable', 'slow cables'],
  'missing-link': ['cable missing', 'cables missing'],
  'crossed-link': ['cable crossed', 'cables crossed'],
  'host-above-leaves': ['host above the leaves', 'hosts above the leaves'],
  'unbalanced-uplinks': ['switch with less upwards than others', 'switches with less upwards than others'],
} as const satisfies Record<keyof typeof findingKinds, readonly [string, string]>;

/** What people call the node of an end. */
export type Naming = (end: CableEnd) => string;

/** Names, with the GUID of the end port where several nodes of the fabric share one. */
export function naming(identity: FabricHealth['identity']): Naming {
  return ({ name, portGuid }) =>
    identity !== null && isShared(identity.nodeName, name) ? `${name} ${portGuid}` : name;
}

/** Cables by their lower switch. */
function bySwitch(links: readonly FoundCable[]): Map<string, FoundCable[]> {
  return listsBy(links, ({ ends: [{ guid, name }] }) => guid ?? name);
}

function limited(texts: readonly string[]): string[] {
  const lines = texts.slice(0, listed).map((text) => `      ${text}`);
  return texts.length <= listed ? lines : [...lines, `      and ${texts.length - listed} more (--json has all)`];
}

/** A cable as `leaf0[5] - spine0[1]`, a node by its name. */
export function endsText(ends: readonly CableEnd[], name: Naming): string {
  if (ends.length === 1) return name(ends[0]!);
  return ends.map((end) => `${name(end)}[${end.port ?? '?'}]`).join(' - ');
}

function joined(text: string, remark: string): string {
  return remark === '' ? text : `${text}  ${remark}`;
}

/** What changed in one way. */
interface ChangeList {
  /** "1 cable lost" */
  readonly told: string;
  readonly rows: readonly CableRow[];
}

function cableRows(list: readonly Cable[]): CableRow[] {
  return list.map(({ ends }) => ({ ends, remark: '' }));
}

function nodeRows(list: readonly CableEnd[]): CableRow[] {
  return list.map((end) => ({ ends: [end], remark: end.guid ?? '' }));
}

/** What changed, by how; nothing of what did not. */
export function changeLists(changes: FabricChanges, name: Naming): ChangeList[] {
  const lists: readonly (readonly [string, string, readonly CableRow[]])[] = [
    ['cable added', 'cables added', cableRows(changes.added)],
    ['cable lost', 'cables lost', cableRows(changes.removed)],
    [
      'cable moved',
      'cables moved',
      changes.moved.map(({ ends, before }) => ({ ends, remark: `was ${endsText(before, name)}` })),
    ],
    [
      'cable at another rate',
      'cables at another rate',
      changes.changedRate.map(({ ends, rateBps, beforeRateBps }) => ({
        ends,
        remark: `${formatRateBps(rateBps)}, was ${formatRateBps(beforeRateBps)}`,
      })),
    ],
    ['node added', 'nodes added', nodeRows(changes.addedNodes)],
    ['node lost', 'nodes lost', nodeRows(changes.removedNodes)],
    [
      'switch replaced',
      'switches replaced',
      changes.replaced.map(({ now, before }) => ({ ends: [now], remark: `${now.guid}, was ${before.guid}` })),
    ],
    [
      'LID changed',
      'LIDs changed',
      changes.renumbered.map(({ now, before }) => ({
        ends: [now],
        remark: now.lid === before.lid ? `from ${now.lid} on, with another LMC` : `${now.lid}, was ${before.lid}`,
      })),
    ],
    [
      'name changed',
      'names changed',
      changes.renamed.map(({ now, before }) => ({ ends: [now], remark: `${now.guid}, was ${before.name}` })),
    ],
  ];
  return lists
    .filter(([, , rows]) => rows.length > 0)
    .map(([one, many, rows]) => ({ told: counted(rows.length, one, many), rows }));
}

function changeLines(changes: FabricChanges, name: Naming): string[] {
  const lists = changeLists(changes, name);
  if (lists.length === 0) return ['  changed     nothing since then'];
  return [
    `  changed     ${lists.map(({ told }) => told).join(', ')}`,
    ...lists.flatMap(({ told, rows }) =>
      [`    ${told}`].concat(limited(rows.map(({ ends, remark }) => joined(endsText(ends, name), remark)))),
    ),
  ];
}
