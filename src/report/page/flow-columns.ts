// The finished flows of a run in columns, and their order by completion time.
// Memory: 64 bytes per flow.

import { slowdownOf } from '../../measurement/slowdowns.js';
import { Float64List } from '../../base/columns.js';
import { FlowColumn } from '../../records/flow-records.js';
import type { Batch } from '../../records/schema.js';

/** Collects the rows of the table `flows`. */
export class FlowColumns {
  readonly flow = new Float64List();
  readonly source = new Float64List();
  readonly destination = new Float64List();
  readonly sourcePort = new Float64List();
  readonly sizeBytes = new Float64List();
  readonly startPs = new Float64List();
  readonly finishPs = new Float64List();
  readonly idealPs = new Float64List();
  firstStartPs = Infinity;
  lastFinishPs = 0;
  private places: ReturnType<typeof placesOf> | null = null;
  private order: Uint32Array | null = null;

  get count(): number {
    return this.flow.length;
  }

  put({ columns, rows }: Batch): void {
    const lists = [
      [FlowColumn.flow, this.flow],
      [FlowColumn.source, this.source],
      [FlowColumn.destination, this.destination],
      [FlowColumn.sourcePort, this.sourcePort],
      [FlowColumn.size, this.sizeBytes],
      [FlowColumn.start, this.startPs],
      [FlowColumn.finish, this.finishPs],
      [FlowColumn.ideal, this.idealPs],
    ] as const;
    for (const [index, list] of lists) list.append(columns[index]!, rows);
    for (let row = 0; row < rows; row++) {
      this.firstStartPs = Math.min(this.firstStartPs, columns[FlowColumn.start]![row]!);
      this.lastFinishPs = Math.max(this.lastFinishPs, columns[FlowColumn.finish]![row]!);
    }
  }

  /**
   * When charts over time begin: with the first flow, if little of the time would be left to see otherwise; else at 0.
   */
  get originPs(): number {
    const { firstStartPs } = this;
    return this.count > 0 && firstStartPs > (this.lastFinishPs - firstStartPs) / 10 ? firstStartPs : 0;
  }

  completionPs(index: number): number {
    return this.finishPs.values[index]! - this.startPs.values[index]!;
  }

  /** Completion time over that alone on an idle fabric; 1 where that is not known. */
  slowdown(index: number): number {
    const ideal = this.idealPs.values[index]!;
    return ideal > 0 ? slowdownOf(this.completionPs(index), ideal) : 1;
  }

  /** Indices of the flows, the shortest completion first; equal ones in the order of their numbers. */
  byCompletion(): Uint32Array {
    this.order ??= Uint32Array.from({ length: this.count }, (_, i) => i).sort((a, b) => this.inOrder(a, b));
    return this.order;
  }

  private inOrder(a: number, b: number): number {
    return this.completionPs(a) - this.completionPs(b) || this.flow.values[a]! - this.flow.values[b]!;
  }

  /** The last `count` of `byCompletion`, without putting all of them in order. */
  slowest(count: number): Uint32Array {
    const own = new Float64Array(this.count);
    for (let index = 0; index < own.length; index++) own[index] = this.completionPs(index);
    const leastPs = own.slice().sort()[Math.max(0, own.length - count)] ?? 0;
    const candidates: number[] = [];
    for (let index = 0; index < own.length; index++) if (own[index]! >= leastPs) candidates.push(index);
    candidates.sort((a, b) => this.inOrder(a, b));
    return Uint32Array.from(candidates.slice(Math.max(0, candidates.length - count)));
  }

  /** Index of a flow by its number; -1 if it has not finished. */
  find(flow: number): number {
    this.places ??= placesOf(this.flow.values.subarray(0, this.count));
    return (this.places instanceof Int32Array ? this.places[flow] : this.places.get(flow)) ?? -1;
  }
}

/** Where each number stands: a list, if that is not much longer than the numbers are many. */
function placesOf(numbers: Float64Array): Int32Array | Map<number, number> {
  const most = numbers.reduce((greatest, own) => Math.max(greatest, own), 0);
  if (most > 4 * numbers.length + 1000) return new Map(Array.from(numbers, (own, place) => [own, place]));
  const places = new Int32Array(most + 1).fill(-1);
  for (let place = 0; place < numbers.length; place++) places[numbers[place]!] = place;
  return places;
}
