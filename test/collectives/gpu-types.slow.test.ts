// What the name of a GPU brings: bus bandwidths that others published, by the name alone, and whether NVSwitches sum.
// Published: V100 122, A100 232, H100 480, B200 with SHARP 850 GB/s (NVIDIA, GTC24 S62129 and GTC25 S72583); GB200 NVL72
// 850 (the aim of the page of measurements); PCIe 4.0 24, 5.0 48 (GTC24 S62129); MI300X: 48 GB/s on each of seven links bound it (AMD, March 2025).

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { effectiveLinkRateBps, gpuTypes, gpuTypeOf } from '../../src/fabric/gpu-types.js';
import { describe, expect, it } from 'vitest';
import { scriptedContext } from '../support/command-context.js';

const page = readFileSync(new URL('../../docs/models/nvswitch.md', import.meta.url), 'utf8');

interface Row {
  readonly algorithm: string;
  readonly busbwGBps: number;
  readonly errorBand: object | null;
}

async function allreduce(family: string, gpus: number, gpuType: string, more = ''): Promise<Row> {
  const world = scriptedContext({ simulate });
  const line = `collective allreduce --fabric ${family} --gpus ${gpus} --gpu-type ${gpuType} --sizes 8GiB --json${more}`;
  expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
  return (JSON.parse(world.stdout.text) as { rows: Row[] }).rows[0]!;
}

/** What the page says of a GPU's allreduce: it is what the runs below say. */
function figureOfPage(gpuType: string): string | undefined {
  const row = page.split('\n').find((line) => line.startsWith(`| ${gpuType.toUpperCase()}`));
  return row?.split('|')[4]?.trim();
}

describe('allreduce of 8 GiB by the name of the GPU alone', () => {
  it.each([
    ['spectrum-x', 8, 'V100', 'ring', 122, 0.08],
    ['spectrum-x', 8, 'A100', 'ring', 232, 0.08],
    ['spectrum-x', 8, 'H100', 'nvls', 480, 0.08],
    ['spectrum-x', 8, 'b200', 'nvls', 850, 0.08],
    ['dcn+', 8, 'B200', 'nvls', 850, 0.08],
    ['spectrum-x', 72, 'GB200', 'nvls', 850, 0.15],
  ])('%s, %i %s: by %s, %i GB/s', async (family, gpus, gpuType, algorithm, busbwGBps, within) => {
    const row = await allreduce(family, gpus, gpuType);
    expect(row.algorithm).toBe(algorithm);
    expect(Math.abs(row.busbwGBps / busbwGBps - 1)).toBeLessThan(within);
    expect(figureOfPage(gpuType)).toBe(row.busbwGBps.toFixed(1));
  });

  it('of MI300X goes by rings, at most as fast as seven links are, and nobody measured it', async () => {
    const row = await allreduce('spectrum-x', 8, 'MI300X');
    expect(row).toMatchObject({ algorithm: 'ring', errorBand: null });
    expect(figureOfPage('MI300X')).toBe(row.busbwGBps.toFixed(1));
    expect(row.busbwGBps).toBeLessThan(7 * 48);
    expect(row.busbwGBps).toBeGreaterThan(0.9 * 7 * 48);
  });

  it('of GPUs without a name sums in no switch', async () => {
    expect(await allreduce('spectrum-x', 8, 'NONE')).toMatchObject({ algorithm: 'ring', errorBand: null });
  });

  it('takes a rate that is typed by hand', async () => {
    const row = await allreduce('spectrum-x', 8, 'B200', ' --nvlink-bandwidth 2880Gbps');
    expect(row.busbwGBps).toBeLessThan(480);
  });

  it.each([
    ['spectrum-x', 8, 'H100', '3600Gbps', '2.9664Tbps'],
    ['spectrum-x', 8, 'A100', '4800Gbps', '1.92Tbps'],
    ['dcn+', 8, 'B200', '7200Gbps', '5.7744Tbps'],
    ['alibaba-hpn', 8, 'L40S', '256Gbps', '192Gbps'],
  ])('on %s, %i %s, warns of a data sheet: %s', async (family, gpus, gpuType, typed, carried) => {
    const world = scriptedContext({ simulate });
    const line = `collective allreduce --fabric ${family} --gpus ${gpus} --gpu-type ${gpuType} --sizes 1MiB --nvlink-bandwidth ${typed} --json`;
    expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
    const { warnings } = JSON.parse(world.stdout.text) as { warnings: object[] };
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'data-sheet-rate', file: '--nvlink-bandwidth', wanted: carried }),
    );
  });

  it('of GPUs that share PCIe is what was published', async () => {
    expect(Math.abs((await allreduce('spectrum-x', 8, 'L40S')).busbwGBps / 24 - 1)).toBeLessThan(0.08);
    expect(Math.abs((await allreduce('spectrum-x', 8, 'RTX6000D')).busbwGBps / 48 - 1)).toBeLessThan(0.08);
  });

  it('of fewer bytes than there are parts takes time with every profile', async () => {
    for (const profile of ['nccl', 'document', 'simai']) {
      const world = scriptedContext({ simulate });
      const line = `collective allreduce --fabric spectrum-x --gpus 8 --sizes 4B --no-nvls --profile ${profile} --json`;
      expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
      const { rows } = JSON.parse(world.stdout.text) as { rows: { timeUs: number }[] };
      expect(rows[0]!.timeUs, profile).toBeGreaterThan(0.3);
    }
  });

  it('by NVLS is refused where no NVSwitch sums', async () => {
    const world = scriptedContext({ simulate });
    const line = 'collective allreduce --fabric spectrum-x --gpus 8 --gpu-type A100 --sizes 1MiB --algorithm nvls';
    expect(await runProgram(line.split(' '), world)).toBe(2);
    expect(world.stderr.text).toContain('those of A100 do not');
  });
});

it('of a rack that is not full: servers are the whole trays that the GPUs fill', async () => {
  const world = scriptedContext({ simulate });
  const folder = mkdtempSync(join(tmpdir(), 'weft-rack-'));
  const line = `topology generate spectrum-x --gpus 128 --gpu-type GB300 --nics-per-asw 128 --json --out ${join(folder, 'rack.topo')}`;
  await runProgram(line.split(' '), world);
  rmSync(folder, { recursive: true });
  expect(world.stdout.text + world.stderr.text).toMatch(/"gpusPerServer": ?64|^\d+ 64 /m);
});

it('every GPU has at most its data sheet, and a name finds itself', () => {
  for (const type of gpuTypes) {
    expect(gpuTypeOf(type.name.toLowerCase())).toBe(type);
    const rateBps = effectiveLinkRateBps(type);
    expect(rateBps).toBeLessThan(type.linkRateBps);
    expect(type.nvls && type.inside !== 'nvswitch').toBe(false);
  }
});
