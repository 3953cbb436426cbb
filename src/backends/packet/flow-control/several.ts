// No flow control, and several at once. Each sees every packet that enters and leaves a buffer; frames and control
// packets go to the one that sent them.

import type { Verdict } from '../../../execution/network.js';
import type { FlowControl, FlowControlCounters, PacketStops } from '../plug-ins.js';

/** One flow control that does what all of a list do; of a list of one, that one. */
export function combined(list: readonly FlowControl[]): FlowControl {
  return list.length === 1 ? list[0]! : new SeveralFlowControls(list);
}

class SeveralFlowControls implements FlowControl {
  constructor(private readonly list: readonly FlowControl[]) {}

  get counters(): FlowControlCounters {
    const sum: Record<string, number> = {};
    for (const { counters } of this.list)
      for (const [name, count] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + count;
    return sum;
  }

  /** At most one of them holds packets back. */
  get stops(): PacketStops | null {
    return this.list.find(({ stops = null }) => stops !== null)?.stops ?? null;
  }

  get isLossless(): boolean {
    return this.list.some(({ isLossless }) => isLossless);
  }

  excuse(): string | null {
    for (const one of this.list) {
      const excuse = one.excuse();
      if (excuse !== null) return excuse;
    }
    return null;
  }

  verdicts(): Verdict[] {
    return this.list.flatMap((one) => one.verdicts());
  }

  admitted(packet: number, node: number, ingress: number, egress: number, queue: number, isCrowded: boolean): void {
    for (let i = 0; i < this.list.length; i++) this.list[i]!.admitted(packet, node, ingress, egress, queue, isCrowded);
  }

  vacated(packet: number, node: number, ingress: number, egress: number, queue: number): void {
    for (let i = 0; i < this.list.length; i++) this.list[i]!.vacated(packet, node, ingress, egress, queue);
  }

  /** Frames name their owner: none comes here. */
  received(): void {}

  lost(): void {}

  linkWentDown(port: number): void {
    for (const one of this.list) one.linkWentDown(port);
  }
}
