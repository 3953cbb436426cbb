// The `stragglers` block: ranks of the fabric that compute or receive at a fraction of their speed.
// Invariant: a rank stands there once; speeds are above 0 and at most 1.

import type { Backend } from '../backends/backend.js';
import type { ReceiveBuffer } from '../backends/packet/nic/slow-receivers.js';
import type { Diagnostics } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import { errorAt, nodeAt, type Path, warnOfNoUse } from './located.js';
import { groupText } from '../base/quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt } from './resolve.js';
import { stragglerSettings } from './schema.js';

export interface Stragglers {
  /** by rank of the fabric; null: all at 1 */
  readonly computeSpeed: Float64Array | null;
  /** by node; null: all at 1 */
  readonly receiveSpeed: Float64Array | null;
  /** by node: hosts that drain a receive buffer at their speed and pause their leaf */
  readonly receiveBuffers: ReadonlyMap<number, ReceiveBuffer>;
  readonly resolved: readonly Readonly<Record<string, unknown>>[];
}

/** The stragglers of a scenario. @returns null after at least one error */
export function planStragglers(
  { root, faulty }: Scenario,
  fabric: Fabric,
  backend: Backend,
  diagnostics: Diagnostics,
): Stragglers | null {
  if (faulty.has('stragglers')) return null;
  const list = nodeAt(root, ['stragglers']);
  const count = list?.kind === 'list' ? list.items.length : 0;
  const errorsBefore = diagnostics.errorCount;
  const receiveBuffers = new Map<number, ReceiveBuffer>();
  const seen = new Set<number>();
  const resolved: Record<string, unknown>[] = [];
  const computeSpeed = new Float64Array(fabric.hosts.length).fill(1);
  const receiveSpeed = new Float64Array(fabric.nodeCount).fill(1);
  for (let i = 0; i < count && !diagnostics.full; i++) {
    const path: Path = ['stragglers', i];
    const { rank, compute, receive, receiveBuffer } = groupAt(root, path, stragglerSettings);
    const { place } = nodeAt(root, [...path, 'rank'])!;
    if (rank >= fabric.hosts.length)
      errorAt(diagnostics, 'straggler-rank', place, 'there is no such rank in the fabric', {
        got: String(rank),
        wanted: `a rank from 0 to ${fabric.hosts.length - 1}`,
      });
    else if (seen.has(rank))
      errorAt(diagnostics, 'straggler-rank', place, `rank ${rank} is listed twice`, {
        wanted: 'one line for each rank',
      });
    else {
      computeSpeed[rank] = compute;
      receiveSpeed[fabric.hosts[rank]!] = receive;
      if (receiveBuffer > 0 && receive < 1)
        receiveBuffers.set(fabric.hosts[rank]!, { sizeBytes: receiveBuffer, speed: receive });
    }
    if (compute === 1 && receive === 1)
      warnOfNoUse(diagnostics, root, path, 'the rank computes and receives at full speed');
    if (receiveBuffer > 0 && (receive === 1 || backend.insteadOfPackets !== null))
      warnOfNoUse(
        diagnostics,
        root,
        [...path, 'receiveBuffer'],
        receive === 1
          ? 'the rank receives at full speed'
          : `backend ${backend.name} has no buffers; links to the rank have its speed`,
      );
    seen.add(rank);
    resolved.push(groupText(stragglerSettings, { rank, compute, receive, receiveBuffer }));
  }
  if (diagnostics.errorCount > errorsBefore) return null;
  return {
    computeSpeed: computeSpeed.every((speed) => speed === 1) ? null : computeSpeed,
    receiveSpeed: receiveSpeed.every((speed) => speed === 1) ? null : receiveSpeed,
    receiveBuffers,
    resolved,
  };
}

/**
 * Warns of those who compute slowly but have nothing to compute.
 * @param isBusy by rank of the fabric: a job runs on it
 */
export function warnOfIdleStragglers({ root, faulty }: Scenario, isBusy: Uint8Array, diagnostics: Diagnostics): void {
  const list = nodeAt(root, ['stragglers']);
  if (list?.kind !== 'list' || faulty.has('stragglers')) return;
  for (let i = 0; i < list.items.length; i++) {
    const { rank, compute } = groupAt(root, ['stragglers', i], stragglerSettings);
    if (compute !== 1 && isBusy[rank] !== 1)
      warnOfNoUse(diagnostics, root, ['stragglers', i, 'compute'], `no job runs on rank ${rank}`);
  }
}
