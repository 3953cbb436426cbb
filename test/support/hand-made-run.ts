// Records, figures and a plan made by hand, for tests of what stands around a simulation.

import { packetBackend } from '../../src/backends/packet/packet-backend.js';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import type { Progress, RunSummary } from '../../src/app/run-progress.js';
import type { SimulateOptions } from '../../src/app/simulate.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { TransferList } from '../../src/flows/transfer-list.js';
import type { InferenceReport } from '../../src/inference/inference-report.js';
import { flowTable, hopTable } from '../../src/records/flow-records.js';
import { TableWriter, type RecordSink } from '../../src/records/schema.js';
import type { Plan } from '../../src/scenario/plan.js';
import type { RunIdentity } from '../../src/storage/manifest.js';

/** One flow with its path, as the records tell it. */
export interface FlowFact {
  readonly flowId: number;
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly finishPs: number;
  readonly idealPs: number;
  /** node:interface of each switch */
  readonly hops: readonly (readonly [number, number])[];
}

/** Flow i of a burst between two servers: GPU i -> GPU i + 8 over a spine of choice. */
export function burstFlow(flowId: number, spine: number, sourcePort: number, completionPs: number): FlowFact {
  const hops = [
    [18, spine - 11],
    [spine, 2],
    [19, flowId + 1],
  ] as const;
  return {
    flowId,
    source: flowId,
    destination: flowId + 8,
    sourcePort,
    sizeBytes: 10_485_760,
    startPs: 0,
    finishPs: completionPs,
    idealPs: 850_591_000,
    hops,
  };
}

/** Writes the facts to a sink as the two tables of a run. */
export async function writeFacts(sink: RecordSink, facts: Iterable<FlowFact>): Promise<void> {
  const flows = new TableWriter(flowTable, sink);
  const hops = new TableWriter(hopTable, sink);
  for (const fact of facts) {
    for (const [hop, [node, port]] of fact.hops.entries()) {
      for (const [i, value] of [
        fact.flowId,
        fact.source,
        fact.destination,
        fact.sourcePort,
        100,
        hop,
        node,
        port,
      ].entries())
        hops.columns[i]![hops.rows] = value;
      hops.commit();
    }
    for (const [i, value] of [
      fact.flowId,
      fact.source,
      fact.destination,
      fact.sourcePort,
      100,
      fact.sizeBytes,
      fact.startPs,
      fact.finishPs,
      fact.idealPs,
    ].entries())
      flows.columns[i]![flows.rows] = value;
    flows.commit();
    if (sink.full) await sink.drain();
  }
  flows.flush();
  hops.flush();
}

/** Figures of a run, with changes. */
export function figuresWith(changes: Partial<RunSummary> = {}): RunSummary {
  return {
    backend: 'packet',
    insteadOfPackets: null,
    sendsCollectives: true,
    outcome: 'finished',
    flows: 8,
    finished: 8,
    unfinished: null,
    fct: { meanNs: 1_271_100, p50Ns: 849_720, p99Ns: 1_692_512, maxNs: 1_692_512 },
    slowdown: { mean: 1.5, p50: 1, p99: 2, max: 2 },
    collisions: { links: 4, flowPairs: 2, exact: true },
    lostTime: { lostPs: 0, alonePs: 0, causes: [], places: [], slowLinks: [] },
    jobs: [],
    programs: [],
    transferJobs: [],
    fastForward: null,
    simulatedPs: 1_692_512_000,
    controller: null,
    pins: null,
    inference: null,
    failures: null,
    counters: {
      events: 1000,
      packetHops: 56_192,
      dataPacketsSent: 9328,
      dataPacketsDelivered: 9328,
      acknowledgementsSent: 9328,
      acknowledgementsDelivered: 9328,
      packetsDropped: 0,
      packetsLost: 0,
      ecnMarks: 0,
      pauseFrames: 0,
      resumeFrames: 0,
      pauseRefreshes: 0,
      pausesExpired: 0,
      pauseFramesLost: 0,
      retransmittedBytes: 0,
      timeouts: 0,
      timeoutWaitPs: 0,
      longestTimeoutWaitPs: 0,
      duplicatePackets: 0,
      notifications: 0,
      payloadBytesDelivered: 83_886_080,
      peakPacketsInFlight: 100,
    },
    unmarked: null,
    watchdog: null,
    pauses: [],
    probes: null,
    verdicts: [
      { name: 'conservation', ok: true, detail: 'sent = delivered' },
      { name: 'buffers-empty', ok: true, detail: '' },
    ],
    digest: '0123456789abcdef'.repeat(4),
    cpuSeconds: 0.125,
    wallSeconds: 0.25,
    peakMemoryBytes: 87_654_321,
    ...changes,
  };
}

/** What a manifest says about a run, with changes. */
export function identityWith(changes: Partial<RunIdentity> = {}): RunIdentity {
  return {
    weftVersion: '9.9.9',
    name: 'hand-made',
    seed: 7,
    resolved: { fabric: { gpus: 16 } },
    warnings: [],
    inputs: [],
    tables: [flowTable, hopTable],
    jobs: [],
    ...changes,
  };
}

/** A plan that nothing runs. */
export function emptyPlan(changes: Partial<Plan> = {}): Plan {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addLink(0, 1, 100e9, 1000);
  return {
    name: 'hand-made',
    seed: 7,
    backend: packetBackend,
    fabric: builder.build(),
    identity: null,
    source: new TransferList(),
    paces: null,
    programs: [],
    transferJobs: [],
    sourcePorts: null,
    lanes: null,
    pins: [],
    inference: null,
    jobs: [],
    collectives: {
      profile: 'nccl',
      algorithm: 'auto',
      protocol: 'auto',
      nvls: true,
      pxn: false,
      collnet: false,
      channels: 0,
    },
    timeline: { ranks: 'stages', moves: false },
    routing: { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' },
    controller: {
      enabled: false,
      policy: 'first-fit',
      delay: 0,
      requestRate: 0,
      share: 1,
      pollInterval: 1e8,
      reassign: true,
    },
    failures: {
      convergencePs: 0,
      changes: {
        count: 0,
        timePs: new Float64Array(0),
        link: new Int32Array(0),
        kind: new Uint8Array(0),
        value: new Float64Array(0),
      },
    },
    cost: null,
    sendLatencyPs: 0,
    stopPs: Infinity,
    packet: defaultPacketSettings(),
    settings: {},
    tables: [flowTable, hopTable],
    inputs: [],
    warnings: [],
    withoutEffect: new Set(),
    given: new Set<string>(),
    resolved: { name: 'hand-made' },
    ...changes,
  };
}

/** A simulate that writes the given facts and returns the given figures. */
export function scriptedSimulate(
  facts: readonly FlowFact[],
  figures: RunSummary,
): (plan: Plan, options: SimulateOptions) => Promise<RunSummary> {
  return async (_plan, options) => {
    if (options.sink !== undefined) await writeFacts(options.sink, facts);
    return figures;
  };
}

/** A point of progress, with changes. */
export function progressWith(changes: Partial<Progress> = {}): Progress {
  return {
    nowPs: 5e9,
    flowsStarted: 100,
    flowsFinished: 40,
    flowsTotal: 200,
    packetHops: 3e6,
    cpuSeconds: 4,
    wallSeconds: 4,
    share: 0.25,
    ...changes,
  };
}

function times(meanNs: number) {
  return { meanNs, p50Ns: meanNs, p99Ns: 2 * meanNs, maxNs: 2 * meanNs };
}

/** What serving two requests came to. @param finished of them @param waitNs for keys and values */
export function inferenceWith(finished = 2, waitNs = 500): InferenceReport {
  return {
    requests: 2,
    finished,
    prefillInstances: 1,
    decodeInstances: 1,
    ranks: 8,
    cacheBytes: 1,
    wait: times(0),
    prefill: times(1),
    exposedTransfer: times(waitNs),
    transfer: times(waitNs),
    timeToFirstToken: times(10 * waitNs),
    request: times(1),
    nicShare: { mean: 1, least: 1 },
  };
}
