// Which virtual lane a packet waits in, link by link: the level of its pair, and what the map of lanes makes of it.
// Where lanes only count, everything waits in lane 0, and the lane of the map is that of the counters alone.
// Invariant: a packet waits in the lane whose credits it will take.
// Not modelled there, as in the simulations of Taffet's dissertation (docs/SOURCES.md, 5.1): queues and credits of
// their own.

import { grown } from '../../base/columns.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Fabric } from '../../fabric/fabric.js';
import { type LaneAssignment, madeHere } from '../../routing/lane-maps.js';
import { ChunkState, ChunkWord, type Chunks } from './chunks.js';

const { port: PORT, slot: SLOT, state: STATE } = ChunkWord;
const { hops: HOPS } = ChunkState;

export class PacketLanes {
  /** a packet waits in the lane of its slot on its whole way */
  readonly isSteady: boolean;
  private frontier!: Frontier;
  private level = new Uint8Array(0);

  /** @param areShared lanes only count: everything waits in lane 0 */
  constructor(
    private readonly fabric: Fabric,
    private readonly chunks: Chunks,
    private readonly assignment: LaneAssignment,
    private readonly areShared: boolean,
  ) {
    this.isSteady = areShared || assignment.map.isSteady;
  }

  attach(frontier: Frontier): void {
    this.frontier = frontier;
  }

  /** A queue pair begins. */
  open(slot: number): void {
    if (slot >= this.level.length) this.level = grown(this.level, Math.max(256, 2 * (slot + 1)));
    const { source, destination, trafficClass } = this.frontier;
    const own = this.assignment.levelOfClass[trafficClass[slot]!]!;
    this.level[slot] = own >= 0 ? own : this.assignment.levels.of(source[slot]!, destination[slot]!);
  }

  /** The lane in which a queue pair waits at its sender's port (-1: it has none). */
  first(slot: number, port: number): number {
    return this.areShared || port < 0 ? 0 : this.of(slot, madeHere, port);
  }

  /** The lane in which a queue pair's packets count at its sender's port. */
  countedFirst(slot: number, port: number): number {
    return this.of(slot, madeHere, port);
  }

  /** The lane in which a packet of others waits at an output port of the node that it has reached. */
  next(record: number, port: number): number {
    return this.areShared ? 0 : this.counted(record, port);
  }

  /** The lane in which the transmission of a packet counts, asked before the packet is another port's. */
  counted(record: number, port: number): number {
    const { words } = this.chunks.records;
    const at = record << 3;
    return this.of(
      words[at + SLOT]!,
      (words[at + STATE]! & HOPS) === 0 ? madeHere : this.fabric.portPeer[words[at + PORT]!]!,
      port,
    );
  }

  private of(slot: number, inPort: number, outPort: number): number {
    const { source, destination } = this.frontier;
    return this.assignment.map.lane(this.level[slot]!, source[slot]!, destination[slot]!, inPort, outPort);
  }
}
