// Programs over a network without links: a transfer arrives after a latency and its bytes at a rate, whatever else goes
// on. Times of programs follow from that by hand.

import { MemorySink } from '../../src/records/memory-sink.js';
import { type Machine, machineSettings } from '../../src/programs/machine.js';
import type { PlacedProgram } from '../../src/programs/placed-program.js';
import type { ProgramReport } from '../../src/programs/program-report.js';
import { ProgramWork } from '../../src/programs/program-work.js';
import { type RankOperation, RankOperationKind, type RankProgram } from '../../src/programs/rank-program.js';
import { groupDefaults } from './setting-defaults.js';

/** Each transfer as it began: number, source, destination, bytes, start. */
type SentTransfer = readonly [id: number, source: number, destination: number, bytes: number, startPs: number];

export interface IdealRun {
  readonly reports: readonly ProgramReport[];
  readonly sent: readonly SentTransfer[];
  readonly records: MemorySink;
  readonly work: ProgramWork;
}

/** A machine whose software takes no time, and memory neither, but for what is changed. */
export function bareMachine(changes: Partial<Machine> = {}): Machine {
  return {
    ...groupDefaults(machineSettings),
    sendOverhead: 0,
    receiveOverhead: 0,
    memoryLatency: 0,
    memoryRate: 8e18,
    ...changes,
  };
}

/** A program with a rank on each node, or as `hosts` says. */
export function placed(program: RankProgram, changes: Partial<PlacedProgram> = {}): PlacedProgram {
  return {
    name: 'p',
    kind: 'test',
    program,
    hosts: Int32Array.from({ length: program.ranks }, (_, rank) => rank),
    machine: bareMachine(),
    computeSpeed: null,
    startPs: 0,
    trafficClass: 0,
    ...changes,
  };
}

/** Runs programs until nothing happens any more. */
export function runIdeally(programs: readonly PlacedProgram[], latencyPs: number, psPerByte: number): IdealRun {
  const records = new MemorySink();
  const work = new ProgramWork(programs, records);
  const sent: SentTransfer[] = [];
  const arrivals: { id: number; atPs: number }[] = [];
  const sink = {
    transfer: (id: number, source: number, destination: number, bytes: number, startPs: number) => {
      sent.push([id, source, destination, bytes, startPs]);
      arrivals.push({ id, atPs: startPs + latencyPs + bytes * psPerByte });
      arrivals.sort((a, b) => a.atPs - b.atPs || a.id - b.id);
    },
  };
  let nowPs = 0;
  for (;;) {
    const arrivalPs = arrivals[0]?.atPs ?? Infinity;
    const nextPs = work.nextStartPs();
    if (arrivalPs === Infinity && nextPs === Infinity) break;
    nowPs = Math.min(arrivalPs, nextPs);
    if (nextPs <= arrivalPs) work.expand(nowPs, sink);
    else work.transferFinished(arrivals.shift()!.id, nowPs, sink);
  }
  return { reports: work.reports(nowPs), sent, records, work };
}

/** An operation as a test writes it. */
export type WrittenOperation = (into: RankOperation) => void;

export const busy =
  (timePs: number): WrittenOperation =>
  (into) =>
    into.compute(timePs);
export const sends =
  (peer: number, bytes: number, tag = 0): WrittenOperation =>
  (into) =>
    into.message(RankOperationKind.send, peer, bytes, tag);
export const receives =
  (peer: number, bytes: number, tag = 0): WrittenOperation =>
  (into) =>
    into.message(RankOperationKind.receive, peer, bytes, tag);
export const startsSend =
  (peer: number, bytes: number, tag = 0): WrittenOperation =>
  (into) =>
    into.message(RankOperationKind.startSend, peer, bytes, tag);
export const startsReceive =
  (peer: number, bytes: number, tag = 0): WrittenOperation =>
  (into) =>
    into.message(RankOperationKind.startReceive, peer, bytes, tag);
export const waits: WrittenOperation = (into) => into.waitAll();

/** A program of operations written down, rank by rank. */
export function written(...ranks: readonly (readonly WrittenOperation[])[]): RankProgram {
  return {
    ranks: ranks.length,
    phases: ['all'],
    operations: (rank) => ranks[rank]!.length,
    read: (rank, index, into) => {
      into.phase = 0;
      ranks[rank]![index]!(into);
    },
  };
}
