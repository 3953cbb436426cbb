// What a line of `traffic.transfers` may say beside who sends what to whom: rates and bursts of its sender, whether it
// comes again, the job that it belongs to.

import { count, rate, size, time, type SettingGroup } from '../../base/settings.js';
import { maxTransferBytes } from '../../flows/work-source.js';

/** What the sender of a line of `traffic.transfers` does by itself; what is left out does not hold it back. */
export const senderSettings = {
  rate: rate(
    '100Gbps',
    'the sender is never faster than that, headers and gaps included, whatever congestion control and window allow',
  ),
  burst: size('1MB', 'on-off traffic: it sends in bursts of so much payload, rounded up to whole packets; needs gap', {
    minimum: 1,
    maximum: maxTransferBytes,
  }),
  gap: time('0us', 'on-off traffic: it rests so long after the last packet of a burst; needs burst'),
  every: time('0us', 'the transfer comes again: time from one start to the next; needs times'),
  times: count(1, 'how many transfers the line is, one after the other; needs every', {
    minimum: 1,
    maximum: 1_000_000,
  }),
} as const satisfies SettingGroup;

/** What a line of `traffic.transfers` may be called, for documentation and the schema. */
export const transferJobDescription =
  'name of the job that it belongs to: transfers of one name are one job in the results';
