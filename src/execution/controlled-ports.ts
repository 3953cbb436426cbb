// Source ports by the central controller; where it has no say, the counter's.
// Invariant: queue pairs of connections come through KeptPorts, which asks once while they are busy.

import type { Admission } from './admission.js';
import type { ControllerRequests } from './controller-requests.js';

export class ControlledPorts implements Admission {
  constructor(
    private readonly requests: ControllerRequests,
    private readonly fallback: Admission,
  ) {}

  admit(slot: number, nowPs: number): number {
    return this.requests.assign(slot, null, this.fallback.admit(slot, nowPs), nowPs);
  }

  readmit(slot: number, nowPs: number, port: number): number {
    return this.requests.keep(slot, null, port, nowPs);
  }

  release(slot: number): void {
    this.requests.release(slot);
  }

  linksChanged(nowPs: number): void {
    this.requests.linksChanged(nowPs);
  }

  due(token: number, nowPs: number): void {
    this.requests.due(token, nowPs);
  }
}
