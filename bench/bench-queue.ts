// `npm run bench -- --queue`: the event queue alone, under populations that are hard for calendars, each in a process of its
// own, a few times, of which the fastest counts. Beside each rate stand its share of that of the easy population, and with
// --compare the events per CPU second of the reference prototype, which has packets to move besides: how fast the
// machine is.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RandomStream } from '#weft/base/random.js';
import { EventWheel } from '#weft/engine/event-wheel.js';
import { fail } from '#weft/base/fail.js';
import { type QueueWorkload, queueWorkloads } from './queue-workloads.js';

export interface QueueOptions {
  readonly only?: string;
  readonly runs: string;
  readonly json?: true;
}

export interface QueueMeasurement {
  readonly name: string;
  readonly about: string;
  /** taken out, each put in once */
  readonly events: number;
  readonly cpuSeconds: number;
  readonly eventsPerCpuSecond: number;
  /** of the rate of the easy population, in the same call; null: that did not run */
  readonly shareOfEven: number | null;
  /** of the prototype, in the same minute; null: it was not asked for, or is not at hand */
  readonly prototypeEventsPerCpuSecond: number | null;
  readonly peakRssMb: number;
}

/** Events of a run: some phases of the population that has phases. */
const events = 4_000_000;
const warmUpEvents = 1_000_000;
/** of the random times, the same in every run */
const seed = 20_240_607;
const nameWidth = 14;

/** The populations that are asked for. */
export function chosenPopulations({ only }: Pick<QueueOptions, 'only'>): QueueWorkload[] {
  return queueWorkloads.filter(({ name }) => only === undefined || name === only);
}

/** Measures and prints the populations. @param prototype its events per CPU second, measured when called; null: not known */
export function benchQueue(options: QueueOptions, prototype: () => number | null): QueueMeasurement[] {
  if (options.json !== true)
    process.stdout.write(
      `${''.padEnd(nameWidth)}${['M events/s', 'of even', 'prototype', 'MB'].map((word) => word.padStart(12)).join('')}\n`,
    );
  let even: number | null = null;
  return chosenPopulations(options).map(({ name }) => {
    const prototypeEventsPerCpuSecond = prototype();
    const best = fastest(name, Number(options.runs));
    if (name === 'even') even = best.eventsPerCpuSecond;
    const shareOfEven = even === null ? null : Math.round((1000 * best.eventsPerCpuSecond) / even) / 1000;
    const measured: QueueMeasurement = Object.assign(best, { shareOfEven, prototypeEventsPerCpuSecond });
    process.stdout.write(options.json === true ? `${JSON.stringify(measured)}\n` : rowOf(measured));
    return measured;
  });
}

/** Measures populations in this process, and prints an object for each. */
export function measureQueue(options: QueueOptions): void {
  for (const workload of chosenPopulations(options)) {
    hold(workload, warmUpEvents);
    const startCpu = process.cpuUsage();
    hold(workload, events);
    const { user, system } = process.cpuUsage(startCpu);
    const cpuSeconds = (user + system) / 1e6;
    const measured: QueueMeasurement = {
      name: workload.name,
      about: workload.about,
      events,
      cpuSeconds,
      eventsPerCpuSecond: Math.round(events / cpuSeconds),
      shareOfEven: null,
      prototypeEventsPerCpuSecond: null,
      peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    };
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  }
}

/**
 * Takes events from a fresh queue, and puts one in for each, so that as many wait as the population says.
 * @returns the time of the last one
 * @throws InvariantError if one comes out before its time
 */
export function hold({ held, delayPs }: QueueWorkload, count: number): number {
  const random = new RandomStream(seed, 'queue');
  const wheel = new EventWheel();
  const { records } = wheel;
  for (let taken = 0; taken < count; taken++) {
    for (let missing = held(taken) - wheel.size; missing > 0; missing--)
      wheel.push(wheel.nowPs + delayPs(random, taken), 1);
    const beforePs = wheel.nowPs;
    const record = wheel.pop();
    if (record < 0 || wheel.nowPs < beforePs) fail(`event ${taken} of ${count} at ${wheel.nowPs} after ${beforePs}`);
    records.release(record);
  }
  return wheel.nowPs;
}

function fastest(name: string, runs: number): QueueMeasurement {
  const program = fileURLToPath(new URL('main.js', import.meta.url));
  const flags = ['--queue', '--in-process', '--only', name];
  let best: QueueMeasurement | null = null;
  for (let run = 0; best === null || run < runs; run++) {
    const output = execFileSync(process.execPath, [program, ...flags], { encoding: 'utf8' });
    const measured = JSON.parse(output) as QueueMeasurement;
    if (best === null || measured.cpuSeconds < best.cpuSeconds) best = measured;
  }
  return best;
}

/** Two lines of at most 80 columns. */
function rowOf(measured: QueueMeasurement): string {
  const { name, about, eventsPerCpuSecond, shareOfEven, prototypeEventsPerCpuSecond, peakRssMb } = measured;
  const cells = [
    millions(eventsPerCpuSecond),
    shareOfEven === null ? '-' : shareOfEven.toFixed(2),
    millions(prototypeEventsPerCpuSecond),
    String(peakRssMb),
  ];
  return `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(12)).join('')}\n  ${about}\n`;
}

function millions(rate: number | null): string {
  return rate === null ? '-' : (rate / 1e6).toFixed(2);
}
