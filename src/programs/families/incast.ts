// Groups of ranks of which all but the first send to the first: background traffic such as that of Taffet's
// dissertation 2.4.1 (docs/SOURCES.md), six groups in 4:1 incast.

import { RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, times, sideLength } from './family.js';

export const incast = defineProgram({
  name: 'incast',
  description: 'groups of ranks whose members all send to the first of their group',
  settings: {
    senders: sideLength(4, 'senders of a group, which has one rank more'),
    messageSize: messageSize('1MiB', 'size of each message'),
    messages: times(100, 'messages of each sender, one after the other'),
  },
  check: ({ senders }, ranks) =>
    ranks % (senders + 1) === 0
      ? null
      : {
          setting: 'senders',
          message: 'incast needs whole groups',
          got: `${ranks} ranks`,
          wanted: `a multiple of ${senders + 1}, ${senders} senders and their receiver`,
        },
  make: ({ senders, messageSize: sizeBytes, messages }, ranks): RankProgram => ({
    ranks,
    phases: ['send'],
    operations: (rank) => (rank % (senders + 1) === 0 ? messages * (senders + 1) : messages),
    read: (rank, index, into) => {
      into.phase = 0;
      const place = rank % (senders + 1);
      if (place > 0) into.message(RankOperationKind.send, rank - place, sizeBytes, 0);
      else if (index % (senders + 1) === senders) into.waitAll();
      else into.message(RankOperationKind.startReceive, rank + 1 + (index % (senders + 1)), sizeBytes, 0);
    },
  }),
});
