// Timers of senders one by one: which wait holds, when it runs out, and that answers without news never upset it.

import { describe, expect, it } from 'vitest';
import { Alarms } from '../../src/engine/alarms.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { PairAlarms } from '../../src/backends/packet/pair-alarms.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { SideColumns } from '../../src/backends/packet/side-columns.js';
import { SenderTimers } from '../../src/backends/packet/transport/sender-timers.js';
import { newTransportCounters } from '../../src/backends/packet/transport/transport-counters.js';
import { eventCode } from '../support/engine-records.js';
import { settingsWith } from '../support/engine-run.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';

const us = 1e6;
const [lowPs, highPs] = [10 * us, 300 * us];

/** One sender, whose packets in flight the test sets. */
function sender(retries = 7) {
  const wheel = new EventWheel();
  const alarms = new Alarms(wheel);
  const pairs = new QueuePairs();
  const inFlight = { packets: 0 };
  const timeouts: number[] = [];
  const counters = newTransportCounters();
  const timers = new SenderTimers(
    {
      fabric: generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 1 }),
      settings: settingsWith({ queuePair: { retransmissionTimeout: highPs, retries } }),
      pairs,
      columns: new SideColumns(wheel.records, pairs),
      clock: wheel,
      pairAlarms: new PairAlarms(alarms, pairs),
      mayLosePackets: true,
      largestRttPs: () => us,
    },
    { lowTimeout: lowPs, fewPackets: 3 },
    counters,
    { inFlight: () => inFlight.packets, timedOut: () => timeouts.push(wheel.nowPs) },
  );
  const at = alarms.register('what the test does', (index) => deeds[index]!());
  const deeds: (() => void)[] = [];
  return {
    pair: pairs.allocate(),
    timers,
    inFlight,
    timeouts,
    counters,
    at: (timePs: number, deed: () => void) => at.at(timePs, deeds.push(deed) - 1),
    run: (untilPs: number) => {
      at.at(untilPs, deeds.push(() => {}) - 1);
      for (let record = wheel.pop(); record >= 0 && wheel.nowPs < untilPs; record = wheel.pop()) {
        const code = eventCode(wheel, record);
        wheel.records.release(record);
        alarms.ring(code);
      }
    },
  };
}

describe('the timer of a sender', () => {
  it('waits long with many packets in flight, and from the last progress', () => {
    const { pair, timers, inFlight, timeouts, at, run } = sender();
    at(0, () => {
      timers.sent(pair, true);
      inFlight.packets = 50;
    });
    at(100 * us, () => timers.progressed(pair));
    run(401 * us);
    expect(timeouts).toEqual([400 * us]);
  });

  it('waits shortly as soon as few are in flight', () => {
    const { pair, timers, inFlight, timeouts, at, run } = sender();
    at(0, () => {
      inFlight.packets = 50;
      timers.sent(pair, true);
    });
    at(100 * us, () => {
      inFlight.packets = 2;
      timers.progressed(pair);
      timers.shortened(pair);
    });
    run(115 * us);
    expect(timeouts).toEqual([110 * us]);
  });

  it('does nothing when an answer without news comes long after all were acknowledged', () => {
    const { pair, timers, inFlight, timeouts, at, run } = sender();
    at(0, () => {
      inFlight.packets = 1;
      timers.sent(pair, true);
    });
    at(5 * us, () => {
      inFlight.packets = 0;
      timers.progressed(pair);
    });
    // what is late repeats what is known; the next packet starts the timer anew
    at(700 * us, () => timers.shortened(pair));
    at(800 * us, () => {
      inFlight.packets = 1;
      timers.sent(pair, true);
    });
    run(811 * us);
    expect(timeouts).toEqual([810 * us]);
  });

  it('gives up after so many timeouts in a row, and begins again with progress', () => {
    const { pair, timers, inFlight, timeouts, counters, at, run } = sender(2);
    at(0, () => {
      inFlight.packets = 1;
      timers.sent(pair, true);
    });
    at(100 * us, () => timers.progressed(pair));
    run(115 * us);
    expect([timeouts, timers.gaveUp, counters.timeouts]).toEqual([[10 * us, 20 * us, 110 * us], 1, 3]);
    expect(counters.longestTimeoutWaitPs).toBe(20 * us);
  });
});
