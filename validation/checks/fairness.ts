// Congestion controls among themselves: how evenly flows share a link, how busy they keep it, and what a halved link
// costs.

import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import type { PacketSettings } from '#weft/backends/packet/settings.js';
import type { Check } from '../check.js';
import { type EngineRun, settingsWith, soundRun, type Transfer } from '../engine-run.js';
import { star } from '../fabrics.js';
import { bounded } from '../line.js';
import { failuresOf } from '../link-changes.js';
import { type Algorithm, jainIndex } from '../one-port.js';

const lineBps = 100e9;
/** link time of a rocev2 packet of 4,096 B: 62 B of headers, 20 B of preamble and gap */
const wireShare = (4096 + 82) / 4096;

/** `count` flows of 16 MB into host 0 of a star. */
function contention(algorithm: Algorithm, count: number): EngineRun {
  return soundRun(
    star(count + 1, 1e6),
    Array.from({ length: count }, (_, i): Transfer => [i + 1, 0, 16e6]),
    { settings: settingsOf(algorithm) },
  );
}

function settingsOf(algorithm: Algorithm): PacketSettings {
  return settingsWith({
    congestion: { algorithm },
    packet: { profile: 'rocev2' },
    queuePair: { acknowledgementPriority: 0 },
    ecnThresholds: [{ rateBps: lineBps, minimumBytes: 50e3, maximumBytes: 200e3, probability: 0.2 }],
  });
}

/**
 * Four flows of 25 MB into one link that is halved from 1 to 5 ms.
 * @returns how much longer they took than if the link had been full at every moment, in percent
 */
function longerThanFull(algorithm: Algorithm): number {
  const [halvedPs, wholePs] = [1e9, 5e9];
  const failures = failuresOf(
    [
      [halvedPs, 0, 'rate', lineBps / 2],
      [wholePs, 0, 'rate', lineBps],
    ],
    0,
  );
  const run = soundRun(
    star(5, 1e6),
    Array.from({ length: 4 }, (_, i): Transfer => [i + 1, 0, 25e6]),
    { settings: settingsOf(algorithm), failures },
  );
  const bits = 4 * 25e6 * wireShare * 8;
  const before = lineBps * (halvedPs / 1e12) + (lineBps / 2) * ((wholePs - halvedPs) / 1e12);
  const leastPs = wholePs + ((bits - before) / lineBps) * 1e12;
  return 100 * (run.executor.lastFinishPs / leastPs - 1);
}

export const fairness: Check = {
  name: 'fairness',
  title: 'Congestion controls: fairness and use of the link',
  about:
    "Flows of 16 MB from hosts of their own into one host, 100 Gb/s, 1 us cables, rocev2 packets, ECN from 50 to 200 kB with 20 %. Jain's index of their throughputs (1: all equal, 1/n: one has it all), and the share of the link's time that their bytes take until the last has finished. Then four flows of 25 MB while the receiver's link falls to 50 Gb/s and comes back.",
  *run() {
    for (const algorithm of Object.keys(mechanisms.congestionControls) as Algorithm[]) {
      for (const count of [4, 16]) {
        const run = contention(algorithm, count);
        const rates = run.flows.map(({ sizeBytes, startPs, finishPs }) => sizeBytes / (finishPs - startPs));
        yield bounded({
          mechanism: `${algorithm}, ${count} flows: Jain's index`,
          oracle: 'fairness index, DEC-TR-301',
          ours: rates.length === count ? jainIndex(rates) : 0,
          least: 0.9,
          most: 1,
          unit: '',
          digits: 4,
          expected: '1',
        });
        const bytes = 16e6 * count * wireShare;
        yield bounded({
          mechanism: `${algorithm}, ${count} flows: use of the link`,
          oracle: 'work conservation',
          ours: (100 * bytes * 8e12) / run.executor.lastFinishPs / lineBps,
          least: 85,
          most: 100,
          unit: '%',
          digits: 1,
        });
      }
      yield bounded({
        mechanism: `${algorithm}, 4 flows, the link halved from 1 to 5 ms: longer than a full link takes`,
        oracle: 'all bytes, had the link been full at every moment',
        ours: longerThanFull(algorithm),
        least: 0,
        most: 15,
        unit: '%',
        digits: 1,
      });
    }
  },
};
