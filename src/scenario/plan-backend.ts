// The backend of a scenario, and what it cannot do: failures on the analytical one are an error, links that lose
// packets without packets a warning.

import type { BackendName } from '../backends/backend-names.js';
import type { Diagnostics } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import { givenPlace } from './cause-place.js';
import { errorAt, keyPlaceOf, nodeAt, warningAt, type LocatedMap } from './located.js';
import type { Scenario } from './read-scenario.js';
import { valueAt } from './resolve.js';
import { topSettings } from './schema.js';

/** The backend of a scenario; the default if what was written is wrong and already said to be. */
export function planBackend({ root, faulty }: Scenario): BackendName {
  return faulty.has('backend') ? topSettings.backend.default : valueAt(root, ['backend'], topSettings.backend);
}

/** Checks that the backend can do what the scenario asks for. */
export function checkBackend(root: LocatedMap, backend: BackendName, fabric: Fabric, diagnostics: Diagnostics): void {
  if (backend === 'packet') return;
  const events = nodeAt(root, ['failures', 'events']);
  if (backend === 'analytical' && events !== undefined) {
    errorAt(
      diagnostics,
      'backend-failures',
      keyPlaceOf(root, ['failures', 'events']),
      'the analytical backend has no failures: it times every flow by itself on the fabric as built',
      { wanted: 'backend: fluid or packet, or a scenario without failures' },
    );
  }
  const isLossy = fabric.linkErrorRate.some((errorRate) => errorRate > 0);
  if (isLossy && nodeAt(root, ['fabric', 'errorRate']) === undefined) {
    warningAt(
      diagnostics,
      'backend-lossless',
      givenPlace(root, [['backend']]),
      `the fabric has links that lose packets; the ${backend} backend has no packets, and loses none`,
    );
  }
}
