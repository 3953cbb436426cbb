// Messages of a program that leave no node: they are no transfers, and no record has them.

import { CollectiveStep, collectiveStep, collectiveSteps } from './collective-steps.js';
import type { PlacedProgram } from './placed-program.js';
import { RankOperation, RankOperationKind } from './rank-program.js';

/** Visits every message between two ranks of one node. @param visit ranks, and bytes */
export function visitWithinNodes(
  { program, hosts }: Pick<PlacedProgram, 'program' | 'hosts'>,
  visit: (from: number, to: number, sizeBytes: number) => void,
): void {
  if (new Set(hosts).size === hosts.length) return;
  const operation = new RankOperation();
  const step = new CollectiveStep();
  const told = (from: number, to: number, sizeBytes: number): void => {
    if (to !== from && to >= 0 && hosts[to] === hosts[from]) visit(from, to, sizeBytes);
  };
  for (let rank = 0; rank < program.ranks; rank++)
    for (let index = 0, count = program.operations(rank); index < count; index++) {
      program.read(rank, index, operation);
      switch (operation.kind) {
        case RankOperationKind.send:
        case RankOperationKind.startSend:
          told(rank, operation.peer, operation.sizeBytes);
          break;
        case RankOperationKind.barrier:
        case RankOperationKind.allreduce:
        case RankOperationKind.alltoall:
          for (let i = 0; i < collectiveSteps(operation); i++) {
            collectiveStep(operation, rank, i, step);
            told(rank, step.sendTo, step.sizeBytes);
          }
          break;
        default:
      }
    }
}
