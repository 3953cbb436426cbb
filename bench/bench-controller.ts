// `npm run bench -- --controller`: microseconds per flow of the central controller's policies, each case in a process of
// its own: all flows of an all-to-all, and flows that come while thousands are under way and free paths are rare. Of
// flows that are placed together, each counts as an equal part of their decision. A round before is not counted.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CentralController, controllerPolicies, type PlacedFlow } from '#weft/controller/central-controller.js';
import { RandomStream } from '#weft/base/random.js';
import { generateFabric } from '#weft/library/fabrics.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';

export interface ControllerOptions {
  readonly only?: string;
  readonly runs: string;
  readonly json?: true;
}

export interface ControllerWorkload {
  readonly name: string;
  readonly about: string;
  readonly gpus: number;
  /** flows that stay under way; 0: an all-to-all at one time */
  readonly underWay: number;
  /** flows that come at one time */
  readonly together: number;
}

export const controllerWorkloads: readonly ControllerWorkload[] = [
  { name: 'all-to-all-128', about: '16,256 flows at one time', gpus: 128, underWay: 0, together: 0 },
  {
    name: 'busy-128',
    about: '16,256 flows under way, one comes as one goes',
    gpus: 128,
    underWay: 16_256,
    together: 1,
  },
  { name: 'busy-1024', about: '3,000 flows under way, one by one', gpus: 1024, underWay: 3000, together: 1 },
  { name: 'busy-1024-by-16', about: '3,000 flows under way, 16 at a time', gpus: 1024, underWay: 3000, together: 16 },
  { name: 'busy-8192', about: '30,000 flows under way, one by one', gpus: 8192, underWay: 30_000, together: 1 },
  {
    name: 'busy-8192-by-16',
    about: '30,000 flows under way, 16 at a time',
    gpus: 8192,
    underWay: 30_000,
    together: 16,
  },
];

export interface ControllerMeasurement {
  readonly name: string;
  readonly policy: string;
  readonly flows: number;
  readonly medianUs: number;
  readonly p90Us: number;
  readonly p99Us: number;
  /** share of the flows for which a path with room was found */
  readonly free: number;
}

/** flows that come while so many are under way */
const arrivals = 16_000;
const sizeBytes = 1_048_576;
const seed = 20_240_607;

/** The cases that are asked for. */
export function chosenControllers({ only }: Pick<ControllerOptions, 'only'>): ControllerWorkload[] {
  return controllerWorkloads.filter(({ name }) => only === undefined || name === only);
}

/** Measures and prints the cases, the fastest of some runs of each. */
export function benchController(options: ControllerOptions): ControllerMeasurement[] {
  if (options.json !== true)
    process.stdout.write(
      `${'us per flow'.padEnd(36)}${['median', 'p90', 'p99', 'free'].map((word) => word.padStart(9)).join('')}\n`,
    );
  return chosenControllers(options).flatMap(({ name }) => {
    const runs = Array.from({ length: Number(options.runs) }, () => inOwnProcess(name));
    return runs[0]!.map((first, i) => {
      const best = runs.map((run) => run[i]!).reduce((a, b) => (b.medianUs < a.medianUs ? b : a), first);
      process.stdout.write(options.json === true ? `${JSON.stringify(best)}\n` : rowOf(best));
      return best;
    });
  });
}

/** Measures cases in this process, and prints an object for each policy. */
export function measureController(options: ControllerOptions): void {
  for (const workload of chosenControllers(options)) {
    const fabric = generateFabric('spectrum-x', {
      gpus: workload.gpus,
      gpusPerServer: 8,
      ...(workload.gpus > 4096 ? { aswPerPsw: 128 } : {}),
    });
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    for (const policy of controllerPolicies) {
      const place = workload.underWay === 0 ? placeAllToAll : placeBusily;
      place(workload, new CentralController(tracer, policy), []);
      const timesUs: number[] = [];
      const controller = new CentralController(tracer, policy);
      place(workload, controller, timesUs);
      timesUs.sort((a, b) => a - b);
      const at = (share: number): number => Number(timesUs[Math.floor(share * (timesUs.length - 1))]!.toFixed(2));
      const measured: ControllerMeasurement = {
        name: workload.name,
        policy,
        flows: timesUs.length,
        medianUs: at(0.5),
        p90Us: at(0.9),
        p99Us: at(0.99),
        free: Number((controller.assigned / (controller.assigned + controller.unassigned)).toFixed(3)),
      };
      process.stdout.write(`${JSON.stringify(measured)}\n`);
    }
  }
}

function placeAllToAll({ gpus }: ControllerWorkload, controller: CentralController, timesUs: number[]): void {
  const flows: PlacedFlow[] = [];
  for (let shift = 1; shift < gpus; shift++)
    for (let source = 0; source < gpus; source++) flows.push(flowOf(flows.length, source, (source + shift) % gpus));
  ask(controller, flows, timesUs);
}

function placeBusily(
  { gpus, underWay, together }: ControllerWorkload,
  controller: CentralController,
  timesUs: number[],
): void {
  const random = new RandomStream(seed, 'controller');
  const live: number[] = [];
  const gone: number[] = [];
  let numbers = 0;
  for (let come = 0; come < underWay + arrivals; come += together) {
    const flows: PlacedFlow[] = [];
    for (let i = 0; i < together; i++) {
      if (live.length >= underWay) {
        const leaves = random.nextBelow(live.length);
        controller.release(live[leaves]!);
        gone.push(live[leaves]!);
        live[leaves] = live.at(-1)!;
        live.pop();
      }
      const source = random.nextBelow(gpus);
      // to another server
      const destination = (source + 8 + random.nextBelow(gpus - 15)) % gpus;
      flows.push(flowOf(gone.pop() ?? numbers++, source, destination));
    }
    for (const { flow } of flows) live.push(flow);
    ask(controller, flows, come < underWay ? [] : timesUs);
  }
}

/** Asks for source ports. @param timesUs gets the time of each flow */
function ask(controller: CentralController, flows: readonly PlacedFlow[], timesUs: number[]): void {
  if (!controller.placesTogether) {
    for (const flow of flows) {
      const start = process.hrtime.bigint();
      controller.assignSourcePort(flow, fallbackPort(flow));
      timesUs.push(Number(process.hrtime.bigint() - start) / 1000);
    }
    return;
  }
  const start = process.hrtime.bigint();
  const asking = flows.filter((flow) => controller.hasSay(flow, fallbackPort(flow)));
  if (asking.length > 0) controller.assignTogether(asking, asking.map(fallbackPort));
  const each = Number(process.hrtime.bigint() - start) / 1000 / flows.length;
  for (let i = 0; i < flows.length; i++) timesUs.push(each);
}

function flowOf(flow: number, source: number, destination: number): PlacedFlow {
  return { flow, source, destination, sizeBytes, destinationPort: 100, pinned: null };
}

function fallbackPort({ flow }: PlacedFlow): number {
  return 10_000 + (flow % 50_000);
}

function inOwnProcess(name: string): ControllerMeasurement[] {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const output = execFileSync(process.execPath, [main, '--controller', '--in-process', '--only', name], {
    encoding: 'utf8',
  });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ControllerMeasurement);
}

function rowOf({ name, policy, medianUs, p90Us, p99Us, free }: ControllerMeasurement): string {
  const figures = [medianUs, p90Us, p99Us].map((us) => us.toFixed(2).padStart(9)).join('');
  return `${name.padEnd(18)}${policy.padEnd(18)}${figures}${`${(100 * free).toFixed(1)} %`.padStart(9)}\n`;
}
