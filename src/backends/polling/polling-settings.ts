// The settings of polled port counters (docs/models/port-counters.md).

import { choice, flag, time, type SettingGroup, type SettingValues } from '../../base/settings.js';
import { lanePollTable, portPollTable } from '../../records/poll-records.js';
import type { TableSchema } from '../../records/schema.js';

export const pollingSettings = {
  interval: time('0us', 'the counters of all ports are read once in this time, and when the run ends; 0 = never'),
  width: choice(
    ['64-bit', '32-bit'],
    '64-bit',
    'bits of a counter: 64 (perfquery -x), or 32, which stop at 2^32 - 1: 16 GiB of data',
  ),
  lanes: flag(false, 'also by virtual lane; on the packet backend by priority'),
  spread: time(
    '0us',
    'from the reading of the first node to that of the last one in a round: monitors ask one after the other; 0 = all at once',
  ),
  tick: time('1ns', 'what PortXmitWait counts in; makers of switches have ticks of their own', { positive: true }),
} as const satisfies SettingGroup;

/** Resolved values. */
export type PollingSettings = SettingValues<typeof pollingSettings>;

/** The tables that settings ask for. */
export function pollTables(settings: PollingSettings): TableSchema[] {
  if (settings.interval === 0) return [];
  return readsLanes(settings) ? [portPollTable, lanePollTable] : [portPollTable];
}

/** Whether somebody reads counters of lanes. */
export function readsLanes({ interval, lanes }: PollingSettings): boolean {
  return interval > 0 && lanes;
}
