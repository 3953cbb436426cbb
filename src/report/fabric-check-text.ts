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
}

/** Cables listed of one kind. */
const listed = 20;

/** Lines about the health of a fabric, the answer first. */
export function healthLines({ findings, changes, identity }: FabricHealth): string[] {
  const name = naming(identity);
  const told = (of: typeof findings): string =>
    of
      .map(({ kind, links }) => {
        const count = kind === 'unbalanced-uplinks' ? bySwitch(links).size : links.length;
        const [one, many] = words[kind];
        return counted(count, one, many);
      })
      .join(', ');
  const [faults, others] = [true, false].map((fault) => findings.filter(({ isFault }) => isFault === fault));
  return [
    `  health      ${faults!.length === 0 ? 'no cable is at fault, as far as alike switches tell' : `TO MEND: ${told(faults!)}`}`,
    ...(others!.length === 0 ? [] : [`              to know: ${told(others!)}`]),
    ...findings.flatMap(({ kind, links }) => [
      `    ${kind}: ${findingKinds[kind]}`,
      ...limited(
        kind === 'unbalanced-uplinks'
          ? [...bySwitch(links)].map(([, own]) => {
              const sum = own.reduce((rate, { rateBps }) => rate + rateBps, 0);
              return `${name(own[0]!.ends[0])}  ${counted(own.length, 'cable')}, ${formatRateBps(sum)} in all`;
            })
          : links.map((link) => `${cableText(link.ends, name)}${rateText(kind, link)}`),
      ),
    ]),
    ...(changes === null ? [] : changeLines(changes, name)),
  ];
}

/** What one and several of a kind are called. */
const words = {
  'slow-link': ['slow cable', 'slow cables'],
  'missing-link': ['cable missing', 'cables missing'],
  'crossed-link': ['cable crossed', 'cables crossed'],
  'host-above-leaves': ['host above the leaves', 'hosts above the leaves'],
  'unbalanced-uplinks': ['switch with less upwards than others', 'switches with less upwards than others'],
} as const satisfies Record<keyof typeof findingKinds, readonly [string, string]>;

type Naming = (end: CableEnd) => string;

/** Names, with the GUID of the end port where several nodes of the fabric share one. */
function naming(identity: FabricHealth['identity']): Naming {
  return ({ name, portGuid }) =>
    identity !== null && isShared(identity.nodeName, name) ? `${name} ${portGuid}` : name;
}

/** Cables by their lower switch. */
function bySwitch(links: readonly FoundCable[]): Map<string, FoundCable[]> {
  return listsBy(links, ({ ends: [{ guid, name }] }) => guid ?? name);
}

function rateText(kind: string, { rateBps, usualRateBps }: FoundCable): string {
  return kind === 'slow-link' ? `  ${formatRateBps(rateBps)}, others ${formatRateBps(usualRateBps)}` : '';
}

function limited(texts: readonly string[]): string[] {
  const lines = texts.slice(0, listed).map((text) => `      ${text}`);
  return texts.length <= listed ? lines : [...lines, `      and ${texts.length - listed} more (--json has all)`];
}

function cableText(ends: readonly CableEnd[], name: Naming): string {
  return ends.map((end) => `${name(end)}[${end.port ?? '?'}]`).join(' - ');
}

function nodeText({ name, guid }: CableEnd): string {
  return `${name} ${guid}`;
}

function changeLines(changes: FabricChanges, name: Naming): string[] {
  const cables = (list: readonly Cable[]): string[] => list.map(({ ends }) => cableText(ends, name));
  const lists: readonly (readonly [string, string, readonly string[]])[] = [
    ['cable added', 'cables added', cables(changes.added)],
    ['cable lost', 'cables lost', cables(changes.removed)],
    [
      'cable moved',
      'cables moved',
      changes.moved.map(({ ends, before }) => `${cableText(ends, name)}, was ${cableText(before, name)}`),
    ],
    [
      'cable at another rate',
      'cables at another rate',
      changes.changedRate.map(
        ({ ends, rateBps, beforeRateBps }) =>
          `${cableText(ends, name)}  ${formatRateBps(rateBps)}, was ${formatRateBps(beforeRateBps)}`,
      ),
    ],
    ['node added', 'nodes added', changes.addedNodes.map(nodeText)],
    ['node lost', 'nodes lost', changes.removedNodes.map(nodeText)],
    [
      'switch replaced',
      'switches replaced',
      changes.replaced.map(({ now, before }) => `${now.name} ${now.guid}, was ${before.guid}`),
    ],
    [
      'LID changed',
      'LIDs changed',
      changes.renumbered.map(({ now, before }) => `${name(now)}  ${now.lid}, was ${before.lid}`),
    ],
    [
      'name changed',
      'names changed',
      changes.renamed.map(({ now, before }) => `${now.guid}  ${now.name}, was ${before.name}`),
    ],
  ];
  const some = lists.filter(([, , list]) => list.length > 0);
  if (some.length === 0) return ['  changed     nothing since then'];
  return [
    `  changed     ${some.map(([one, many, list]) => counted(list.length, one, many)).join(', ')}`,
    ...some.flatMap(([, many, list]) => [`    ${many}`].concat(limited(list))),
  ];
}
