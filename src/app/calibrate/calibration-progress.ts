// How far a calibration is, by time: what is left is reckoned from what cases have taken so far, since stages of a
// calibration take anything from a hundredth to all of it.
// Invariants: the share grows; it is 0 until the first case is done. Not modelled: passes that turn out not to be
// needed; that the first cases wait for the compiler.

/** The host's clock. */
export interface WallClock {
  wallMs(): number;
}

/** of a pass that takes longer than the one before, what is left of it as a share of its cases' time then */
const leastLeft = 0.2;

export class CalibrationProgress {
  private readonly startMs: number;
  private stageMs: number;
  /** that a case took in the last pass, in the first one so far */
  private caseMs = 0;
  private largest = 0;

  /** @param cases that are simulated at the beginning @param laterCases after parameters are fitted, at most */
  constructor(
    private readonly clock: WallClock,
    private readonly cases: number,
    private laterCases: number,
    private readonly onProgress: (what: string, share: number) => void,
  ) {
    this.startMs = clock.wallMs();
    this.stageMs = this.startMs;
  }

  /** A stage begins. @param laterCases that are simulated after it, at most */
  begin(laterCases: number): void {
    this.stageMs = this.clock.wallMs();
    this.laterCases = laterCases;
  }

  /** So many cases of the stage are done, parts of them included. @param isFitted parameters are */
  simulated(stage: string, done: number, of: number, isFitted: boolean): void {
    const tookMs = this.clock.wallMs() - this.stageMs;
    if (!isFitted || done === of) this.caseMs = done > 0 ? tookMs / done : 0;
    // a fit takes about as long as simulating what is fitted
    const fitMs = isFitted ? 0 : this.cases * this.caseMs;
    // sizes ascend, and the last take longest: a pass takes what the pass before took
    const leftMs = Math.max(
      of * this.caseMs - (isFitted ? tookMs : done * this.caseMs),
      leastLeft * (of - done) * this.caseMs,
    );
    this.tell(stage, fitMs + leftMs + this.laterCases * this.caseMs);
  }

  /** So many steps of the fit of parameters are done. */
  fitted(stage: string, done: number, of: number): void {
    const tookMs = this.clock.wallMs() - this.stageMs;
    const guessMs = Math.max(0, this.cases * this.caseMs - tookMs);
    const leftMs = done > 0 ? (tookMs * (of - done)) / done : guessMs;
    this.tell(stage, leftMs + this.laterCases * this.caseMs);
  }

  private tell(stage: string, leftMs: number): void {
    const elapsedMs = this.clock.wallMs() - this.startMs;
    const share = this.caseMs === 0 || elapsedMs === 0 ? 0 : elapsedMs / (elapsedMs + leftMs);
    this.largest = Math.max(this.largest, Math.min(1, share));
    this.onProgress(stage, this.largest);
  }
}
