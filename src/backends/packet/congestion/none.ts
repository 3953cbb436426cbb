// No congestion control: every queue pair sends at line rate within its window; flow control alone protects the fabric.

import type { CongestionControl } from '../plug-ins.js';

export class NoCongestionControl implements CongestionControl {
  start(): void {}

  acknowledged(): void {}

  notified(): void {}
}
