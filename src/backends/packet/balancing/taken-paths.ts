// Which ports the data of a queue pair took, where balancing decides packet by packet: told once for each port, when
// the first packet takes it. It stands around the balancing itself, so a run whose paths are fixed pays nothing.
// Invariant: it changes no choice. Acknowledgements and packets of a flow that has finished are not followed.

import type { Verdict } from '../../../execution/network.js';
import { TakenWays } from '../../taken-ways.js';
import { Kind, kindMask, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import { type Balancing, held, type PacketHolding } from '../plug-ins.js';
import { PairWord } from '../queue-pairs.js';

const { head: HEAD, pair: PAIR } = PacketWord;
const HELD = held;

/** Is told of each port that a queue pair takes for the first time. */
export interface PathWatcher {
  took(pair: number, port: number): void;
}

export class TakenPaths implements Balancing {
  readonly paths = 'per-packet';
  private readonly taken: TakenWays;

  constructor(
    private readonly parts: Pick<PacketParts, 'fabric' | 'pairs' | 'records'>,
    private readonly inner: Balancing,
    private readonly watcher: PathWatcher,
  ) {
    this.taken = new TakenWays(parts.fabric.portCount);
    parts.pairs.onAllocate((pair) => {
      this.taken.begin(pair);
    });
  }

  connect(pair: number): number {
    return this.inner.connect(pair);
  }

  get holding(): PacketHolding | undefined {
    return this.inner.holding;
  }

  get counters(): Readonly<Record<string, number>> {
    return this.inner.counters ?? {};
  }

  verdicts(): Verdict[] {
    return this.inner.verdicts?.() ?? [];
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    const port = this.inner.depart(packet, pair, isReply);
    if (!isReply) this.note(pair, this.parts.pairs.words[(pair << 4) + PairWord.nicPort]!);
    return port;
  }

  next(packet: number): number {
    const next = this.inner.next(packet);
    // a packet that waits will take the port that it waits for
    const port = next === HELD ? this.inner.holding!.port : next;
    const at = packet << 3;
    const { words } = this.parts.records;
    if (port >= 0 && (words[at + HEAD]! & kindMask) === Kind.data) this.note(words[at + PAIR]!, port);
    return next;
  }

  private note(pair: number, port: number): void {
    if (this.parts.pairs.slotOf(pair) >= 0 && this.taken.note(pair, port)) this.watcher.took(pair, port);
  }
}
