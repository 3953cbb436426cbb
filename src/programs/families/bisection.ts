// Each rank of one half exchanges messages with a partner of the other half, one after another, each received before
// the next is sent. Source: Taffet's dissertation 3.5.1 and 5.2 (docs/SOURCES.md).

import { choice } from '../../base/settings.js';
import { shuffled } from '../../flows/traffic/synthetic-patterns.js';
import { RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, times } from './family.js';

export const bisection = defineProgram({
  name: 'bisection',
  description: 'each rank of one half exchanges messages with a partner of the other half',
  settings: {
    pairing: choice(
      ['shift', 'shuffle'],
      'shift',
      'who is whose partner: shift, rank i of the first half and rank i of the second; shuffle, a random one, by the seed',
    ),
    messageSize: messageSize('2MiB', 'size of each message'),
    messages: times(5, 'messages of each rank, each received before the next is sent'),
  },
  check: (_, ranks) =>
    ranks >= 2 && ranks % 2 === 0
      ? null
      : { setting: null, message: 'bisection needs two halves', got: `${ranks} ranks`, wanted: 'an even number' },
  make: ({ pairing, messageSize: sizeBytes, messages }, ranks, seed): RankProgram => {
    const half = ranks / 2;
    const partner = new Int32Array(ranks);
    const order = pairing === 'shuffle' ? shuffled(half, seed) : null;
    for (let i = 0; i < half; i++) {
      const other = half + (order === null ? i : order[i]!);
      partner[i] = other;
      partner[other] = i;
    }
    return {
      ranks,
      phases: ['exchange'],
      operations: () => 3 * messages,
      read: (rank, index, into) => {
        into.phase = 0;
        const what = index % 3;
        if (what === 2) into.waitAll();
        else
          into.message(
            what === 0 ? RankOperationKind.startReceive : RankOperationKind.startSend,
            partner[rank]!,
            sizeBytes,
            (index - what) / 3,
          );
      },
    };
  },
});
