// What a rank does in an iteration: operations in columns, carried out one after the other. The ranks of a pipeline
// stage share one program.
// Invariant: what an operation waits for was started by an operation before it, by the other ranks of the group at the
// same operation, or by another stage.

import { Float64List, Int32List } from '../base/columns.js';
import { collectiveNames, type CollectiveName, kindsOfCollective } from '../workload/workload.js';
import { groupNames, type GroupName } from '../workload/policies.js';

/**
 * compute: the rank is busy · collective: starts one and waits for it · start: starts one, nobody waits yet
 * · finish: waits for all that the layer has started, then computes its update · send: to another stage, without
 * waiting · receive: waits for what another stage sends
 */
export const Operation = { compute: 0, collective: 1, start: 2, finish: 3, send: 4, receive: 5 } as const;
export type OperationKind = (typeof Operation)[keyof typeof Operation];

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

/** Collects operations of a stage. */
export class ProgramBuilder {
  private readonly kind = new Int32List();
  private readonly layer = new Int32List();
  private readonly pass = new Int32List();
  private readonly microBatch = new Int32List();
  private readonly durationPs = new Float64List();
  private readonly collectiveIndex = new Int32List();
  private readonly group = new Int32List();
  private readonly sizeBytes = new Float64List();
  private readonly stage = new Int32List();
  private readonly tag = new Int32List();
  private readonly skipsFirst = new Int32List();
  private iterationLength = -1;
  /** place kept for the start of the next prefetched collective */
  private nextStart = -1;

  /** A computation; one of no length is left out. */
  compute(layer: number, pass: PassIndex, microBatch: number, durationPs: number): void {
    if (durationPs > 0) this.add(Operation.compute, { layer, pass, microBatch, durationPs });
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
      this.add(kind, {
        layer,
        pass,
        microBatch,
        collective: collectiveNames.indexOf(name),
        group: groupNames.indexOf(group),
        sizeBytes,
      });
  }

  /**
   * Waits for all that a layer has started, then updates for a time.
   * @param skipsFirst there is nothing to wait for in the first iteration
   */
  finish(
    layer: number,
    pass: PassIndex,
    microBatch: number,
    group: GroupName,
    updatePs: number,
    skipsFirst: boolean,
  ): void {
    this.add(Operation.finish, {
      layer,
      pass,
      microBatch,
      durationPs: updatePs,
      group: groupNames.indexOf(group),
      skipsFirst: skipsFirst ? 1 : 0,
    });
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
      layer,
      pass,
      microBatch,
      collective: collectiveNames.indexOf(collective),
      group: groupNames.indexOf(group),
      sizeBytes,
    };
    this.fill(this.nextStart, start);
    this.finish(layer, pass, microBatch, group, 0, false);
    this.nextStart = this.kind.length;
    // a computation of no length, until the next one is known
    this.add(Operation.compute, { microBatch });
  }

  /** The first prefetched collective starts here, before anything else. */
  reserveFirst(): void {
    this.nextStart = this.kind.length;
    this.add(Operation.compute, { microBatch: 0 });
  }

  /** Turns the place that was kept for it into the start of a collective. */
  private fill(
    at: number,
    start: { layer: number; pass: number; microBatch: number; collective: number; group: number; sizeBytes: number },
  ): void {
    this.kind.values[at] = Operation.start;
    this.layer.values[at] = start.layer;
    this.pass.values[at] = start.pass;
    this.microBatch.values[at] = start.microBatch;
    this.collectiveIndex.values[at] = start.collective;
    this.group.values[at] = start.group;
    this.sizeBytes.values[at] = start.sizeBytes;
  }

  send(microBatch: number, stage: number, tag: number, sizeBytes: number): void {
    this.add(Operation.send, { microBatch, stage, tag, sizeBytes });
  }

  receive(microBatch: number, stage: number, tag: number): void {
    this.add(Operation.receive, { microBatch, stage, tag });
  }

  /** What follows comes after the last iteration, once. */
  endIteration(): void {
    this.iterationLength = this.kind.length;
  }

  build(tagCount: number): Program {
    return {
      length: this.kind.length,
      iterationLength: this.iterationLength < 0 ? this.kind.length : this.iterationLength,
      kind: bytes(this.kind),
      layer: this.layer.toArray(),
      pass: bytes(this.pass),
      microBatch: this.microBatch.toArray(),
      durationPs: this.durationPs.toArray(),
      collective: bytes(this.collectiveIndex),
      group: bytes(this.group),
      sizeBytes: this.sizeBytes.toArray(),
      stage: this.stage.toArray(),
      tag: this.tag.toArray(),
      skipsFirst: bytes(this.skipsFirst),
      tagCount,
    };
  }

  private add(
    kind: OperationKind,
    given: {
      layer?: number;
      pass?: PassIndex;
      microBatch: number;
      durationPs?: number;
      collective?: number;
      group?: number;
      sizeBytes?: number;
      stage?: number;
      tag?: number;
      skipsFirst?: number;
    },
  ): void {
    this.kind.push(kind);
    this.layer.push(given.layer ?? -1);
    this.pass.push(given.pass ?? 0);
    this.microBatch.push(given.microBatch);
    this.durationPs.push(given.durationPs ?? 0);
    this.collectiveIndex.push(given.collective ?? 0);
    this.group.push(given.group ?? 0);
    this.sizeBytes.push(given.sizeBytes ?? 0);
    this.stage.push(given.stage ?? -1);
    this.tag.push(given.tag ?? -1);
    this.skipsFirst.push(given.skipsFirst ?? 0);
  }
}

function bytes(list: Int32List): Uint8Array {
  return Uint8Array.from(list.toArray());
}
