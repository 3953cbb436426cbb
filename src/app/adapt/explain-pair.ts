// Why a pair of hosts got its way: its links before and after, with the loads that decided.

import { InputError } from '../../base/diagnostics.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficColumn, type Traffic } from '../../flows/traffic/matrix.js';
import type { ExplainedPair, WayLink } from '../../report/adapt/adapt-report.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { pairCounters } from '../reconstruct/pair-counters.js';
import { ranksByWord } from '../routes/host-ranks.js';

/** Two hosts, by rank. */
export interface AskedPair {
  readonly from: number;
  readonly to: number;
}

/** The pair that a request asks for, `A,B` by name or rank. @throws InputError */
export function askedPair(words: string, source: RoutedFabric): AskedPair {
  const parts = words.split(',').map((word) => word.trim());
  const hosts = source.fabric.hosts.length;
  const ranksOf = ranksByWord(source);
  const ranks = parts.map((word) => (/^\d+$/.test(word) && +word < hosts ? [+word] : ranksOf(word)));
  const [from, to] = ranks;
  if (parts.length === 2 && from?.length === 1 && to?.length === 1 && from[0] !== to[0])
    return { from: from[0]!, to: to[0]! };
  throw InputError.about('unknown-pair', '--why', 'these are not two hosts of the fabric', {
    got: words,
    wanted: `two names or ranks from 0 to ${hosts - 1}, such as 0,${hosts - 1}`,
  });
}

/**
 * Explains the way of a pair before and after a decision.
 * @param loads of links between switches, by sending port: as measured before, as expected after
 * @param told what was known of the traffic; null: nothing
 */
export function explainPair(
  source: RoutedFabric,
  pair: AskedPair,
  tables: { readonly before: ForwardingTables; readonly after: ForwardingTables },
  loads: { readonly before: Float64Array; readonly after: Float64Array },
  told: Traffic | null,
): ExplainedPair {
  const way = (own: ForwardingTables, load: Float64Array): WayLink[] => {
    const { hosts } = source.fabric;
    const rows = pairCounters(source.fabric, own);
    const links = rows.open(hosts[pair.from]!, hosts[pair.to]!, null);
    return Array.from(rows.rows.subarray(0, links), (port) => ({ link: portText(source, port)!, load: load[port]! }));
  };
  return {
    amount: told === null ? null : amountOf(pair, told),
    largestBefore: loads.before.reduce((most, own) => Math.max(most, own), 0),
    largestAfter: loads.after.reduce((most, own) => Math.max(most, own), 0),
    before: way(tables.before, loads.before),
    after: way(tables.after, loads.after),
  };
}

function amountOf({ from, to }: AskedPair, { hostCount, phases }: Traffic): number {
  const column = new TrafficColumn(hostCount);
  return phases.reduce((sum, { matrix }) => {
    matrix.toDestination(to, column);
    const place = column.sources.subarray(0, column.length).indexOf(from);
    return sum + (place === -1 ? 0 : column.weights[place]!);
  }, 0);
}
