// How an RNIC reaches state of its queue pairs in host memory: operations of every host in order of arrival, none
// interrupted. Two variants, with w the bytes on the bus and R the rate:
//   single  one queue; an operation occupies it for latency + w / R, w the bytes alone
//   duplex  one queue for reads and one for writes; an operation occupies its own for w / R, w with what PCIe puts
// around           every packet of them; the latency passes while the next is under way
// Invariants: operations of a queue end in the order in which they came; submitted = completed + under way.
// Source: the peer's README (single) and its code (duplex), docs/models/omnidma.md. Not modelled: PCIe's credits and
// completions, what else uses the bus, data of the packets themselves.

import type { Clock } from '../../../engine/event-wheel.js';

/** kinds of operations, as they are numbered in records */
export const DmaOperation = { listAppend: 1, listToTable: 2, listPrefetch: 3, listMiss: 4, tableMiss: 5 } as const;

/** An operation as those see it who watch; valid during the call. */
export interface DmaSubmission {
  readonly host: number;
  readonly pair: number;
  readonly operation: number;
  /** on the bus */
  readonly bytes: number;
  /** from now until it is served, from then until it is done, and until all before and including it are done */
  readonly waitPs: number;
  readonly servicePs: number;
  readonly donePs: number;
}

/** Is told of every operation. */
export interface DmaWatcher {
  submitted(submission: DmaSubmission): void;
}

/** What the model is made from. */
export interface RnicDmaParts {
  readonly variant: 'single' | 'duplex';
  readonly bandwidthBps: number;
  readonly latencyPs: number;
  readonly tlpPayloadBytes: number;
  readonly tlpOverheadBytes: number;
  readonly nodeCount: number;
  readonly clock: Clock;
  /** null: nobody */
  readonly watcher: DmaWatcher | null;
}

export class RnicDma {
  /** 2 x host + 1 for writes if they have a queue of their own: when what was submitted is served */
  private readonly freePs: Float64Array;
  private readonly isDuplex: boolean;

  constructor(private readonly parts: RnicDmaParts) {
    this.freePs = new Float64Array(2 * parts.nodeCount);
    this.isDuplex = parts.variant === 'duplex';
  }

  /**
   * Submits an operation of a host now.
   * @param operation one of DmaOperation
   * @param bytes of the maps that it moves
   * @returns when it is done, in picoseconds
   */
  submit(host: number, pair: number, operation: number, bytes: number): number {
    const { bandwidthBps, latencyPs, tlpPayloadBytes, tlpOverheadBytes, clock, watcher } = this.parts;
    const { freePs, isDuplex } = this;
    const isWrite = operation <= DmaOperation.listToTable;
    const at = 2 * host + (isDuplex && isWrite ? 1 : 0);
    const wireBytes = isDuplex ? bytes + Math.ceil(bytes / tlpPayloadBytes) * tlpOverheadBytes : bytes;
    const transferPs = Math.round((wireBytes * 8e12) / bandwidthBps);
    const startPs = Math.max(clock.nowPs, freePs[at]!);
    const donePs = startPs + latencyPs + transferPs;
    freePs[at] = isDuplex ? startPs + transferPs : donePs;
    if (watcher !== null)
      watcher.submitted({
        host,
        pair,
        operation,
        bytes: wireBytes,
        waitPs: startPs - clock.nowPs,
        servicePs: latencyPs + transferPs,
        donePs,
      });
    return donePs;
  }
}
