// L2_ACK_INTERVAL, L2_BACK_TO_ZERO and L2_CHUNK_SIZE of a SimAI.conf. Source: SimAI 1.6 (docs/models/simai.md#hosts),
// not the names of the keys: an L2_ACK_INTERVAL from 1 on acknowledges every packet, 0 acknowledges where the bytes
// received are a multiple of the chunk, and L2_BACK_TO_ZERO 1 goes back to the start of the chunk. Beyond SimAI the
// last packet is always acknowledged: there a flow that is no multiple of the chunk never ends. Invariant: what a conf
// asks for is either done or explained.

import { packetSettings } from '../../../backends/packet/settings.js';
import { parseSizeBytes } from '../../../base/units.js';
import type { ConfEntry } from '../../../formats/simai-conf.js';
import { placeIn, warningAt } from '../../form/located.js';
import type { ConfTree } from './conf-thresholds.js';

/** SimAI's shipped value, and that of a conf that leaves it out; it matters to two other keys alone. */
const shippedChunkBytes = 4000;

type Write = (entry: ConfEntry, path: string, value: string | number) => void;

/** Writes what the three keys ask for. @param write a setting at the place of an entry */
export function writeAcknowledgements(tree: ConfTree, write: Write): void {
  const { file, entries, diagnostics } = tree;
  const [interval, zero, chunk] = ['L2_ACK_INTERVAL', 'L2_BACK_TO_ZERO', 'L2_CHUNK_SIZE'].map((key) =>
    entries.get(key),
  );
  const chunkBytes = chunk === undefined ? shippedChunkBytes : numberOf(chunk);
  const backToZero = zero !== undefined && numberOf(zero) === 1;
  const byChunk = interval !== undefined && numberOf(interval) === 0;
  if (backToZero) {
    write(zero, 'queuePair.goBackTo', chunkBytes === 0 ? 'message-start' : 'chunk-start');
    if (chunkBytes > 0) write(chunk ?? zero, 'queuePair.chunk', `${chunkBytes}B`);
    else
      warningAt(
        diagnostics,
        'conf-chunk',
        placeIn(file, chunk!),
        'L2_CHUNK_SIZE 0 with L2_BACK_TO_ZERO 1: a sender goes back to the start of the message (SimAI divides by zero)',
      );
  }
  if (byChunk && chunkBytes > 0)
    write(interval, 'queuePair.acknowledgementInterval', packetsPerChunk(tree, chunkBytes));
  else if (byChunk)
    warningAt(
      diagnostics,
      'conf-chunk',
      placeIn(file, chunk!),
      'L2_CHUNK_SIZE 0 with L2_ACK_INTERVAL 0: every packet is acknowledged (SimAI divides by zero)',
    );
  else if (interval !== undefined && numberOf(interval) > 1) {
    warningAt(
      diagnostics,
      'conf-ignored',
      placeIn(file, interval),
      `L2_ACK_INTERVAL ${numberOf(interval)}: every packet is acknowledged, as in SimAI 1.6 with any interval from 1 on`,
      { hint: '--set queuePair.acknowledgementInterval=N acknowledges every N packets' },
    );
  }
  if (chunk !== undefined && !backToZero && !byChunk && chunkBytes !== 0 && chunkBytes !== shippedChunkBytes) {
    warningAt(
      diagnostics,
      'conf-ignored',
      placeIn(file, chunk),
      'L2_CHUNK_SIZE is ignored: chunks matter only to L2_BACK_TO_ZERO 1 and L2_ACK_INTERVAL 0',
    );
  }
}

/** Full packets after which the bytes received are a multiple of the chunk. */
function packetsPerChunk({ entries }: ConfTree, chunkBytes: number): number {
  const given = entries.get('PACKET_PAYLOAD_SIZE');
  const payloadBytes =
    given === undefined ? parseSizeBytes(String(packetSettings.packet.payload.profiles.simai))! : numberOf(given);
  let [divisor, rest] = [chunkBytes, payloadBytes];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return chunkBytes / divisor;
}

function numberOf({ values }: ConfEntry): number {
  return Number(values[0]!.text);
}
