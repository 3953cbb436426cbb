// Figures of a run that settings make larger or smaller.

import { LinkSampleColumn, linkCountTable, linkSampleTable } from '#weft/sampling/sample-records.js';
import { lanePollTable, PortPollColumn, portPollTable } from '#weft/records/poll-records.js';
import {
  bandwidthTable,
  notificationTable,
  packetLatencyTable,
  pauseTable,
  pfcEventTable,
  portCounterTable,
  queueTable,
  rateTable,
  reorderTable,
} from '../../../src/records/probe-records.js';
import { packetLossTable } from '../../../src/records/loss-records.js';
import { moveTable, timelineTable } from '../../../src/records/job-records.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../../../src/records/flow-records.js';
import { packetCounters } from '../../support/packet-counters.js';
import type { ScenarioRun } from '../../support/scenario-run.js';

export type Figure = (run: ScenarioRun) => number;

/** Mean time from start to finish of the flows, ns. */
export const meanCompletion: Figure = ({ summary }) => summary.fct.meanNs;

export const marks: Figure = ({ summary }) => packetCounters(summary).ecnMarks;
export const notifications: Figure = ({ summary }) => packetCounters(summary).notifications;
export const acknowledgements: Figure = ({ summary }) => packetCounters(summary).acknowledgementsSent;
export const drops: Figure = ({ summary }) => packetCounters(summary).packetsDropped;
export const losses: Figure = ({ summary }) => packetCounters(summary).packetsLost;
export const pauses: Figure = ({ summary }) => packetCounters(summary).pauseFrames;
export const refreshes: Figure = ({ summary }) => packetCounters(summary).pauseRefreshes;
export const retransmissions: Figure = ({ summary }) => packetCounters(summary).retransmittedBytes;
export const packets: Figure = ({ summary }) => packetCounters(summary).dataPacketsSent;
export const inFlight: Figure = ({ summary }) => packetCounters(summary).peakPacketsInFlight;
export const finished: Figure = ({ summary }) => summary.finished;
export const collisions: Figure = ({ summary }) => summary.collisions.flowPairs;

/** What the parts of the fabric cost. */
export const cost: Figure = ({ summary }) => summary.cost ?? 0;

/** When the first and the last flow started, ps. */
export const start: Figure = ({ sink }) => Math.min(...sink.column(flowTable, FlowColumn.start));
export const latestStart: Figure = ({ sink }) => Math.max(...sink.column(flowTable, FlowColumn.start));

/** Time from start to finish of flow 2 (of scenario `crossed`, the one against the others), ps. */
export const reverseCompletion: Figure = ({ sink }) => {
  const row = sink.column(flowTable, FlowColumn.flow).indexOf(2);
  return sink.column(flowTable, FlowColumn.finish)[row]! - sink.column(flowTable, FlowColumn.start)[row]!;
};

/** Mean time to the first token, and of the last, ns. */
export const firstToken: Figure = ({ summary }) => summary.inference!.timeToFirstToken.meanNs;
export const lastToken: Figure = ({ summary }) => summary.inference!.request.meanNs;

/** Time of the slowest rank of the first job, ps. */
export const jobTime: Figure = ({ summary }) => summary.jobs[0]!.totalPs.maximum;

/** Payload of all flows, bytes; numbers of their hosts, summed up. */
export const payload: Figure = ({ sink }) => sum(sink.column(flowTable, FlowColumn.size));
export const sources: Figure = ({ sink }) => sum(sink.column(flowTable, FlowColumn.source));
export const destinations: Figure = ({ sink }) => sum(sink.column(flowTable, FlowColumn.destination));

/** Numbers of the switches on all paths, summed up. */
export const switchesPassed: Figure = ({ sink }) => sum(sink.column(hopTable, HopColumn.node));

/** Flows from one server of eight GPUs to another. */
export const betweenServers: Figure = ({ sink }) =>
  sink
    .column(flowTable, FlowColumn.source)
    .reduce(
      (count, source, row) =>
        count +
        (Math.floor(source / 8) === Math.floor(sink.column(flowTable, FlowColumn.destination)[row]! / 8) ? 0 : 1),
      0,
    );

export const timelineRows: Figure = ({ sink }) => sink.rowCount(timelineTable);
export const moveRows: Figure = ({ sink }) => sink.rowCount(moveTable);

/** Rows of the probes' tables. */
export const reorderRows: Figure = ({ sink }) => sink.rowCount(reorderTable);
export const queueRows: Figure = ({ sink }) => sink.rowCount(queueTable);
export const bandwidthRows: Figure = ({ sink }) => sink.rowCount(bandwidthTable);
export const rateRows: Figure = ({ sink }) => sink.rowCount(rateTable);
export const notificationRows: Figure = ({ sink }) => sink.rowCount(notificationTable);
export const latencyRows: Figure = ({ sink }) => sink.rowCount(packetLatencyTable);
export const pfcRows: Figure = ({ sink }) => sink.rowCount(pfcEventTable);
export const pauseRows: Figure = ({ sink }) => sink.rowCount(pauseTable);
export const lossRows: Figure = ({ sink }) => sink.rowCount(packetLossTable);
export const counterRows: Figure = ({ sink }) => sink.rowCount(portCounterTable);

export const sampleRows: Figure = ({ sink }) => sink.rowCount(linkSampleTable);
export const portPollRows: Figure = ({ sink }) => sink.rowCount(portPollTable);
export const lanePollRows: Figure = ({ sink }) => sink.rowCount(lanePollTable);
export const narrowCounters: Figure = ({ sink }) =>
  sink.column(portPollTable, PortPollColumn.isWide).filter((isWide) => isWide === 0).length;
export const waitTicks: Figure = ({ sink }) => sum(sink.column(portPollTable, PortPollColumn.waitTicks));
export const readingTimes: Figure = ({ sink }) => new Set(sink.column(portPollTable, PortPollColumn.time)).size;
export const linkCountRows: Figure = ({ sink }) => sink.rowCount(linkCountTable);
export const samplesTaken: Figure = ({ sink }) => sum(sink.column(linkSampleTable, LinkSampleColumn.samples));
export const sampledTraffic: Figure = ({ sink }) => sum(sink.column(linkSampleTable, LinkSampleColumn.traffic));
export const sampledCongestion: Figure = ({ sink }) => sum(sink.column(linkSampleTable, LinkSampleColumn.congested));

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
