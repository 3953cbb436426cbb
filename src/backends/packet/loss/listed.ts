// Losses that a file names: packets of a flow by the bytes that they hold, the next packets of a flow from a time on,
// or packets by a pattern that goes round.
// Invariants: of a list nothing is drawn; each mention of a packet is one loss of it, so that what is sent again may be
// lost again; every port reads a pattern from a place of its own, which it draws.
// Source: the drop files of OmniDMA's simulator (formats/loss-files.ts); each port has a state of its own.

import { LossCause } from '../../../engine/link-hazards.js';
import { PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import type { SequenceDrops, TimeDrops } from './loss-plan.js';
import type { LossProcess, LossProcesses, LossProcessParts } from './port-losses.js';

const { pair: PAIR, sequence: SEQUENCE } = PacketWord;

class SequenceLosses implements LossProcess {
  readonly cause = LossCause.sequence;
  /** by flow: what it loses, and how often each packet was lost already */
  private readonly byFlow = new Map<number, { drops: SequenceDrops[]; lost: Map<number, number> }>();

  constructor(
    private readonly parts: PacketParts,
    drops: readonly SequenceDrops[],
  ) {
    for (const drop of drops) {
      const own = this.byFlow.get(drop.flow) ?? { drops: [], lost: new Map<number, number>() };
      own.drops.push(drop);
      this.byFlow.set(drop.flow, own);
    }
  }

  strikes(packet: number): boolean {
    const { records, pairs, flowOf, settings } = this.parts;
    const pair = records.words[(packet << 3) + PAIR]!;
    const own = this.byFlow.get(flowOf(pair));
    if (own === undefined) return false;
    const { payload } = settings.packet;
    const sequence = records.words[(packet << 3) + SEQUENCE]!;
    const first = sequence * payload;
    let mentions = 0;
    for (const { source, ranges } of own.drops)
      if (source === pairs.source[pair])
        for (const { from, to } of ranges) if (from < first + payload && to >= first) mentions++;
    const lost = own.lost.get(sequence) ?? 0;
    if (lost >= mentions) return false;
    own.lost.set(sequence, lost + 1);
    return true;
  }
}

class TimeLosses implements LossProcess {
  readonly cause = LossCause.time;
  private readonly left: number[];

  constructor(
    private readonly parts: PacketParts,
    private readonly drops: readonly TimeDrops[],
  ) {
    this.left = drops.map(({ count }) => count);
  }

  strikes(packet: number): boolean {
    const { records, pairs, flowOf, clock } = this.parts;
    const pair = records.words[(packet << 3) + PAIR]!;
    const flow = flowOf(pair);
    for (const [i, drop] of this.drops.entries()) {
      if (this.left[i] === 0 || drop.flow !== flow || drop.source !== pairs.source[pair]) continue;
      if (clock.nowPs < drop.fromPs) continue;
      this.left[i]!--;
      return true;
    }
    return false;
  }
}

class PatternLosses implements LossProcess {
  readonly cause = LossCause.trace;
  private next: number;

  constructor(
    private readonly pattern: Uint8Array,
    { random }: LossProcessParts,
  ) {
    this.next = random.nextBelow(pattern.length);
  }

  strikes(): boolean {
    const isLost = this.pattern[this.next] === 1;
    this.next = this.next + 1 === this.pattern.length ? 0 : this.next + 1;
    return isLost;
  }
}

/** The process of the drops at the node of a port; null if there are none. */
function atNode<Drop extends { readonly node: number }>(drops: readonly Drop[], node: number): readonly Drop[] | null {
  const own = drops.filter((drop) => drop.node === node);
  return own.length === 0 ? null : own;
}

export const sequenceLosses: LossProcesses = {
  isListed: true,
  of: ({ parts, node }) => {
    const drops = atNode(parts.settings.losses.sequences, node);
    return drops === null ? null : new SequenceLosses(parts, drops);
  },
};

export const timeLosses: LossProcesses = {
  isListed: true,
  of: ({ parts, node }) => {
    const drops = atNode(parts.settings.losses.times, node);
    return drops === null ? null : new TimeLosses(parts, drops);
  },
};

export const patternLosses: LossProcesses = {
  isListed: true,
  usesPlaces: true,
  of: (own) => {
    const { pattern } = own.parts.settings.losses;
    return pattern === null ? null : new PatternLosses(pattern, own);
  },
};
