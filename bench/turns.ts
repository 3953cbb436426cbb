// Processes that share the machine in short turns: while one runs, the others are stopped. A machine that is slow for a
// second is slow for all of them, so their CPU seconds compare although those of two runs, one after the other, do not.
// Source: none needed; measured here: the ratio of a build to itself strays by 2 to 5 % instead of 5 to 30 %.

import { setTimeout as wait } from 'node:timers/promises';
import type { Ended, Running } from '../validation/commits/child.js';

/** long beside what it takes to warm the caches again, short beside a machine's moods */
const turnMs = 100;

/**
 * Runs processes to their ends, one at a time, a turn each.
 * @param processes that have just been started, in the order of their turns
 * @param turn ends when a turn is over
 * @returns how they ended, in the same order
 * @throws what one of them rejects with; the others have then been left to go on
 */
export async function inTurns(
  processes: readonly Running[],
  turn: () => Promise<unknown> = () => wait(turnMs),
): Promise<Ended[]> {
  for (const one of processes) one.pause();
  const all = Promise.all(processes.map(({ ended }) => ended));
  // whoever ends first with an error says so below
  all.catch(() => {});
  let waiting = processes.map((running) => ({ running, isOver: false }));
  for (const one of waiting) {
    const over = (): void => void (one.isOver = true);
    one.running.ended.then(over, over);
  }
  try {
    while (waiting.length > 0) {
      for (const { running } of waiting) {
        running.goOn();
        await Promise.race([running.ended, turn()]);
        running.pause();
      }
      waiting = waiting.filter(({ isOver }) => !isOver);
    }
    return await all;
  } finally {
    for (const { running } of waiting) running.goOn();
  }
}
