// The forecast of a run beside the run: work is counted to the packet where nothing is sent again, disk within a factor
// of three, and what differs from the defaults is named. Longer examples and memory: forecast.slow.test.ts; CPU time
// is shown by `npm run forecasts`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { columnBytes } from '../../src/app/forecast/column-bytes.js';
import { forecastRun } from '../../src/app/forecast/forecast.js';
import { machineSlowness } from '../../src/app/forecast/machine-speed.js';
import { changedSettings } from '../../src/scenario/changed-settings.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { memoryHost } from '../memory-host.js';
import { expectForecast } from '../support/forecast-beside-run.js';

const folder = mkdtempSync(join(tmpdir(), 'weft-forecast-'));
afterAll(() => rmSync(folder, { recursive: true }));
const host = nodeHost();
const backends = ['analytical', 'fluid', 'packet', 'credit'];

const examples = [
  'incast/incast.yaml',
  'incast-127/incast-127.yaml',
  'server-pair/controller.yaml',
  'server-pair/no-controller.yaml',
  'two-jobs/two-jobs.yaml',
]
  .flatMap((path) => backends.map((backend) => [path, backend] as const))
  // two-jobs by packets is among the long ones
  .filter(([path, backend]) => !(path.startsWith('two-jobs') && ['packet', 'credit'].includes(backend)));

describe('the forecast of an example', () => {
  it.each(examples)('%s on %s: flows and packet-hops as they are, disk within a factor of three', (path, backend) =>
    expectForecast(path, backend, folder),
  );
});

const planOf = (text: string, overrides: string[] = []) =>
  makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides });

describe('the work of a plan', () => {
  const one = 'fabric: { generate: dumbbell }\ntraffic: { transfers: [{ source: 0, destination: 4, size: 1MB }] }\n';
  const hops = async (...overrides: string[]) => (await forecastRun(await planOf(one, overrides), host, 1)).packetHops;

  it('is packets times links, for data and acknowledgements', async () => {
    // three links; 245 packets of 4096 B; an acknowledgement for each, or for every tenth and the last
    const packets = Math.ceil(1e6 / 4096);
    expect(await forecastRun(await planOf(one), host, 1)).toMatchObject({
      flows: 1,
      packets,
      packetHops: 3 * 2 * packets,
    });
    expect(await forecastRun(await planOf(one, ['queuePair.acknowledgementInterval=10']), host, 1)).toMatchObject({
      packetHops: 3 * (packets + Math.ceil(packets / 10)),
    });
  });

  it('counts acknowledgements as the transport sends them', async () => {
    const packets = Math.ceil(1e6 / 4096);
    // 16 KiB are four packets of 4,158 B; neither transport reads go-back-N's interval
    const uec = ['transport.algorithm=uec', 'queuePair.acknowledgementInterval=10'];
    expect(await hops(...uec)).toBe(3 * (packets + Math.ceil(packets / 4)));
    expect(await hops(...uec, 'uec.acknowledgementInterval=0B')).toBe(3 * 2 * packets);
    expect(await hops('transport.algorithm=irn', 'queuePair.acknowledgementInterval=10')).toBe(3 * 2 * packets);
    expect(await hops('backend=credit')).toBe(3 * packets);
  });

  it('has a time on every backend', async () => {
    for (const backend of backends)
      expect(
        (await forecastRun(await planOf(one, [`backend=${backend}`]), host, 1)).cpuSeconds,
        backend,
      ).not.toBeNull();
  });

  it('takes longer on a slower machine, and as much memory and disk', async () => {
    const [fast, slow] = [await forecastRun(await planOf(one), host, 1), await forecastRun(await planOf(one), host, 3)];
    expect(slow.cpuSeconds! / fast.cpuSeconds!).toBeCloseTo(3, 9);
    expect({ ...slow, cpuSeconds: 0, slowness: 0 }).toEqual({ ...fast, cpuSeconds: 0, slowness: 0 });
  });

  it('grows with what is sent', async () => {
    const large = await forecastRun(await planOf(one.replace('1MB', '1GB')), host, 1);
    const small = await forecastRun(await planOf(one), host, 1);
    expect(large.packetHops! / small.packetHops!).toBeCloseTo(1000, -1);
    expect(large.cpuSeconds!).toBeGreaterThan(small.cpuSeconds!);
  });

  it('names the settings that differ from their defaults, and no others', async () => {
    expect(changedSettings(await planOf(one))).toEqual([
      { path: 'fabric.generate', value: 'dumbbell', derivedFrom: null },
      { path: 'traffic.transfers', value: '1 line', derivedFrom: null },
    ]);
    expect(changedSettings(await planOf(one, ['flowControl=[]']))).toContainEqual({
      path: 'flowControl',
      value: '[]',
      derivedFrom: null,
    });
    const overrides = ['dcqcn.gain=0.5', 'seed=7', 'fabric.leftHosts=9', 'controller.enabled=false', 'backend=fluid'];
    expect(changedSettings(await planOf(one, overrides))).toEqual([
      { path: 'seed', value: 7, derivedFrom: null },
      { path: 'fabric.generate', value: 'dumbbell', derivedFrom: null },
      { path: 'fabric.leftHosts', value: 9, derivedFrom: null },
      { path: 'traffic.transfers', value: '1 line', derivedFrom: null },
      { path: 'dcqcn.gain', value: 0.5, derivedFrom: null },
    ]);
  });

  it('tells what was given from what follows from it', async () => {
    const text =
      'backend: analytical\nfabric: { generate: spectrum-x, gpus: 16, gpuType: A100 }\nworkload: { generate: transformer, model: llama2-7b, tensorParallel: 4, sequenceLength: 2048, globalBatchSize: 8, zeroStage: 1 }\n';
    const settings = changedSettings(await planOf(text));
    const from = Object.fromEntries(settings.map(({ path, derivedFrom }) => [path, derivedFrom]));
    expect(from).toMatchObject({
      'workload.model': null,
      'workload.tensorParallel': null,
      'workload.hiddenSize': 'model llama2-7b',
      'fabric.nvlinkBandwidth': 'gpuType A100',
      'workload.gpu': 'the GPUs of the fabric',
      'workload.dataParallel': 'the GPUs of the fabric',
      'workload.microBatches': 'globalBatchSize',
    });
    expect(Object.values(from)).not.toContain('other settings');
  });
});

it('columns are counted once, wherever they hang', () => {
  const column = new Float64Array(100);
  const circle: Record<string, unknown> = { column, part: column.subarray(3), small: new Uint8Array(7) };
  circle['self'] = circle;
  circle['held'] = new Map([['a', [new Int32Array(10), new Set([new Uint16Array(2)])]]]);
  expect(columnBytes([circle, 'text', null, 5])).toBe(800 + 7 + 40 + 4);
});

it('the speed of a machine is the time of its best try beside the reference', () => {
  let now = 0;
  const times = [0.5, 0.0124, 0.3];
  const reads = times.flatMap((seconds) => [0, seconds]);
  const slowness = machineSlowness({ cpuSeconds: () => (now < reads.length ? reads[now++]! : 0) });
  expect(slowness).toBeCloseTo(2, 9);
  expect(machineSlowness({ cpuSeconds: () => 0 })).toBe(1);
});
