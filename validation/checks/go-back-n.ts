// Go-back-N: what one loss costs, packet by packet and picosecond by picosecond.

import { Kind } from '#weft/backends/packet/packets.js';
import type { Check } from '../check.js';
import { bounded, compared, exact, type Line } from '../line.js';
import { runLosing } from '../losing.js';

const [packetPs, shortPs, acknowledgementPs, cablesPs] = [80_000, 40_000, 4800, 10_000_000];

/**
 * Ten packets, the last of 500 B; the third is lost on its way to the switch. All ten have been sent when the NACK
 * comes back, so the third to tenth go again: 7 x 1,000 + 500 B. ACKs for two, one NACK for the gap, silence for the
 * other six, ACKs for eight.
 */
function* lostInTheMiddle(): Iterable<Line> {
  const run = runLosing([[0, 1, 9500]], {}, [({ kind, sequence }) => kind === Kind.data && sequence === 2]);
  const { counters } = run.network;
  const what = 'the third of ten packets lost';
  for (const [name, oracle, expected, ours] of [
    ['data packets sent', '10 + 8', 18, counters.dataPacketsSent],
    ['bytes sent again', '7 x 1,000 + 500', 7500, counters.retransmittedBytes],
    ['ACKs and NACKs', '2 + 1 + 8', 11, counters.acknowledgementsSent],
    ['bytes delivered', 'each once', 9500, counters.payloadBytesDelivered],
  ] as const)
    yield compared({
      mechanism: `${what}: ${name}`,
      oracle: `by hand: ${oracle}`,
      expected,
      ours,
      unit: '',
      tolerance: exact,
    });
  // a packet behind others: its link, the switch's link behind the one before it, two cables
  const wayPs = packetPs + cablesPs;
  const backPs = 2 * acknowledgementPs + cablesPs;
  // the NACK goes out when packet 4 has come; when it is back, seven packets and the short one go
  const lastPs = 4 * packetPs + wayPs + backPs + 7 * packetPs + shortPs + wayPs + backPs;
  yield compared({
    mechanism: `${what}: completion`,
    oracle: 'by hand: 4 packets, a round trip, 8 packets, a round trip',
    expected: lastPs / 1000,
    ours: run.flows[0]!.finishPs / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
}

/** An ACK that is lost is covered by the next; the last data packet or ACK by the retransmission timeout. */
function* lostAtTheEnd(): Iterable<Line> {
  const alone = runLosing([[0, 1, 3000]], {}, []).flows[0]!.finishPs;
  const covered = runLosing([[0, 1, 3000]], {}, [({ kind, sequence }) => kind === Kind.ack && sequence === 2]);
  yield compared({
    mechanism: 'an ACK lost that is not the last: completion',
    oracle: 'as without the loss: ACKs are cumulative',
    expected: alone / 1000,
    ours: covered.flows[0]!.finishPs / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
  const timeoutPs = 100e6;
  for (const [name, lostKind, sequence] of [
    ['the last packet', Kind.data, 2],
    ['the last ACK', Kind.ack, 3],
  ] as const) {
    const run = runLosing([[0, 1, 3000]], { queuePair: { window: 'unlimited', retransmissionTimeout: timeoutPs } }, [
      (arrival) => arrival.kind === lostKind && arrival.sequence === sequence,
    ]);
    yield compared({
      mechanism: `${name} lost: timeouts`,
      oracle: 'one',
      expected: 1,
      ours: run.network.counters.timeouts,
      unit: '',
      tolerance: exact,
    });
    // the timeout runs from the last progress, is looked at four times in its span, and is followed by a round trip
    yield bounded({
      mechanism: `${name} lost: completion, timeout of 100 us`,
      oracle: 'timeout, at most a quarter late, and two round trips',
      ours: run.flows[0]!.finishPs / 1e6,
      least: 100 + 20,
      most: 1.25 * 100 + 2 * 20.5,
      unit: 'us',
      digits: 1,
    });
  }
}

export const goBackN: Check = {
  name: 'go-back-n',
  title: 'Go-back-N: the cost of a loss',
  about:
    'One switch, 100 Gb/s, 5 us cables, packets of 1,000 B without headers, ACKs of 60 B; exactly the packet named is lost.',
  *run() {
    yield* lostInTheMiddle();
    yield* lostAtTheEnd();
  },
};
