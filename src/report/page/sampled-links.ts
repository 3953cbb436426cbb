// What receivers estimate of every link from samples in packets (docs/models/reservoir-sampling.md), by window and kind of
// traffic, out of the table `link_samples`, and sums of it.
// Invariants: a link whose estimate is not above what chance may give (its noise) carries nothing; estimates that chance
// made negative, or larger than the traffic, are kept within 0 and the traffic.
// Memory: 32 bytes per row.

import { Float64List, Int32List } from '../../base/columns.js';
import { portAt, type Fabric } from '../../fabric/fabric.js';
import type { Batch } from '../../records/schema.js';
import { estimateSums, type EstimateRows } from '../../sampling/estimate-sums.js';
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

const summed = ['traffic', 'congested', 'noise'] as const;

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

  /** Its rows, for sums by one of its columns. */
  rowsBy(key: Int32List): EstimateRows<(typeof summed)[number]> {
    const { traffic, congested, noise, port } = this;
    return {
      rows: port.length,
      key: key.values,
      traffic: traffic.values,
      congested: congested.values,
      noise: noise.values,
    };
  }
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
    const pieces = windows.map((own) => own.rowsBy(own.port));
    const { traffic, congested, noise } = estimateSums(
      summed,
      portCount,
      pieces,
      of === null ? undefined : (window, row) => of.has(windows[window]!.label.values[row]!),
    );
    let withinNoise = 0;
    for (let port = 0; port < portCount; port++) {
      if (noise[port]! > 0 && traffic[port]! <= noise[port]!) {
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
    const pieces = [...this.known.values()].map((own) => own.rowsBy(own.label));
    return estimateSums(summed, this.labels.length, pieces);
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
