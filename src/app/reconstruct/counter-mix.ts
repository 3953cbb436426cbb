// What is counted: bytes, packets, or both.
// Source: Taffet's dissertation (docs/SOURCES.md), 5.4.2: MTU / 2 x packets + bytes / 2.

import { InputError } from '../../base/diagnostics.js';
import { TrafficBuilder, TrafficColumn, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { CounterMix, ReconstructionRequest } from './reconstruction-request.js';

/** Bytes that a packet of a large message has. */
export const usualMtuBytes = 4096;

/** A count of bytes and packets, in bytes for `bytes` and `mixed`: of a full packet both are the MTU. */
export function mixed(mix: CounterMix, mtuBytes: number, bytes: number, packets: number): number {
  if (mix === 'bytes') return bytes;
  return mix === 'packets' ? packets : (mtuBytes * packets + bytes) / 2;
}

/**
 * Traffic as counters of a mix tell it: what a pair sends is one message.
 * @throws InputError unless its amounts are bytes, or bytes are what is counted
 */
export function mixedTraffic(
  sent: TrafficMatrix,
  { mix = 'bytes', mtuBytes = usualMtuBytes }: Pick<ReconstructionRequest, 'mix' | 'mtuBytes'>,
): TrafficMatrix {
  if (mix === 'bytes') return sent;
  if (sent.unit !== 'bytes')
    throw InputError.about('no-packets', '--mix', 'amounts of this traffic only compare: they make no packets', {
      got: mix,
      wanted: 'traffic of bytes',
      hint: 'leave --mix out, or give a matrix with a column of bytes',
    });
  const builder = new TrafficBuilder(sent.hostCount, 'relative');
  const column = new TrafficColumn(sent.hostCount);
  for (let to = 0; to < sent.hostCount; to++) {
    sent.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      const bytes = column.weights[i]!;
      builder.add(column.sources[i]!, to, mixed(mix, mtuBytes, bytes, Math.ceil(bytes / mtuBytes)));
    }
  }
  return builder.build();
}
