// Tables of a running OpenSM changed in the steps that `weft route transition` says: each step's tables are loaded, and
// the switches hold them afterwards.

import { expect } from 'vitest';
import { entriesByGuid } from './infiniband.js';
import type { LiveFabric } from './live-opensm.js';

/** Blocks of a file of tables: by GUID of the switch its first line, rows by GUID of the end port, and its last line. */
type Blocks = Map<string, { head: string; rows: Map<string, string>; foot: string }>;

export function blocksOf(text: string): Blocks {
  const blocks: Blocks = new Map();
  let own = { head: '', rows: new Map<string, string>(), foot: '' };
  for (const line of text.split('\n')) {
    const guid = /^Unicast lids .* guid (0x\w+)/.exec(line)?.[1];
    if (guid !== undefined) blocks.set(guid, (own = { head: line, rows: new Map(), foot: '' }));
    else if (line.startsWith('0x')) own.rows.set(/portguid (0x\w+)/.exec(line)![1]!, line);
    else if (line.endsWith('dumped')) own.foot = line;
  }
  return blocks;
}

export const textOf = (blocks: Blocks): string =>
  [...blocks.values()].map(({ head, rows, foot }) => `${[head, ...rows.values(), foot].join('\n')}\n`).join('');

export interface Step {
  readonly kind: 'switches' | 'destinations' | 'drain';
  readonly switchGuids?: readonly string[];
  readonly destinations?: readonly { readonly destinationGuid: string; readonly switchGuids: readonly string[] }[];
}

/** Gives blocks what a step writes. */
export function take(now: Blocks, next: Blocks, step: Step): void {
  for (const guid of step.switchGuids ?? []) now.set(guid, next.get(guid)!);
  for (const { destinationGuid, switchGuids } of step.destinations ?? [])
    for (const guid of switchGuids)
      now.get(guid)!.rows.set(destinationGuid, next.get(guid)!.rows.get(destinationGuid)!);
}

/** Has OpenSM load tables. @throws if the switches do not hold them afterwards */
export async function load(live: LiveFabric, text: string, reread: () => Promise<void>): Promise<void> {
  live.file('loaded.lfts', text);
  const wanted = entriesByGuid(text);
  for (let tries = 0; tries < 5; tries++) {
    await reread();
    const held = entriesByGuid(live.tool('dump_fts').stdout);
    if (held.length === wanted.length && held.every((entry, i) => entry === wanted[i])) return;
  }
  expect(entriesByGuid(live.tool('dump_fts').stdout)).toEqual(wanted);
}
