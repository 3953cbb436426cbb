// An allreduce within a server of eight GPUs, in every family that has servers.

import { expect } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from './command-context.js';

/** Shapes of 16 hosts or more. */
export const shapes: Readonly<Record<string, string>> = {
  'spectrum-x': '--gpus 16',
  'alibaba-hpn': '--gpus 16',
  'dcn+': '--gpus 16',
  'leaf-spine': '--leaves 2 --hosts-per-leaf 8',
  'fat-tree': '--k 4',
  torus: '--width 4 --height 2 --hosts-per-switch 2',
  hyperx: '--width 4 --height 2 --hosts-per-switch 2',
  dragonfly: '--groups 4',
  'dragonfly+': '--groups 4',
};

async function withinServer(family: string, gpuType: string): Promise<object> {
  const world = scriptedContext({ simulate });
  const server = `--gpus-per-server 8 --gpu-type ${gpuType}`;
  const line = `collective allreduce --fabric ${family} ${shapes[family]!} ${server} --ranks 8-15 --sizes 64MiB --json`;
  expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
  const { rows } = JSON.parse(world.stdout.text) as {
    rows: { algorithm: string; timeUs: number; errorBand: object }[];
  };
  return rows.map(({ algorithm, timeUs, errorBand }) => ({ algorithm, timeUs, errorBand }));
}

/** It takes the same time in all of them. */
export async function expectSameTimes(gpuType: string): Promise<void> {
  const expected = await withinServer('spectrum-x', gpuType);
  for (const family of Object.keys(shapes)) expect(await withinServer(family, gpuType), family).toEqual(expected);
}
