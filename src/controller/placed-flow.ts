// What a controller is told of a flow.

import type { PinnedPaths } from '../routing/pinned-paths.js';

export interface PlacedFlow {
  /** a small number that names the flow until it is released */
  readonly flow: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly destinationPort: number;
  /** paths that the flow may take; null: all */
  readonly pinned: PinnedPaths | null;
}
