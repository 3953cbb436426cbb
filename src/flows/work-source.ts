// Where transfers come from. A source is lazy: it holds a window of transfers sorted by start time, and is refilled
// between slices; or it hands out transfers when others have finished (collectives). Invariants: no two transfers have
// the same id; what `expand` hands out comes in order of start time, ties in order of id, and starts now; what
// `transferFinished` hands out starts now or later.

/** The largest transfer, 256 GiB: packets of a flow are numbered in 31 bits, and a payload has at least 256 bytes. */
export const maxTransferBytes = 2 ** 38;

/** Receives transfers one at a time; no object per transfer. */
export interface TransferSink {
  /**
   * @param id number of the transfer
   * @param source sending host, @param destination receiving host (node ids); one of them may be an NVSwitch that is
   * linked to the other
   * @param sizeBytes payload, 1 to maxTransferBytes
   * @param startPs when it starts, in picoseconds
   * @param trafficClass 0 or left out: any path; n: a path that pin n - 1 of the plan allows
   * @param connection -1 or left out: it has queue pairs of its own; else a whole number from 0 that names a connection
   * between its ends, the same for all transfers over it: they share its queue pairs, and with them source port and
   * path
   */
  transfer(
    id: number,
    source: number,
    destination: number,
    sizeBytes: number,
    startPs: number,
    trafficClass?: number,
    connection?: number,
  ): void;
}

export interface WorkSource {
  /** How many transfers there will be in all, if known: for progress only. */
  readonly total: number;
  /** Payload of all of them together, if known: for progress only. */
  readonly totalBytes?: number | undefined;
  /** Start time of the next transfer; +Infinity at the end; NaN if it is not known before the next refill. */
  nextStartPs(): number;
  /** Hands the transfers that start at `nowPs` or before to the sink, as far as they are known. */
  expand(nowPs: number, sink: TransferSink): void;
  /**
   * A transfer of this source has finished: hands those that waited for it to the sink, and may change nextStartPs (but
   * not to NaN). Left out: no transfer waits for another.
   */
  transferFinished?(id: number, nowPs: number, sink: TransferSink): void;
  /**
   * All bytes of a transfer of this source have left its sender, once per transfer and before it has finished: hands
   * those that waited for that to the sink, as transferFinished does. Left out: nobody asks.
   */
  transferSent?: ((id: number, nowPs: number, sink: TransferSink) => void) | undefined;
  /**
   * False as long as no transfer that is known waits for bytes to leave: `transferSent` need not be called. Left out:
   * true.
   */
  readonly awaitsSent?: boolean | undefined;
  /**
   * Transfers that have not finished, those included that wait for others; none may be left at the end. Left out: none
   * ever waits.
   */
  readonly unfinished?: number | undefined;
  /**
   * The same transfers, to be read from their start, whatever was read of these: so a plan can be run again. Left out:
   * they can be read once.
   */
  fromStart?: (() => WorkSource) | undefined;
  /** Loads more; resolves when nextStartPs is known again. */
  refill(): Promise<void>;
  /** Releases files; called once, however the run ends. */
  close(): Promise<void>;
}
