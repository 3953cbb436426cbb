// The `stragglers` block: ranks of the fabric that compute or receive at a fraction of their speed.
// Invariant: a rank stands there once; speeds are above 0 and at most 1.

import { Section } from '../form/section.js';
import type { Backend } from '../../backends/backend.js';
import type { ReceiveBuffer } from '../../backends/packet/settings.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import { groupText } from '../../base/quantity-text.js';
import type { Scenario } from '../form/read-scenario.js';
import { stragglerSettings } from '../form/schema.js';

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
  const block = new Section(root, ['stragglers'], diagnostics);
  const receiveBuffers = new Map<number, ReceiveBuffer>();
  const seen = new Set<number>();
  const resolved: Record<string, unknown>[] = [];
  const computeSpeed = new Float64Array(fabric.hosts.length).fill(1);
  const receiveSpeed = new Float64Array(fabric.nodeCount).fill(1);
  for (let i = 0; i < block.count() && !block.full; i++) {
    const line = block.at(i);
    const { rank, compute, receive, receiveBuffer } = line.group(stragglerSettings);
    if (rank >= fabric.hosts.length)
      line.error('rank', 'straggler-rank', 'there is no such rank in the fabric', {
        got: String(rank),
        wanted: `a rank from 0 to ${fabric.hosts.length - 1}`,
      });
    else if (seen.has(rank))
      line.error('rank', 'straggler-rank', `rank ${rank} is listed twice`, {
        wanted: 'one line for each rank',
      });
    else {
      computeSpeed[rank] = compute;
      receiveSpeed[fabric.hosts[rank]!] = receive;
      if (receiveBuffer > 0 && receive < 1)
        receiveBuffers.set(fabric.hosts[rank]!, { sizeBytes: receiveBuffer, speed: receive });
    }
    if (compute === 1 && receive === 1) line.noUse([], 'the rank computes and receives at full speed');
    if (receiveBuffer > 0 && (receive === 1 || backend.insteadOfPackets !== null))
      line.noUse(
        'receiveBuffer',
        receive === 1
          ? 'the rank receives at full speed'
          : `backend ${backend.name} has no buffers; links to the rank have its speed`,
      );
    seen.add(rank);
    resolved.push(groupText(stragglerSettings, { rank, compute, receive, receiveBuffer }));
  }
  if (block.failed) return null;
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
  const block = new Section(root, ['stragglers'], diagnostics);
  const list = block.node();
  if (list?.kind !== 'list' || faulty.has('stragglers')) return;
  for (let i = 0; i < list.items.length; i++) {
    const { rank, compute } = block.at(i).group(stragglerSettings);
    if (compute !== 1 && isBusy[rank] !== 1) block.noUse([i, 'compute'], `no job runs on rank ${rank}`);
  }
}
