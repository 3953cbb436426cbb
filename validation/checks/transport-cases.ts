// Fuzz of transports: random fabrics, losses, balancings and transports together, each run judged by its own verdicts,
// by a watch that keeps every packet that was delivered, and by the checker that shares nothing with the engine.

import { mechanisms, type Mechanisms } from '#weft/backends/packet/mechanisms.js';
import type { Check, CheckContext } from '../check.js';
import { bounded, figure, type Line, matched } from '../line.js';
import { judgeTransport, transportCase } from '../random-transport.js';

/** so many cases are run twice, one in this many */
const twiceEvery = 10;
const kinds = ['transport', 'balancing', 'lossModel'] as const;

function* cases({ isQuick, seed, progress }: CheckContext): Iterable<Line> {
  const count = isQuick ? 60 : 10_000;
  const seen = new Map<string, number>();
  const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  const failures: string[] = [];
  for (let number = 1; number <= count; number++) {
    progress(number - 1, count);
    const drawn = transportCase(seed, number);
    for (const kind of kinds) note(`${kind} ${drawn[kind]}`);
    const where = `case ${number} of seed ${seed} (${drawn.text})`;
    try {
      const { problems, run } = judgeTransport(drawn, seed, number % twiceEvery === 0);
      const { counters } = run.network;
      if (counters.packetsLost + counters.packetsDropped > 0) note('losses');
      if (counters.retransmittedPackets > 0) note(`repeats ${drawn.transport}`);
      if (problems.length > 0) failures.push(`${where}: ${problems.join('; ')}`);
    } catch (error) {
      failures.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const name = `${figure(count, 0, '')} random cases, seed ${seed}`;
  yield matched({
    mechanism: `${name}: with bytes delivered twice, out of promised order or not at all, flows that end early or never, a failed self-check, or a complaint of the independent checker`,
    oracle: 'sets of packet numbers, conservation, physics',
    expected: 'none',
    ours: failures.length === 0 ? 'none' : `${failures.length}; ${failures[0]}`,
  });
  yield bounded({
    mechanism: `${name}: with packets lost or dropped`,
    oracle: 'losses must be at work',
    ours: seen.get('losses') ?? 0,
    least: count / 4,
    most: count,
    unit: '',
  });
  // a few cases are too few for all of them
  if (isQuick) return;
  const catalogue = mechanisms as Mechanisms;
  const lists = { transport: catalogue.transports, balancing: catalogue.balancers, lossModel: catalogue.lossModels };
  const untried = kinds.flatMap((kind) =>
    Object.keys(lists[kind]).filter((word) => (seen.get(`${kind} ${word}`) ?? 0) < count / 100),
  );
  const unrepaired = Object.keys(catalogue.transports).filter((word) => !seen.has(`repeats ${word}`));
  yield matched({
    mechanism: `${name}: mechanisms of the catalogue that are hardly drawn, transports that never sent again`,
    oracle: 'every transport, balancing and loss model takes part',
    expected: 'none',
    ours: [...untried, ...unrepaired].join(', ') || 'none',
  });
}

export const transportCases: Check = {
  name: 'transport-cases',
  title: 'Transports under everything',
  about:
    'Random leaf-spines with links of their own rates and latencies, some missing, some that fail and come back; every transport, balancing and loss model of the catalogue with settings of its own, losses of 0 to 20 % or by lists, buffers of 20 kB to 32 MB, with and without PFC, windows and timeouts. Every tenth case is run again with another event wheel. WEFT_SEED and the number of a case bring it back.',
  isSampled: true,
  run: cases,
};
