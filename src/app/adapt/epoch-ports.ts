// Tables on a fabric whose switches hash (RoCE): the source ports whose hash takes the ways of tables, of all pairs of
// hosts that took part in an epoch. Pairs of which counters tell nothing get a port as well: what a leaf sends to a
// host has one way, whoever sends it.

import { wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PortsOfPairs } from '../../execution/given-ports.js';
import { TrafficBuilder } from '../../flows/traffic/matrix.js';
import type { SourcePortRow } from '../../formats/source-ports.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { findSourcePorts } from '../routes/source-ports.js';
import type { HostEnds } from './choose-tables.js';

/** Ports of an epoch. */
export interface EpochPorts {
  readonly rows: readonly SourcePortRow[];
  readonly byPair: PortsOfPairs;
  /** pairs whose way no source port takes: the hash decides */
  readonly withoutPort: number;
}

/** No pair has a port of its own: the hash decides for all. */
export const byHash: EpochPorts = { rows: [], byPair: new Map(), withoutPort: 0 };

/** Finds ports. @param ranks of the hosts that took part @param breathe called now and then */
export async function epochPorts(
  source: RoutedFabric,
  tables: ForwardingTables,
  ranks: readonly number[],
  breathe: () => Promise<void>,
): Promise<EpochPorts> {
  const { hosts, nodeCount } = source.fabric;
  const builder = new TrafficBuilder(hosts.length, 'relative');
  for (const from of ranks) for (const to of ranks) if (from !== to) builder.add(from, to, 1);
  const traffic = {
    name: 'all pairs',
    hostCount: hosts.length,
    unit: 'relative' as const,
    note: '',
    phases: [{ name: 'all', matrix: builder.build() }],
  };
  const { rows, withoutPort } = await findSourcePorts(source, tables, traffic, breathe);
  const byPair = new Map(
    rows.map(({ source: from, destination, sourcePort }) => [from * nodeCount + destination, [sourcePort]]),
  );
  return { rows, byPair, withoutPort };
}

/** How many pairs have another port than before, or none. */
export function changedPorts(before: EpochPorts, after: EpochPorts): number {
  const pairs = new Set([...before.byPair.keys(), ...after.byPair.keys()]);
  let changed = 0;
  for (const pair of pairs) if (before.byPair.get(pair)?.[0] !== after.byPair.get(pair)?.[0]) changed++;
  return changed;
}

/** Hosts that sent or took in, by rank. */
export function activeRanks({ byHost }: Pick<HostEnds, 'byHost'>): number[] {
  return Array.from({ length: byHost.length / 2 }, (_, rank) => rank).filter(
    (rank) => byHost[2 * rank]! + byHost[2 * rank + 1]! > 0,
  );
}

/** Tells that the hash still decides for some pairs. */
export function unportedWarnings(file: string, ports: EpochPorts | null): readonly Diagnostic[] {
  if (ports === null || ports.withoutPort === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'without-port',
      file,
      ...wholeFile,
      message: `${ports.withoutPort} pairs have no source port whose hash takes the way of the tables: they stay as they are`,
    },
  ];
}
