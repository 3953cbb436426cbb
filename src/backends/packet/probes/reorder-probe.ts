// Reorder queues, sampled: a row for each switch with hosts at each sample, as ConWeave's simulator monitors its
// top-of-rack switches: how many queues hold packets back, and how many packets wait in them.
// Source: ConWeave's network-load-balance.cc (VOQ_MON_FILE; github.com/conweave-project/conweave-ns3).

import { NodeKind } from '../../../fabric/fabric.js';
import { ReorderColumn, reorderTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import type { ReorderState } from '../plug-ins.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe } from './sampling.js';

export class ReorderProbe implements SampledProbe {
  readonly table: TableWriter;
  readonly intervalPs: number;
  private readonly switches: readonly number[];
  /** null: nothing is held back anywhere, and no row is written */
  private state: ReorderState | null = null;

  constructor({ fabric, settings, sink }: ProbeParts) {
    this.intervalPs = settings.probes.reorderInterval;
    this.table = new TableWriter(reorderTable, sink);
    const withHosts = new Set<number>();
    for (let port = 0; port < fabric.portCount; port++) {
      const [node, peer] = [fabric.portNode[port]!, fabric.portNode[fabric.portPeer[port]!]!];
      if (fabric.nodeKind[node] === NodeKind.switch && fabric.nodeKind[peer] === NodeKind.host) withHosts.add(node);
    }
    this.switches = [...withHosts].sort((a, b) => a - b);
  }

  /** Whoever keeps reorder queues: probes are there before it is. */
  use(state: ReorderState | null): void {
    this.state = state;
  }

  sample(timePs: number): boolean {
    const { state } = this;
    if (state === null) return false;
    const { columns } = this.table;
    for (const node of this.switches) {
      const { rows } = this.table;
      columns[ReorderColumn.time]![rows] = timePs;
      columns[ReorderColumn.node]![rows] = node;
      columns[ReorderColumn.queues]![rows] = state.queuesOfSwitch[node]!;
      columns[ReorderColumn.packets]![rows] = state.packetsOfSwitch[node]!;
      columns[ReorderColumn.bytes]![rows] = state.bytesOfSwitch[node]!;
      this.table.commit();
    }
    // every interval counts for shares of time, also those in which nothing happens
    return true;
  }
}
