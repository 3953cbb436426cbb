// The ports of NVSwitches. They forward as switches do, without marks and pauses, and send for the NVSwitch itself: it
// is the end of transfers to and from the GPUs that are linked to it (NVLink SHARP's reductions and multicasts as flows
// up and down). A port with both to send takes turns: a packet that waits (forwarded, or an acknowledgement of its
// own), then data of its own queue pairs; queue 0 goes before both. Own packets hold no shared buffer, as on a host.
// Invariants: with nothing of its own to send, a port does exactly what a switch's does; nothing is dropped for want of
// room (shared-buffer.ts).
// Source: SimAI's NVSwitch, which ends flows as a host does (docs/models/simai.md#switches). Not modelled: the
// arithmetic of a reduction, a packet that the hardware copies to several ports, NVLink's flits, credits and virtual
// channels.

import { type EventRecords } from '../../../engine/event-records.js';
import type { Nic } from '../nic/nic.js';
import { HeadBits, PacketWord } from '../packets.js';
import type { PacketTelemetry } from '../plug-ins.js';
import type { Ports } from '../ports.js';
import type { SharedBuffer } from './shared-buffer.js';
import type { SwitchParts, Switches } from './switches.js';

// constants of this module fold into the machine code, imported ones do not
const { port: PORT, head: HEAD } = PacketWord;
const { bytesShift } = HeadBits;

export class Nvswitches {
  private readonly portNode: Int32Array;
  /** 1: the port's last packet was data of the NVSwitch itself */
  private readonly sentOwn: Uint8Array;

  private readonly ports: Ports;
  private readonly records: EventRecords;
  private readonly buffer: SharedBuffer;
  private readonly nic: Nic;
  private readonly telemetry: PacketTelemetry | null;

  constructor(
    parts: SwitchParts,
    private readonly switches: Switches,
  ) {
    this.portNode = parts.fabric.portNode;
    this.ports = parts.ports;
    this.records = parts.records;
    this.buffer = parts.buffer;
    this.nic = parts.nic;
    this.telemetry = parts.telemetry;
    this.sentOwn = new Uint8Array(parts.fabric.portCount);
  }

  /** Sends the next packet of a port that has nothing on the wire, if any may go. */
  serve(port: number): void {
    const { ports, nic } = this;
    nic.rejoin(port);
    const eligible = ports.sendable(port);
    const isTurnOfQueues = eligible !== 0 && ((eligible & 1) !== 0 || this.sentOwn[port] === 1);
    if (!isTurnOfQueues && nic.sendData(port)) this.sentOwn[port] = 1;
    else if (eligible !== 0) {
      this.sentOwn[port] = 0;
      this.sendQueued(port, ports.chooseQueue(port, eligible));
    } else {
      ports.rest(port);
      return;
    }
    if (nic.wantsTurn(port)) ports.wakeAgain(port);
    else ports.wakeIfSendable(port);
  }

  /** A paused queue may send again. */
  resume(port: number): void {
    if (this.ports.isIdle(port)) {
      this.ports.beginTurn(port);
      this.serve(port);
    } else if (this.ports.sendable(port) !== 0) this.ports.wakeWhenFree(port);
  }

  private sendQueued(port: number, queue: number): void {
    const { words } = this.records;
    const packet = this.ports.take(port, queue);
    const at = packet << 3;
    if (this.telemetry !== null) this.switches.stamp(packet, port, queue);
    // a packet of the NVSwitch itself names the port that it leaves by, a forwarded one the port that it came in by
    const ingress = words[at + PORT]!;
    if (queue !== 0 && ingress !== port)
      this.buffer.vacate(this.portNode[port]!, (ingress << 3) + queue, words[at + HEAD]! >> bytesShift);
    this.ports.transmit(port, packet);
  }
}
