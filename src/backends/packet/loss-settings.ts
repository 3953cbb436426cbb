// Settings of loss models: which packets are lost, how many, and where (docs/models/losses.md).

import { choice, count, fraction, time } from '../../base/settings.js';

/** Longest event of losses, in packets. */
const longestEvent = 1_000_000;

export const lossSettings = {
  model: choice(
    [
      'independent',
      'burst',
      'high-frequency',
      'amazon',
      'google',
      'microsoft',
      'gilbert-elliott',
      'sequence',
      'time',
      'trace',
    ],
    'independent',
    'which packets are lost, beside those that the error rates of links take: independent, each on its own; ' +
      'burst, some in a row; high-frequency, many of the next few; amazon, google, microsoft, mixes of these; ' +
      'gilbert-elliott, a channel that is good or bad; sequence, time, trace, those that loss.file names',
  ),
  rate: fraction(0, 'share of the packets that come in by a port and are lost there, in the long run'),
  packets: choice(
    ['data', 'all'],
    'data',
    'which packets it loses: data, data packets alone; all, ACKs, NACKs and CNPs, too, and PFC frames where pauses run out (pfc.pauseTime)',
  ),
  at: choice(
    ['switches', 'links'],
    'switches',
    'where: switches, at every port by which a packet comes into a switch; links, at the end of every link, that of a host, too',
  ),
  burstLength: count(15, 'packets in a row that a burst takes, in the mean', { minimum: 1, maximum: longestEvent }),
  burstSpread: count(3, 'a burst is up to so many packets longer or shorter, each length as likely as another', {
    minimum: 0,
    maximum: longestEvent,
  }),
  frequentWindow: count(15, 'packets over which a high-frequency event loses some', {
    minimum: 1,
    maximum: longestEvent,
  }),
  frequentLeast: count(2, 'fewest of them that are lost', { minimum: 1, maximum: longestEvent }),
  frequentMost: count(14, 'most of them that are lost; each number between is as likely as another', {
    minimum: 1,
    maximum: longestEvent,
  }),
  badToGood: fraction(
    0.1,
    'gilbert-elliott: probability at each packet that a bad channel becomes good; it is bad for 1 / ' +
      'badToGood packets in the mean, and how often follows from rate',
    { minimum: 1e-6 },
  ),
  badTime: time(
    '0ps',
    'gilbert-elliott: mean time for which a bad channel stays so, whatever is sent; how long it is good follows from rate; 0: by packets (badToGood)',
  ),
  lossInBad: fraction(1, 'gilbert-elliott: share of packets lost while it is bad'),
  lossInGood: fraction(0, 'gilbert-elliott: share of packets lost while it is good'),
} as const;
