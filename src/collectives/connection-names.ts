// By what numbers the connections of collectives are known (flows/work-source.ts, TransferSink): a communicator has one
// per channel, direction and pair of ranks, for rings, trees and the like, and others for sends.
// Invariant: connections of different communicators, channels or uses have different numbers; collectives of one
// communicator that follow each other find the same ones.
// Source: NCCL's channels have for every peer one connection that rings and trees share, and another for sends
// (connIndex 0 and 1 in transport.cc and group.cc).

import { fail } from '../base/fail.js';
import type { AlgorithmName } from './schedule.js';

/** more than any schedule has */
const mostChannels = 2 ** 14;

/**
 * The number of a communicator's connection of channel 0; those of the other channels follow.
 * @param communicator number among those of the run, below 2^38
 */
export function firstConnection(communicator: number, algorithm: AlgorithmName): number {
  return (2 * communicator + (algorithm === 'direct' || algorithm === 'aggregated' ? 1 : 0)) * mostChannels;
}

/** The number of a channel's connection. @param first from firstConnection */
export function connectionOf(first: number, channel: number): number {
  return channel < mostChannels ? first + channel : fail(`channel ${channel} of a communicator`);
}
