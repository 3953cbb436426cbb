// The settings of the UEC transport, a group of the scenario. Constants of NSCC that nobody is expected to turn stand
// with its rules (congestion/nscc/nscc.ts).

import { choice, count, fraction, size, time } from '../../../../base/settings.js';

export const uecSettings = {
  control: choice(
    ['nscc', 'rccc', 'both', 'none'],
    'nscc',
    "what limits a sender: its window by delay and marks (NSCC), its receiver's credits (RCCC), both, or the largest window alone",
  ),
  acknowledgementInterval: size(
    '16KiB',
    'bytes that come between two acknowledgements, headers included; 0: one for every packet. At once: the ' +
      'first packet, a marked one, one that came before, and one after which its sender may send no more',
  ),
  targetDelay: time(
    'auto',
    'NSCC: queueing delay that it aims at; auto: the largest round trip of the fabric, 0.75 of it where switches trim',
    { orAuto: true },
  ),
  maximumWindow: fraction(
    1.5,
    'most in flight, in units of the bandwidth-delay product of the pair; a packet at least',
    { minimum: 0.01, maximum: 1000 },
  ),
  firstCredit: fraction(
    1,
    'RCCC: what a sender may send before its first credit, in units of the bandwidth-delay product of the pair; a packet at least',
    { minimum: 0, maximum: 1000 },
  ),
  reorderThreshold: count(
    'auto',
    'a packet is taken for lost once one has been acknowledged that was sent so many packets later; auto: ' +
      '1.5 windows, at least 5, and more time than round trips differ by',
    { orAuto: true, minimum: 1, maximum: 1_000_000 },
  ),
} as const;
