// What fast-forward came to: how much was not simulated, and how far samples of it differ.

export interface LeapFigures {
  readonly count: number;
  readonly lengthNs: number;
  /** that would have been sent in them */
  readonly payloadBytes: number;
  /** largest difference of the rate at which all send after a leap from the measured one, as a share of it */
  readonly largestChange: number;
}

export interface FastForwardFigures {
  /** collectives that all ranks are done with, and those of them that were replayed */
  readonly collectives: number;
  readonly replayed: number;
  /** transfers of all of them, and those that were not sent */
  readonly transfers: number;
  readonly transfersNotSent: number;
  readonly payloadBytes: number;
  readonly payloadBytesNotSent: number;
  /** share of the time that all collectives took together that was replayed */
  readonly replayedShare: number;
  /** phases that went on otherwise than what they were replayed from */
  readonly diverged: number;
  /** leaps over steady stretches of what was simulated; null: not asked for */
  readonly leaps: LeapFigures | null;
  readonly samples: {
    /** phases that were replayed and simulated */
    readonly phases: number;
    /** times that were compared, of samples and of phases that were simulated twice */
    readonly times: number;
    /** difference of a time as a share of it */
    readonly largest: number;
    readonly mean: number;
  };
}
