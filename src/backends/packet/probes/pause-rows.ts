// The table of pauses with their causes, written when the run has ended: only then is it known when the last were
// resumed. Memory: the rows, on top of the pauses: 80 MB for the most pauses that are kept.

import type { PauseCauses } from '../../../execution/network-figures.js';
import { interfaceIndex } from '../../../fabric/fabric.js';
import { PauseColumn, pauseTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import { pauseCauses, pauseWays } from './pause-causes.js';
import type { PauseTree } from './pause-tree.js';
import type { ProbeParts } from './probe-parts.js';

export class PauseRows {
  readonly table: TableWriter;
  private nowPs = 0;

  constructor(
    private readonly parts: ProbeParts,
    private readonly tree: PauseTree,
  ) {
    this.table = new TableWriter(pauseTable, parts.sink);
  }

  /** The run has ended: every pause becomes a row. */
  finish(nowPs: number): void {
    this.nowPs = nowPs;
    const { root, depth } = pauseWays(this.tree);
    for (let pause = 0; pause < this.tree.count; pause++) this.write(pause, root[pause]!, depth[pause]!);
  }

  /** What the pauses come to. */
  causes(): PauseCauses {
    return pauseCauses(this.parts.fabric, this.tree, pauseWays(this.tree), this.nowPs);
  }

  private write(pause: number, root: number, depth: number): void {
    const { tree, table } = this;
    const { fabric } = this.parts;
    const port = tree.portOf(pause);
    const upstream = fabric.portPeer[port]!;
    const { columns, rows } = table;
    columns[PauseColumn.pause]![rows] = pause;
    columns[PauseColumn.begin]![rows] = tree.beginPsOf(pause);
    columns[PauseColumn.end]![rows] = tree.endPsOf(pause);
    columns[PauseColumn.node]![rows] = fabric.portNode[port]!;
    columns[PauseColumn.interface]![rows] = interfaceIndex(fabric, port);
    columns[PauseColumn.priority]![rows] = tree.queueOf(pause);
    columns[PauseColumn.pausedNode]![rows] = fabric.portNode[upstream]!;
    columns[PauseColumn.pausedNodeKind]![rows] = fabric.nodeKind[fabric.portNode[upstream]!]!;
    columns[PauseColumn.pausedInterface]![rows] = interfaceIndex(fabric, upstream);
    columns[PauseColumn.causeNode]![rows] = fabric.portNode[tree.causeOf(pause)]!;
    columns[PauseColumn.causeInterface]![rows] = interfaceIndex(fabric, tree.causeOf(pause));
    columns[PauseColumn.parent]![rows] = tree.parentOf(pause);
    columns[PauseColumn.root]![rows] = root;
    columns[PauseColumn.depth]![rows] = depth;
    table.commit();
  }
}
