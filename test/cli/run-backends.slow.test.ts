// `weft run --backend a,b`: really run, in memory but for the folders; what is printed, where results go, and what is
// refused.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { InputError } from '../../src/base/diagnostics.js';
import runCommand, { runScenario } from '../../src/cli/run/run.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

const text = `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4 }
workload:
  tensorParallel: 8
  layers:
    - name: only
      forward: { compute: 10us, collective: allreduce, size: 1MiB, group: tp }
`;

let folder = '';
let scenario = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-backends-'));
  scenario = join(folder, 's.yaml');
  await writeFile(scenario, text);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const real = () => scriptedContext({ makePlan, simulate });
const base = { set: [], json: false, quiet: false };

describe('several backends', () => {
  it('are run and compared, each with a folder of its own', async () => {
    const context = real();
    const out = join(folder, 'out');
    expect(
      await runScenario({ ...base, scenario, out, json: true, backends: ['analytical', 'fluid', 'packet'] }, context),
    ).toBe(0);
    const printed = JSON.parse(context.stdout.text) as {
      figures: { name: string; values: Record<string, number> }[];
      runs: { backend: string; digest: string; flows: number }[];
    };
    expect(printed.runs.map(({ backend }) => backend)).toEqual(['analytical', 'fluid', 'packet']);
    // closed forms send nothing
    expect(printed.runs.map(({ flows }) => flows > 0)).toEqual([false, true, true]);
    const { values } = printed.figures.find(({ name }) => name === 'total')!;
    // one spine carries several hops of the ring: the closed form does not see that, packets and streams do
    expect(values['analytical']!).toBeLessThan(values['fluid']!);
    expect(Math.abs(values['fluid']! / values['packet']! - 1)).toBeLessThan(0.1);
    expect((await readdir(out)).sort()).toEqual(['analytical', 'fluid', 'packet']);
    for (const { backend, digest } of printed.runs) {
      const manifest = JSON.parse(await readFile(join(out, backend, 'manifest.json'), 'utf8')) as {
        digest: string;
        scenario: { backend: string };
      };
      expect([manifest.digest, manifest.scenario.backend]).toEqual([digest, backend]);
    }
  });

  it('make one table of 80 columns', async () => {
    const context = real();
    expect(await runScenario({ ...base, scenario, backends: ['analytical', 'packet'] }, context)).toBe(0);
    const lines = context.stdout.text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => /^ {2}(total|computes|waits for TP|CPU) /.test(line))).toHaveLength(4);
  });

  it('are compared with --quiet, too, and nothing else is said', async () => {
    const context = real();
    expect(
      await runScenario(
        { ...base, scenario, set: ['probes.queueInterval=1us'], quiet: true, backends: ['fluid', 'analytical'] },
        context,
      ),
    ).toBe(0);
    expect(context.stdout.text).toMatch(/^ {2}total +[\d.]+[mu]s/m);
    expect(context.stderr.text).toBe('');
  });

  it('are checked before the first run: failures are refused on the analytical one', async () => {
    const context = real();
    const out = join(folder, 'out');
    await expect(
      runScenario(
        {
          ...base,
          scenario,
          out,
          set: ['failures.events=[ { at: 1us, link: 0:1 } ]'],
          backends: ['fluid', 'analytical'],
        },
        context,
      ),
    ).rejects.toThrow(InputError);
    expect(context.stdout.text).toBe('');
    expect(await readdir(folder)).toEqual(['s.yaml']);
  });

  it('a warning of one of them names it', async () => {
    const context = real();
    await runScenario({ ...base, scenario, set: ['probes.queueInterval=1us'], backends: ['packet', 'fluid'] }, context);
    expect(context.stderr.text).toMatch(/^fluid: .*probes\.queueInterval has no effect/m);
  });
});

const filesBelow = async (path: string) => (await readdir(path, { recursive: true })).sort();

describe('a folder that has results', () => {
  const single = { ...base, quiet: true };

  it('of an earlier comparison has those of the new one alone, afterwards', async () => {
    const out = join(folder, 'out');
    await runScenario({ ...base, scenario, out, backends: ['analytical', 'packet'] }, real());
    await writeFile(join(out, 'packet', 'notes.md'), 'mine');
    const context = real();
    expect(await runScenario({ ...base, scenario, out, backends: ['analytical', 'fluid'] }, context)).toBe(0);
    expect((await readdir(out)).sort()).toEqual(['analytical', 'fluid', 'packet.previous']);
    expect(await readdir(join(out, 'packet.previous'))).toEqual(['notes.md']);
    expect(context.stderr.text).toContain(`removed, of an earlier comparison: ${join(out, 'packet')}\n`);
    expect(context.stderr.text).toContain('packet.previous');
  });

  it('of a single run takes no comparison, and one of a comparison no single run', async () => {
    const [one, several] = [join(folder, 'one'), join(folder, 'several')];
    await runScenario({ ...single, scenario, out: one, backends: ['analytical'] }, real());
    await runScenario({ ...single, scenario, out: several, backends: ['analytical', 'fluid'] }, real());
    const before = await filesBelow(folder);
    const both = ['analytical', 'fluid'];
    await expect(runScenario({ ...single, scenario, out: one, backends: both }, real())).rejects.toMatchObject({
      diagnostics: [{ file: one, message: expect.stringContaining('is an earlier run of Weft') as unknown }],
    });
    await expect(runScenario({ ...single, scenario, out: several }, real())).rejects.toMatchObject({
      diagnostics: [
        { file: several, message: expect.stringContaining('holds other runs of Weft (analytical, fluid)') as unknown },
      ],
    });
    expect(await filesBelow(folder)).toEqual(before);
  });

  it("that are not Weft's takes no comparison; an empty one does", async () => {
    const out = join(folder, 'out');
    await mkdir(out);
    await runScenario({ ...single, scenario, out, backends: ['analytical', 'fluid'] }, real());
    expect((await readdir(out)).sort()).toEqual(['analytical', 'fluid']);
    await expect(
      runScenario({ ...single, scenario, out: folder, backends: ['analytical', 'fluid'] }, real()),
    ).rejects.toMatchObject({
      diagnostics: [{ file: folder, message: expect.stringContaining('is not an earlier comparison') as unknown }],
    });
  });

  it('is named when a comparison was stopped, and cleared by the next', async () => {
    const out = join(folder, 'out');
    await runScenario({ ...single, scenario, out, backends: ['fluid', 'packet'] }, real());
    const context = scriptedContext({
      makePlan,
      simulate: (plan, options) => {
        if (plan.backend.name === 'fluid') process.emit('SIGINT', 'SIGINT');
        return simulate(plan, options);
      },
    });
    expect(await runScenario({ ...base, scenario, out, backends: ['analytical', 'fluid'] }, context)).toBe(130);
    expect(context.stderr.text).toContain('stopped after 1 of 2 backends\n');
    expect(context.stderr.text).toContain(
      `${join(out, 'fluid.partial')}, which the next run with --out ${out} replaces`,
    );
    expect(context.stderr.text).toContain(
      `still of an earlier comparison: ${join(out, 'fluid')}, ${join(out, 'packet')}\n`,
    );
    expect((await readdir(out)).sort()).toEqual(['analytical', 'fluid', 'fluid.partial', 'packet']);
    await runScenario({ ...single, scenario, out, backends: ['analytical', 'packet'] }, real());
    expect((await readdir(out)).sort()).toEqual(['analytical', 'packet']);
  });
});

it("one backend takes the place of the scenario's", async () => {
  const context = real();
  expect(await runScenario({ ...base, scenario, json: true, backends: ['fluid'] }, context)).toBe(0);
  expect(JSON.parse(context.stdout.text)).toMatchObject({ backend: 'fluid' });
});

it.each(['fliud', 'fluid,fluid', 'fluid,'])('refuses --backend %s', async (list) => {
  const command = runCommand(real())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await expect(command.parseAsync(['s.yaml', '--backend', list], { from: 'user' })).rejects.toThrow(/backend/);
});
