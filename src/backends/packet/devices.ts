// Who owns which port: hosts, switches, NVSwitches. What happens at a port goes to its owner.

import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import type { Nic } from './nic/nic.js';
import type { PortOwner } from './plug-ins.js';
import type { Nvswitches } from './switch/nvswitches.js';
import type { Switches } from './switch/switches.js';

// constants of this module fold into the machine code, imported ones do not
const { host: HOST, switch: SWITCH } = NodeKind;

export class Devices implements PortOwner {
  /** NodeKind of each port's owner */
  readonly portKind: Uint8Array;
  nic!: Nic;
  switches!: Switches;
  nvswitches!: Nvswitches;

  constructor(fabric: Fabric) {
    this.portKind = Uint8Array.from(fabric.portNode, (node) => fabric.nodeKind[node]!);
  }

  /** Switches name the flow control, which names the owners of ports: this closes the circle once. */
  use(nic: Nic, switches: Switches, nvswitches: Nvswitches): void {
    this.nic = nic;
    this.switches = switches;
    this.nvswitches = nvswitches;
  }

  /** A port has nothing on the wire and something may wait. */
  serve(port: number): void {
    const kind = this.portKind[port]!;
    if (kind === HOST) this.nic.serve(port);
    else if (kind === SWITCH) this.switches.serve(port);
    else this.nvswitches.serve(port);
  }

  resume(port: number): void {
    const kind = this.portKind[port]!;
    if (kind === HOST) this.nic.resume(port);
    else if (kind === SWITCH) this.switches.resume(port);
    else this.nvswitches.resume(port);
  }
}
