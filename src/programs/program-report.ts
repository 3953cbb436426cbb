// What a program came to: the figures that reports and JSON are made of. Times are picoseconds.
// Invariant: over the ranks, computation + overhead + wait = time from the start to the rank's end.

/** Least, mean and most over the ranks. */
export interface RankSpread {
  readonly minimum: number;
  readonly mean: number;
  readonly maximum: number;
}

/** What a program came to: more than 14 fields, since they are what JSON says of it and two that verdicts need. */
export interface ProgramReport {
  readonly name: string;
  /** which program it is */
  readonly program: string;
  /** false: the run ended before the program did; figures are of what was done */
  readonly isFinished: boolean;
  readonly ranks: number;
  /** hosts that it runs on */
  readonly nodes: number;
  readonly startPs: number;
  /** from the start to the end of the last rank, or of the run */
  readonly totalPs: number;
  readonly computePs: RankSpread;
  /** what ranks did to send and receive */
  readonly overheadPs: RankSpread;
  readonly waitPs: RankSpread;
  /** over the network, and their bytes */
  readonly messages: number;
  readonly payloadBytes: number;
  /** of rendezvous: requests and answers */
  readonly handshakes: number;
  readonly messagesInNodes: number;
  readonly bytesInNodes: number;
  readonly phases: readonly string[];
  readonly grid: readonly number[] | null;
  /** every message was received once and nothing waits; null of a program that is not finished */
  readonly isConserved: boolean | null;
  /** of a program that is not finished: who waits for whom, in words; empty otherwise */
  readonly waiting: string;
}
