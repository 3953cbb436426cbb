// What receivers estimate of every link from samples in packets (docs/models/reservoir-sampling.md), by window and kind of
// traffic, out of the table `link_samples`, and sums of it.
// Invariants: a link whose estimate is not above what chance may give (its noise) carries nothing; estimates that chance
// made negative, or larger than the traffic, are kept within 0 and the traffic.
// Memory: 32 bytes per row.

import { Float64List, Int32List } from '../../base/columns.js';
import { portAt, type Fabric } from '../../fabric/fabric.js';
import type { Batch } from '../../records/schema.js';
import { LinkSampleColumn } from '../../sampling/sample-records.js';

/** Packets by sending port. */
export interface LinkEstimates {
  readonly traffic: Float64Array;
  readonly congested: Float64Array;
  /** links whose estimate is within its noise, and so 0 here */
  readonly withinNoise: number;
}

const labelColumns = [
  'job',
  'phase',
  'collective',
  'group',
  'tag',
  'sourceRank',
  'destinationRank',
  'classRanks',
] as const;

/** A kind of traffic, as the columns of samples have it. */
export type SampleLabel = Readonly<Record<(typeof labelColumns)[number], number>>;

/** Rows of a window. */
class SampledWindow {
  readonly traffic = new Float64List();
  readonly congested = new Float64List();
  readonly noise = new Float64List();
  /** index into {@link SampledLinks.labels} */
  readonly label = new Int32List();
  readonly port = new Int32List();

  constructor(
    readonly startPs: number,
    readonly endPs: number,
  ) {}
}

export class SampledLinks {
  /** rows that name a port which the fabric has not */
  strangers = 0;
  /** kinds of traffic that occur */
  readonly labels: SampleLabel[] = [];
  private readonly labelAt = new Map<string, number>();
  /** by end */
  private readonly known = new Map<number, SampledWindow>();

  constructor(readonly fabric: Fabric) {}

  put({ columns, rows }: Batch): void {
    const at = LinkSampleColumn;
    for (let row = 0; row < rows; row++) {
      const port = portAt(this.fabric, columns[at.node]![row]!, columns[at.interface]![row]!);
      if (port < 0) {
        this.strangers++;
        continue;
      }
      const endPs = columns[at.time]![row]!;
      let window = this.known.get(endPs);
      if (window === undefined)
        this.known.set(endPs, (window = new SampledWindow(endPs - columns[at.window]![row]!, endPs)));
      window.traffic.push(columns[at.traffic]![row]!);
      window.congested.push(columns[at.congested]![row]!);
      window.noise.push(columns[at.noise]![row]!);
      window.label.push(this.labelOf(columns, row));
      window.port.push(port);
    }
  }

  /** Windows in which something arrived, in order of time. */
  windows(): SampledWindow[] {
    return [...this.known.values()].sort((a, b) => a.endPs - b.endPs);
  }

  /** Sums over windows. @param of labels of the traffic; null: all */
  sums(windows: readonly SampledWindow[], of: ReadonlySet<number> | null): LinkEstimates {
    const { portCount } = this.fabric;
    const traffic = new Float64Array(portCount);
    const congested = new Float64Array(portCount);
    const squares = new Float64Array(portCount);
    for (const own of windows)
      for (let row = 0; row < own.port.length; row++) {
        if (of !== null && !of.has(own.label.values[row]!)) continue;
        const port = own.port.values[row]!;
        traffic[port]! += own.traffic.values[row]!;
        congested[port]! += own.congested.values[row]!;
        squares[port]! += own.noise.values[row]! * own.noise.values[row]!;
      }
    let withinNoise = 0;
    for (let port = 0; port < portCount; port++) {
      if (squares[port]! > 0 && traffic[port]! <= Math.sqrt(squares[port]!)) {
        withinNoise++;
        traffic[port] = 0;
      }
      traffic[port] = Math.max(0, traffic[port]!);
      congested[port] = Math.min(traffic[port]!, Math.max(0, congested[port]!));
    }
    return { traffic, congested, withinNoise };
  }

  /** Sums over links and windows, by number of the label: packets count at every link on their way. */
  sumsByLabel(): { readonly traffic: Float64Array; readonly congested: Float64Array; readonly noise: Float64Array } {
    const sums = () => new Float64Array(this.labels.length);
    const [traffic, congested, squares] = [sums(), sums(), sums()];
    for (const own of this.known.values())
      for (let row = 0; row < own.port.length; row++) {
        const label = own.label.values[row]!;
        traffic[label]! += own.traffic.values[row]!;
        congested[label]! += own.congested.values[row]!;
        squares[label]! += own.noise.values[row]! * own.noise.values[row]!;
      }
    return { traffic, congested, noise: squares.map(Math.sqrt) };
  }

  /** The number of what a row is told apart by. */
  private labelOf(columns: Batch['columns'], row: number): number {
    const at = LinkSampleColumn;
    const values = labelColumns.map((column) => columns[at[column]]![row]!);
    const key = values.join(' ');
    let label = this.labelAt.get(key);
    if (label === undefined) {
      const own = Object.fromEntries(labelColumns.map((column, i) => [column, values[i]!])) as SampleLabel;
      label = this.labels.push(own) - 1;
      this.labelAt.set(key, label);
    }
    return label;
  }
}
