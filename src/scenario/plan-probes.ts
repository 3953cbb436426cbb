// Settings of the probes that cannot work.

import type { PacketSettings } from '../backends/packet/settings.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { errorAt, nodeAt, placeOf, textOf, type LocatedMap } from './located.js';
import { timeText } from './quantity-text.js';

/** Checks the times between which probes record. */
export function checkProbes(root: LocatedMap, { probes }: PacketSettings, diagnostics: Diagnostics): void {
  const { start, end } = probes;
  const given = (['start', 'end'] as const).filter((name) => nodeAt(root, ['probes', name]) !== undefined);
  if (end > 0 && end <= start) {
    const path = ['probes', given.includes('end') ? 'end' : 'start'];
    errorAt(
      diagnostics,
      'probes-end',
      placeOf(root, path),
      `probes.end (${timeText(end)}) is not after probes.start (${timeText(start)})`,
      { got: textOf(nodeAt(root, path)!), wanted: 'an end after the start, or 0 for the end of the run' },
    );
  }
}
