// The connections over which transfers go: queue pairs that stay open from transfer to transfer, as NCCL's between two
// ranks of a channel. A source names a connection by a number of its own; with the nodes between which it goes that is
// one connection, whose queue pairs have numbers here, from 0 on, given out when its first transfer comes.
// Invariant: the same connection and place among its queue pairs are the same number, whatever came between.
// The parts of a transfer take its connection's queue pairs in turn: what needs fewer than there are goes on where the
// transfer before it ended.
// Source: NCCL's IB transport, whose queue pairs live as long as their communicator and take messages in turn.

import { Float64List, Int32List } from '../base/columns.js';

const nobody = -1;

export class OpenConnections {
  private readonly pairs = new Float64List();
  private readonly names = new Float64List();
  /** by connection: the queue pair that carries the next part */
  private readonly turns = new Int32List();
  /** hash table with linear probing: connections */
  private table = new Int32Array(64).fill(nobody);

  /** @param mostQueuePairs of a connection, at least 1 */
  constructor(
    private readonly nodeCount: number,
    readonly mostQueuePairs: number,
  ) {}

  /** The connection of a name between two nodes, from 0. @param name as TransferSink says, a whole number from 0 */
  between(name: number, source: number, destination: number): number {
    const { table, pairs, names } = this;
    const pair = source * this.nodeCount + destination;
    const mask = table.length - 1;
    let at = home(name, pair) & mask;
    for (; table[at] !== nobody; at = (at + 1) & mask) {
      const known = table[at]!;
      if (pairs.values[known] === pair && names.values[known] === name) return known;
    }
    const made = pairs.length;
    table[at] = made;
    pairs.push(pair);
    names.push(name);
    this.turns.push(0);
    if (2 * made > mask) this.grow();
    return made;
  }

  /**
   * The queue pair that carries a part of a connection's next transfer.
   * @param part from 0 @param open queue pairs that the connection has, at most mostQueuePairs
   */
  queuePair(connection: number, part: number, open: number): number {
    return connection * this.mostQueuePairs + ((this.turns.values[connection]! + part) % open);
  }

  /** A transfer took so many queue pairs of a connection: the next one goes on behind them. */
  took(connection: number, parts: number, open: number): void {
    const { values } = this.turns;
    values[connection] = (values[connection]! + parts) % open;
  }

  private grow(): void {
    const { pairs, names } = this;
    const table = (this.table = new Int32Array(2 * this.table.length).fill(nobody));
    const mask = table.length - 1;
    for (let connection = 0; connection < pairs.length; connection++) {
      let at = home(names.values[connection]!, pairs.values[connection]!) & mask;
      while (table[at] !== nobody) at = (at + 1) & mask;
      table[at] = connection;
    }
  }
}

/** of two whole numbers below 2^53 */
function home(name: number, pair: number): number {
  const mixed = Math.imul(Math.imul(fold(pair), 0x9e3779b1) ^ fold(name), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

function fold(value: number): number {
  return (value ^ Math.imul(Math.floor(value / 0x1_0000_0000), 0xc2b2ae35)) | 0;
}
