// No congestion control: every queue pair sends at line rate within its window; flow control alone protects the fabric.

import type { CongestionMechanism } from '../mechanism.js';
import type { CongestionControl } from '../plug-ins.js';

/** The entry of senders without congestion control. */
export const none = {
  description: 'line rate within the window',
  make: (): CongestionControl => ({ start: () => {}, acknowledged: () => {}, notified: () => {} }),
} as const satisfies CongestionMechanism;
