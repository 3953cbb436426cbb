// What `weft report` is told of a fabric.

import { seconds } from '../route/route-options.js';
import { text, value } from '../options/declared-command.js';

/** Options of `weft report --fabric`. */
export const fabricOptions = [
  text('--fabric <file>', 'the health of this fabric: output of ibnetdiscover, or a topology file'),
  text('--against <file>', 'an earlier capture of it, or a plan: what changed'),
  text('--counters <file>', 'what perfquery -x or ibqueryerrors --data printed'),
  text('--before <file>', 'the same from earlier: the traffic in between'),
  value('--interval <time>', 'between the two readings: how busy links were', seconds),
  text('--tables <file>', 'opensm-lfts.dump, or what dump_lfts or ibroute print'),
  text('--guid2lid <file>', "LIDs: OpenSM's guid2lid"),
  text('--roots <file>', 'GUIDs of the switches of the top level, one per line'),
  text('--traffic <pattern|file>', 'load of links with these tables'),
  text('--lanes <file>', 'service levels that hosts send with (path records)'),
  text('--sl2vl <file>', 'opensm-sl2vl.dump: lanes of service levels'),
] as const;
