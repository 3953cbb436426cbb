// What a central controller did in a run.

/** What a controller did, by queue pair: those for which it found a path with room, and those for which it did not. */
export interface ControllerFigures {
  readonly policy: 'first-fit' | 'least-loaded' | 'bandwidth-aware' | 'batch';
  readonly assigned: number;
  readonly unassigned: number;
  /** those under way that got another source port after routes changed; null: none ever does in this run */
  readonly moved: number | null;
  /** from a request until its answer, of all that asked; null: the controller takes no time */
  readonly wait: { readonly medianNs: number; readonly maxNs: number } | null;
}
