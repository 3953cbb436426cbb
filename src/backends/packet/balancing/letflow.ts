// LetFlow: the packets of a queue pair that follow each other closely are a flowlet and stay on one way; after a pause
// the next flowlet takes a way at random. Flowlets on slow ways break up more often, and so the load settles.
// Invariants: within a flowlet packets take one way; each flowlet's way is drawn anew, every next hop as likely as any
// other. Source: Vanini et al., NSDI 2017, section 3; the pause as the simulator of ConWeave has it. Not modelled: a
// table of flowlets that several queue pairs share by hash. A queue pair has an entry of its own while it lives, and
// its number's next flow begins with a new flowlet: the table is as large as there are queue pairs alive.

import { RandomStream } from '../../../base/random.js';
import { type SettingGroup, time, valuesOfGroup } from '../../../base/settings.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { PacketParts } from '../parts.js';
import type { SideColumn } from '../side-columns.js';
import type { DataBalancingParts } from './data-balancing.js';
import { EdgeDecision, wayBits } from './edge-decision.js';

export const letflowSettings = {
  flowletTimeout: time('100us', 'a queue pair that has sent nothing for longer begins a new flowlet'),
} as const satisfies SettingGroup;

export type FlowletParts = DataBalancingParts & Pick<PacketParts, 'clock' | 'columns'>;

export class LetFlow extends EdgeDecision {
  private readonly timeoutPs: number;
  private readonly clock: Clock;
  private readonly random: RandomStream;
  /** by queue pair: when its last packet was here, and the way of its flowlet */
  private readonly lastPs: SideColumn<'float64'>;
  private readonly way: SideColumn<'int32'>;

  constructor(parts: FlowletParts) {
    super(parts);
    this.timeoutPs = valuesOfGroup(parts.settings.own, 'letflow', letflowSettings).flowletTimeout;
    this.clock = parts.clock;
    this.random = new RandomStream(parts.seed, 'letflow');
    this.lastPs = parts.columns.byPair('float64', -Infinity);
    this.way = parts.columns.byPair('int32');
  }

  protected decide(_packet: number, pair: number): number {
    const { nowPs } = this.clock;
    const last = this.lastPs.values[pair]!;
    this.lastPs.values[pair] = nowPs;
    if (nowPs - last <= this.timeoutPs) return this.way.values[pair]!;
    return (this.way.values[pair] = this.random.nextUint32() >>> (32 - wayBits));
  }
}
