// What a viewer shows of a run beside its figures: the fabric as lines between boxes, the loads of lines and links over time,
// and flows, the slowest first. Plain data in typed arrays, which a worker hands over without a copy.
// Invariant: a line has, in each direction and bin, the highest load of its links, so that none is hidden by others.

import { type Fabric, portAt } from '../../fabric/fabric.js';
import { NodeNames } from '../../fabric/node-names.js';
import { type Box, layOutFabric } from '../../report/page/fabric-layout.js';
import { pauseTable } from '../../records/probe-records.js';
import type { TableSchema } from '../../records/schema.js';
import { congestedPlots } from '../../report/page/congested-plots.js';
import { type ReportSection, sectionsOf } from '../../report/page/report.js';
import type { ReportRun } from '../../report/page/report-run.js';
import { reportTables } from '../../report/page/run-records.js';
import { timelineSvg } from '../../report/timeline-figure.js';
import { binsFor, loadCourses } from './load-courses.js';
import { queueCourses } from './queue-courses.js';

/** lines between boxes, and flows, at most */
const mostLines = 1500;
const mostFlows = 2000;

/** The tables that a view is made from, in the order in which they are put. */
export const viewTables: readonly TableSchema[] = [...reportTables, pauseTable];

/** A flow in a list. */
export interface ViewFlow {
  readonly flow: number;
  readonly source: string;
  readonly destination: string;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly finishPs: number;
  readonly slowdown: number;
  /** places of its links in `links` */
  readonly links: readonly number[];
}

/** A link that was told to wait. */
interface ViewPause {
  /** `host[0] -> leaf[0]`: what its end wanted to send */
  readonly link: string;
  /** its place in `links`; -1: it carried nothing */
  readonly place: number;
  readonly beginPs: number;
  readonly endPs: number;
  /** what was full: `leaf[0] -> host[9]` */
  readonly cause: string;
  /** pauses between it and the output at which it all began */
  readonly depth: number;
}

/** A drawing with what it says. */
interface ViewDrawing {
  readonly title: string;
  readonly svg: string;
  readonly reading: string;
}

/** The picture of a fabric: lines between boxes, which are switches, hosts or servers, or neighbours of a level. */
export interface FabricDrawing {
  readonly boxes: readonly Box[];
  /** of each directed line: the boxes that it leads from and to */
  readonly lineEnds: ArrayLike<number>;
  /** what was put together or left out; empty: nothing */
  readonly note: string;
}

/** Lays a fabric out. @returns its picture, and the directed line of each port; -1: it is within a box */
export function drawingOfFabric(fabric: Fabric, names: NodeNames): FabricDrawing & { readonly lineOfPort: Int32Array } {
  const layout = layOutFabric(fabric, { mostLines, nameOf: (node) => names.nameOf(node), hasHosts: true });
  const lineOfPort = new Int32Array(fabric.portCount).fill(-1);
  layout.groups.forEach(({ ports }, group) => {
    for (const port of ports) {
      lineOfPort[port] = 2 * group;
      lineOfPort[fabric.portPeer[port]!] = 2 * group + 1;
    }
  });
  const lineEnds = layout.groups.flatMap(({ from, to }) => [from, to, to, from]);
  return { boxes: layout.boxes, lineEnds, note: layout.note, lineOfPort };
}

export interface RunView extends FabricDrawing {
  readonly originPs: number;
  readonly endPs: number;
  readonly bins: number;
  readonly lineEnds: Int32Array;
  /** by directed line, bin by bin: 255 for all that a link can carry */
  readonly lineLoads: Uint8Array;
  /** links that carried something, the highest load first: `leaf[0] -> spine[1]` */
  readonly links: readonly string[];
  /** by link: its directed line; -1: it is within a box */
  readonly lineOfLink: Int32Array;
  /** by link, bin by bin */
  readonly linkLoads: Uint8Array;
  /** what waited at the sending end, by line and by link, bin by bin: 255 for `longestQueueBytes`; empty: not known */
  readonly lineQueues: Uint8Array;
  readonly linkQueues: Uint8Array;
  readonly longestQueueBytes: number;
  /** the slowest first */
  readonly flows: readonly ViewFlow[];
  readonly flowCount: number;
  /** the longest first, and how many there were in all; none where nobody recorded them */
  readonly pauses: readonly ViewPause[];
  readonly pauseCount: number;
  /** what each rank did, as SVG; null: there are no ranks */
  readonly timeline: string | null;
  readonly timelineEndPs: number;
  /** the charts of its report */
  readonly sections: readonly ReportSection[];
  /** where samples in packets met congestion */
  readonly congestion: readonly ViewDrawing[];
}

/**
 * Makes the view of a run.
 * @param run its records are whole @param fabric that it ran on @param endPs when it ended
 */
export function runView(run: ReportRun, fabric: Fabric, endPs: number): RunView {
  const { flows, loads, timeline, queues, pauses } = run.records;
  const names = new NodeNames(fabric);
  const linkName = (port: number): string =>
    `${names.nameOf(fabric.portNode[port]!)} -> ${names.nameOf(fabric.portNeighbour[port]!)}`;
  const { boxes, lineEnds, note, lineOfPort } = drawingOfFabric(fabric, names);
  const lines = lineEnds.length / 2;
  const courses = loads === null ? null : loadCourses(loads, flows, endPs);
  const bins = courses?.bins ?? binsFor(0);
  const originPs = courses?.originPs ?? 0;
  const ports = courses?.ports ?? new Int32Array(0);
  const linkLoads = courses?.loads ?? new Uint8Array(0);
  const waiting = queueCourses(queues, fabric, ports, { bins, originPs, endPs });
  const lineOfLink = Int32Array.from(ports, (port) => lineOfPort[port]!);
  const placeOf = new Map(Array.from(ports, (port, place) => [port, place]));
  const plots = congestedPlots([run]).filter((plot) => plot !== null);
  return {
    originPs,
    endPs,
    bins,
    boxes,
    lineEnds: Int32Array.from(lineEnds),
    lineLoads: highestByLine(linkLoads, lineOfLink, lines, bins),
    links: Array.from(ports, linkName),
    lineOfLink,
    linkLoads,
    lineQueues: highestByLine(waiting.levels, lineOfLink, lines, bins),
    linkQueues: waiting.levels,
    longestQueueBytes: waiting.longestBytes,
    flows: slowestFlows(run, names, placeOf),
    flowCount: flows.count,
    pauses: pauses.longest.map((pause) => {
      const paused = portAt(fabric, pause.pausedNode, pause.pausedInterface);
      const cause = portAt(fabric, pause.causeNode, pause.causeInterface);
      return {
        link: paused < 0 ? '' : linkName(paused),
        place: placeOf.get(paused) ?? -1,
        beginPs: pause.beginPs,
        endPs: Math.min(pause.endPs, endPs),
        cause: cause < 0 ? '' : linkName(cause),
        depth: pause.depth,
      };
    }),
    pauseCount: pauses.count,
    timeline: timeline.rows.length === 0 ? null : timelineSvg(run.label, timeline),
    timelineEndPs: timeline.endPs,
    sections: sectionsOf([run]).filter(({ figures }) => figures.length > 0),
    congestion: plots.map(({ title, svg, reading }) => ({ title, svg, reading })),
    note: [note, queues.beyond === 0 ? '' : `Queues are those of ${queues.count} ports; others had some, too.`]
      .filter(Boolean)
      .join(' '),
  };
}

/** Of links that share a line the highest level of each bin; none without levels. */
function highestByLine(levels: Uint8Array, lineOfLink: Int32Array, lines: number, bins: number): Uint8Array {
  const highest = new Uint8Array(levels.length === 0 ? 0 : lines * bins);
  if (levels.length === 0) return highest;
  for (const [place, line] of lineOfLink.entries()) {
    if (line < 0) continue;
    for (let bin = 0; bin < bins; bin++) {
      const level = levels[place * bins + bin]!;
      if (level > highest[line * bins + bin]!) highest[line * bins + bin] = level;
    }
  }
  return highest;
}

function slowestFlows({ records }: ReportRun, names: NodeNames, placeOf: ReadonlyMap<number, number>): ViewFlow[] {
  const { flows, loads } = records;
  const slowest = flows.slowest(mostFlows);
  slowest.reverse();
  return Array.from(slowest, (index) => {
    const own: number[] = [];
    loads?.forEachPort(index, (port) => own.push(placeOf.get(port)!));
    return {
      flow: flows.flow.values[index]!,
      source: names.nameOf(flows.source.values[index]!),
      destination: names.nameOf(flows.destination.values[index]!),
      sizeBytes: flows.sizeBytes.values[index]!,
      startPs: flows.startPs.values[index]!,
      finishPs: flows.finishPs.values[index]!,
      slowdown: flows.slowdown(index),
      links: own,
    };
  });
}
