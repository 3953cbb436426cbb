// What a viewer shows of a run beside its figures: the fabric as lines between boxes, the loads of lines and links over time,
// and flows, the slowest first. Plain data in typed arrays, which a worker hands over without a copy.
// Invariant: a line has, in each direction and bin, the highest load of its links, so that none is hidden by others.

import { type Fabric, portAt } from '../../fabric/fabric.js';
import { NodeNames } from '../../fabric/node-names.js';
import { type Box, layOutFabric } from '../../report/page/fabric-layout.js';
import { flowTable, hopTable } from '../../records/flow-records.js';
import { timelineTable } from '../../records/job-records.js';
import { pauseTable } from '../../records/probe-records.js';
import type { TableSchema } from '../../records/schema.js';
import type { RunRecords } from '../../report/page/run-records.js';
import { timelineSvg } from '../../report/timeline-figure.js';
import { binsFor, loadCourses } from './load-courses.js';

/** lines between boxes, and flows, at most */
const mostLines = 1500;
const mostFlows = 2000;

/** The tables that a view is made from, in the order in which they are put. */
export const viewTables: readonly TableSchema[] = [flowTable, hopTable, timelineTable, pauseTable];

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

export interface RunView {
  readonly originPs: number;
  readonly endPs: number;
  readonly bins: number;
  /** switches, hosts or servers, or neighbours of a level */
  readonly boxes: readonly Box[];
  /** of each directed line: the boxes that it leads from and to */
  readonly lineEnds: Int32Array;
  /** by directed line, bin by bin: 255 for all that a link can carry */
  readonly lineLoads: Uint8Array;
  /** links that carried something, the highest load first: `leaf[0] -> spine[1]` */
  readonly links: readonly string[];
  /** by link: its directed line; -1: it is within a box */
  readonly lineOfLink: Int32Array;
  /** by link, bin by bin */
  readonly linkLoads: Uint8Array;
  /** the slowest first */
  readonly flows: readonly ViewFlow[];
  readonly flowCount: number;
  /** the longest first, and how many there were in all; none where nobody recorded them */
  readonly pauses: readonly ViewPause[];
  readonly pauseCount: number;
  /** what each rank did, as SVG; null: there are no ranks */
  readonly timeline: string | null;
  readonly timelineEndPs: number;
  /** what was put together or left out; empty: nothing */
  readonly note: string;
}

/**
 * Makes the view of a run.
 * @param name of the run @param fabric that it ran on @param records of it, their `end` was called @param endPs when it ended
 */
export function runView(name: string, fabric: Fabric, records: RunRecords, endPs: number): RunView {
  const { flows, loads, timeline } = records;
  const names = new NodeNames(fabric);
  const linkName = (port: number): string =>
    `${names.nameOf(fabric.portNode[port]!)} -> ${names.nameOf(fabric.portNeighbour[port]!)}`;
  const layout = layOutFabric(fabric, { mostLines, nameOf: (node) => names.nameOf(node), hasHosts: true });
  const lineEnds = new Int32Array(4 * layout.groups.length);
  const lineOfPort = new Int32Array(fabric.portCount).fill(-1);
  layout.groups.forEach(({ from, to, ports }, group) => {
    lineEnds.set([from, to, to, from], 4 * group);
    for (const port of ports) {
      lineOfPort[port] = 2 * group;
      lineOfPort[fabric.portPeer[port]!] = 2 * group + 1;
    }
  });
  const courses = loads === null ? null : loadCourses(loads, flows, endPs);
  const bins = courses?.bins ?? binsFor(0);
  const ports = courses?.ports ?? new Int32Array(0);
  const linkLoads = courses?.loads ?? new Uint8Array(0);
  const lineLoads = new Uint8Array(2 * layout.groups.length * bins);
  const placeOf = new Map<number, number>();
  for (const [place, port] of ports.entries()) {
    placeOf.set(port, place);
    const line = lineOfPort[port]!;
    if (line < 0) continue;
    for (let bin = 0; bin < bins; bin++) {
      const load = linkLoads[place * bins + bin]!;
      if (load > lineLoads[line * bins + bin]!) lineLoads[line * bins + bin] = load;
    }
  }
  const slowest = Array.from(flows.slowest(mostFlows));
  slowest.reverse();
  return {
    originPs: courses?.originPs ?? 0,
    endPs,
    bins,
    boxes: layout.boxes,
    lineEnds,
    lineLoads,
    links: Array.from(ports, linkName),
    lineOfLink: Int32Array.from(ports, (port) => lineOfPort[port]!),
    linkLoads,
    flows: slowest.map((index) => {
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
    }),
    flowCount: flows.count,
    pauses: records.pauses.longest.map((pause) => {
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
    pauseCount: records.pauses.count,
    timeline: timeline.rows.length === 0 ? null : timelineSvg(name, timeline),
    timelineEndPs: timeline.endPs,
    note: layout.note,
  };
}
