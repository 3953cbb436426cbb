// The plug-ins by the names that scenarios use. Nothing registers itself by being imported.

import { Dcqcn } from './congestion/dcqcn.js';
import type { Clock } from './event-wheel.js';
import type { CongestionControl, RateControl } from './plug-ins.js';
import type { QueuePairs } from './queue-pairs.js';
import type { PacketSettings } from './settings.js';

type MakeCongestion = (settings: PacketSettings, pairs: QueuePairs, control: RateControl, clock: Clock) => CongestionControl;

/** Congestion controls by their name in `congestion.algorithm`. */
export const congestionControls: Readonly<Record<PacketSettings['congestion']['algorithm'], MakeCongestion>> = {
  dcqcn: (settings, pairs, control, clock) => new Dcqcn(settings, pairs, control, clock),
};
