// Pairs of ranks that send each other many messages at once, round after round.
// Source: Taffet's dissertation 5.4 (docs/SOURCES.md): 500 random pairs, 100 messages of 200 KiB in a round. Its text
// has 16 rounds in one place and 781 MB in another: 40 rounds, which alone outlast what it shows.

import { shuffled } from '../../flows/traffic/synthetic-patterns.js';
import { RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, times } from './family.js';

export const bully = defineProgram({
  name: 'bully',
  description: 'random pairs of ranks that send each other many messages at once, round after round',
  settings: {
    messageSize: messageSize('200KiB', 'size of each message'),
    messages: times(100, 'messages of a round, each way, waited for together'),
    rounds: times(40, 'rounds'),
  },
  check: (_, ranks) =>
    ranks >= 2 && ranks % 2 === 0
      ? null
      : { setting: null, message: 'bully needs pairs', got: `${ranks} ranks`, wanted: 'an even number' },
  make: ({ messageSize: sizeBytes, messages, rounds }, ranks, seed): RankProgram => {
    const order = shuffled(ranks, seed);
    const partner = new Int32Array(ranks);
    for (let i = 0; i < ranks; i += 2) {
      partner[order[i]!] = order[i + 1]!;
      partner[order[i + 1]!] = order[i]!;
    }
    const perRound = 2 * messages + 1;
    return {
      ranks,
      phases: ['exchange'],
      operations: () => rounds * perRound,
      read: (rank, index, into) => {
        into.phase = 0;
        const step = index % perRound;
        if (step === perRound - 1) into.waitAll();
        else {
          const kind = step < messages ? RankOperationKind.startReceive : RankOperationKind.startSend;
          into.message(kind, partner[rank]!, sizeBytes, 0);
        }
      },
    };
  },
});
