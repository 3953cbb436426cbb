// What a rank does in an iteration: operations in columns, carried out one after the other. The ranks of a pipeline
// stage share one program.
// Invariant: what an operation waits for was started by an operation before it, by the other ranks of the group at the
// same operation, or by another stage.

import { collectiveNames, type CollectiveName, kindsOfCollective } from '../workload/workload.js';
import { groupNames, type GroupName } from '../workload/policies.js';

/**
 * compute: the rank is busy · collective: starts one and waits for it · start: starts one, nobody waits yet
 * · finish: waits for all that the layer has started, then computes its update · send: to another stage, without
 * waiting · receive: waits for what another stage sends
 */
export const Operation = { compute: 0, collective: 1, start: 2, finish: 3, send: 4, receive: 5 } as const;
type OperationKind = (typeof Operation)[keyof typeof Operation];

/** Which pass of a layer an operation is of: those of passNames, and the update. */
export const PassIndex = { forward: 0, inputGradient: 1, weightGradient: 2, update: 3 } as const;
export type PassIndex = (typeof PassIndex)[keyof typeof PassIndex];

export interface Program {
  readonly length: number;
  /** operations of an iteration; those behind it follow the last iteration */
  readonly iterationLength: number;
  readonly kind: Uint8Array;
  /** -1: none */
  readonly layer: Int32Array;
  readonly pass: Uint8Array;
  readonly microBatch: Int32Array;
  /** of a computation or an update, at full speed */
  readonly durationPs: Float64Array;
  /** index into collectiveNames, of a start or a collective; of allreduceThenAlltoall there are two operations */
  readonly collective: Uint8Array;
  /** index into groupNames; of a finish: what its collectives run over */
  readonly group: Uint8Array;
  readonly sizeBytes: Float64Array;
  /** of a send or receive: the other stage, and what tells messages apart */
  readonly stage: Int32Array;
  readonly tag: Int32Array;
  /** 1: in the first iteration there is nothing to finish yet */
  readonly skipsFirst: Uint8Array;
  /** message tags are below it */
  readonly tagCount: number;
}

/** An operation, what it does not need left out. */
interface OperationRow {
  readonly kind: OperationKind;
  readonly layer?: number;
  readonly pass?: PassIndex;
  readonly microBatch: number;
  readonly durationPs?: number;
  readonly collective?: number;
  readonly group?: number;
  readonly sizeBytes?: number;
  readonly stage?: number;
  readonly tag?: number;
  readonly skipsFirst?: number;
}

/** Consecutive operations of a program, such as those of one pass. */
export interface ProgramPart {
  readonly program: Program;
  /** one operation: the first prefetched collective that the part waits for, which an earlier part starts; null: none */
  readonly first: Program | null;
  /** place of the operation where the next prefetched collective of a later part starts; -1: nowhere */
  readonly gap: number;
}

/** Collects operations of a stage. */
export class ProgramBuilder {
  private readonly rows: OperationRow[] = [];
  private iterationLength = -1;
  /** place kept for the start of the next prefetched collective */
  private nextStart = -1;
  /** of the part that is collected */
  private firstPrefetched: OperationRow | null = null;

  /** A computation; one of no length is left out. */
  compute(layer: number, pass: PassIndex, microBatch: number, durationPs: number): void {
    if (durationPs > 0) this.rows.push({ kind: Operation.compute, layer, pass, microBatch, durationPs });
  }

  /** A collective that the rank waits for (`waits`), or one beside which it goes on. One of no bytes is left out. */
  collective(
    layer: number,
    pass: PassIndex,
    microBatch: number,
    collective: CollectiveName,
    group: GroupName,
    sizeBytes: number,
    waits: boolean,
  ): void {
    if (collective === 'none' || sizeBytes === 0) return;
    const kind = waits ? Operation.collective : Operation.start;
    for (const name of kindsOfCollective(collective))
      this.rows.push({ kind, layer, pass, microBatch, ...collectiveOf(name, group, sizeBytes) });
  }

  /**
   * Waits for all that a layer has started, then updates for a time.
   * @param skipsFirst there is nothing to wait for in the first iteration
   */
  finish(
    layer: number,
    pass: PassIndex,
    microBatch: number,
    groupName: GroupName,
    durationPs: number,
    skipsFirst: boolean,
  ): void {
    const what = { group: groupNames.indexOf(groupName), skipsFirst: skipsFirst ? 1 : 0 };
    this.rows.push({ kind: Operation.finish, layer, pass, microBatch, durationPs, ...what });
  }

  /**
   * A collective that gathers parameters: it starts where the one before it was waited for, the first of all where
   * `reserveFirst` says, and is waited for here.
   */
  prefetched(
    layer: number,
    pass: PassIndex,
    microBatch: number,
    collective: CollectiveName,
    group: GroupName,
    sizeBytes: number,
  ): void {
    if (collective === 'none' || sizeBytes === 0) return;
    const start = {
      kind: Operation.start,
      layer,
      pass,
      microBatch,
      ...collectiveOf(collective, group, sizeBytes),
    };
    if (this.nextStart >= 0) this.rows[this.nextStart] = start;
    else this.firstPrefetched ??= start;
    this.finish(layer, pass, microBatch, group, 0, false);
    // a computation of no length, until the next one is known
    this.nextStart = this.rows.push({ kind: Operation.compute, microBatch }) - 1;
  }

  /** The first prefetched collective starts here, before anything else. */
  reserveFirst(): void {
    this.nextStart = this.rows.push({ kind: Operation.compute, microBatch: 0 }) - 1;
  }

  send(microBatch: number, stage: number, tag: number, sizeBytes: number): void {
    this.rows.push({ kind: Operation.send, microBatch, stage, tag, sizeBytes });
  }

  receive(microBatch: number, stage: number, tag: number): void {
    this.rows.push({ kind: Operation.receive, microBatch, stage, tag });
  }

  /** What follows comes after the last iteration, once. */
  endIteration(): void {
    this.iterationLength = this.rows.length;
  }

  build(tagCount: number): Program {
    const { rows, iterationLength } = this;
    return columnsOf(rows, iterationLength < 0 ? rows.length : iterationLength, tagCount);
  }

  /** What was collected since the part before. */
  takePart(): ProgramPart {
    const { rows, firstPrefetched, nextStart } = this;
    const program = columnsOf(rows, rows.length, 0);
    const first = firstPrefetched === null ? null : columnsOf([firstPrefetched], 1, 0);
    rows.length = 0;
    this.nextStart = -1;
    this.firstPrefetched = null;
    return { program, first, gap: nextStart };
  }
}

function columnsOf(rows: readonly OperationRow[], iterationLength: number, tagCount: number): Program {
  const { length } = rows;
  const program = {
    length,
    iterationLength,
    kind: new Uint8Array(length),
    layer: new Int32Array(length),
    pass: new Uint8Array(length),
    microBatch: new Int32Array(length),
    durationPs: new Float64Array(length),
    collective: new Uint8Array(length),
    group: new Uint8Array(length),
    sizeBytes: new Float64Array(length),
    stage: new Int32Array(length),
    tag: new Int32Array(length),
    skipsFirst: new Uint8Array(length),
    tagCount,
  };
  for (let i = 0; i < length; i++) {
    const row = rows[i]!;
    program.kind[i] = row.kind;
    program.layer[i] = row.layer ?? -1;
    program.pass[i] = row.pass ?? 0;
    program.microBatch[i] = row.microBatch;
    program.durationPs[i] = row.durationPs ?? 0;
    program.collective[i] = row.collective ?? 0;
    program.group[i] = row.group ?? 0;
    program.sizeBytes[i] = row.sizeBytes ?? 0;
    program.stage[i] = row.stage ?? -1;
    program.tag[i] = row.tag ?? -1;
    program.skipsFirst[i] = row.skipsFirst ?? 0;
  }
  return program;
}

function collectiveOf(collective: CollectiveName, group: GroupName, sizeBytes: number) {
  return { collective: collectiveNames.indexOf(collective), group: groupNames.indexOf(group), sizeBytes };
}
