// What runs cost: CPU time beside what their backend says, memory and bytes on disk for a unit of what work-count.ts
// counts.
// Source: the examples on each backend, Node 20.20 on two virtual cores of an x86-64 server (docs/models/forecast.md
// has the table and how it is made anew). A backend that does not say has no known time.

import type { Backend, CountedWork } from '../../backends/backend.js';

/** Until the first flow: routes, columns, code that is compiled. */
const startSeconds = 0.015;
/** the same where jobs run */
const jobStartSeconds = 0.035;

/** CPU seconds of a run on the reference machine; null: nobody knows what its backend takes. */
export function referenceSeconds(backend: Backend, work: CountedWork): number | null {
  const { secondsOf } = backend;
  return secondsOf === undefined ? null : start(work.ranks) + secondsOf(work);
}

function start(ranks: number): number {
  return ranks > 0 ? jobStartSeconds : startSeconds;
}

/** Node with Weft's code, before anything is built. */
const baseMemoryBytes = 80e6;
/** What is allocated and not yet collected while much goes on; of a flow with packets, and of all of them at most. */
const garbageBytes = 30e6;
const packetFlowGarbageBytes = 1000;
const mostFlowGarbageBytes = 100e6;
/** Of a flow under way: its place in the executor and the network. */
const flowBytes = 400;
/** A packet in flight. */
const packetBytes = 32;

/**
 * Peak memory of a run.
 * @param columnBytes of everything that is made before it begins @param together most flows at one moment
 * @param packetsInFlight most that windows allow; 0 without packets
 */
export function memoryBytes(columnBytes: number, flows: number, together: number, packetsInFlight: number): number {
  return (
    baseMemoryBytes +
    columnBytes +
    garbageBytes * Math.min(1, flows / 10_000) +
    (packetsInFlight > 0 ? Math.min(mostFlowGarbageBytes, packetFlowGarbageBytes * flows) : 0) +
    together * flowBytes +
    packetsInFlight * packetBytes
  );
}

/** Bytes of a file: when it is empty, and for each row of its table. */
export interface FileCost {
  readonly file: string;
  readonly emptyBytes: number;
  readonly rowBytes: number;
}

/** By table: the files that are made from it. */
export const tableFiles: Readonly<Record<string, readonly FileCost[]>> = {
  flows: [
    { file: 'flows.parquet', emptyBytes: 2000, rowBytes: 4 },
    { file: 'fct.txt', emptyBytes: 0, rowBytes: 54 },
  ],
  // a row per switch on a path; a line per flow
  hops: [{ file: 'paths.csv', emptyBytes: 41, rowBytes: 24 }],
  timeline: [
    { file: 'timeline.parquet', emptyBytes: 2600, rowBytes: 9 },
    { file: 'timeline.svg', emptyBytes: 1500, rowBytes: 80 },
  ],
  collectives: [{ file: 'collectives.parquet', emptyBytes: 4200, rowBytes: 14 }],
  moves: [{ file: 'moves.parquet', emptyBytes: 1500, rowBytes: 5 }],
  messages: [{ file: 'messages.parquet', emptyBytes: 1500, rowBytes: 8 }],
  requests: [{ file: 'requests.parquet', emptyBytes: 3000, rowBytes: 90 }],
};

/** Largest picture of a timeline. */
export const mostFigureBytes = 5e6;
/** manifest.json and summary.json, and what a job adds to them and in its own file. */
export const descriptionBytes = 13_000;
export const jobDescriptionBytes = 18_000;
/** fabric.topo: a line for each link. */
export const fabricLinkBytes = 28;
