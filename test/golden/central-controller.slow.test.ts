// examples/central-controller: the source's table of when its controller helps (§7.4), by one command, and its page.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatTimePs } from '../../src/base/units.js';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
const folder = fileURLToPath(new URL('../../examples/central-controller/', import.meta.url));
const page = readFileSync(join(folder, 'README.md'), 'utf8');
const small = ['best-case', 'one-spine', 'more-flows', 'no-collision', 'one-destination', 'hotspot'];

interface Table {
  readonly policies: readonly string[];
  readonly scenarios: readonly {
    readonly name: string;
    readonly without: { meanNs: number; maxNs: number };
    readonly policies: Readonly<
      Record<string, { meanNs: number; maxNs: number; meanChange: number; maxChange: number }>
    >;
  }[];
}

let table: Table;
let text = '';
beforeAll(async () => {
  const scenarios = small.map((name) => `${folder}${name}.yaml`);
  const { code, stdout } = await weft('compare-policies', ...scenarios, '--workers', '1', '--json', '--quiet');
  expect(code).toBe(0);
  table = JSON.parse(stdout) as Table;
  text = (await weft('compare-policies', `${folder}best-case.yaml`, '--workers', '1', '--quiet')).stdout;
});

const changes = (place: number, policy = 'first-fit') => table.scenarios[place]!.policies[policy]!;

describe("the source's table", () => {
  it('has its best case under every policy: -33 % mean, -50 % maximum', () => {
    expect(table.policies).toEqual(['first-fit', 'least-loaded', 'bandwidth-aware', 'batch']);
    for (const policy of table.policies) {
      expect(changes(0, policy).meanChange).toBeCloseTo(-0.33, 2);
      expect(changes(0, policy).maxChange).toBeCloseTo(-0.5, 2);
      // alone a flow takes 850 us
      expect(Math.abs(changes(0, policy).maxNs / 850_000 - 1)).toBeLessThan(0.01);
    }
  });

  it('has nothing left of it where one of the four conditions does not hold', () => {
    for (const place of [1, 3])
      for (const policy of table.policies) expect(Math.abs(changes(place, policy).meanChange)).toBeLessThan(0.001);
    // eight flows into one link: no less than eight times one of them, but for headers and the way
    for (const policy of table.policies) {
      expect(changes(4, policy).maxNs).toBeGreaterThan(8 * 838_861 * 0.99);
      expect(Math.abs(changes(4, policy).meanChange)).toBeLessThan(0.03);
      expect(Math.abs(changes(5, policy).meanChange)).toBeLessThan(0.01);
    }
  });

  it('more flows than paths: three on each spine, where first-fit leaves some to the hash', () => {
    const alone = changes(0).maxNs;
    for (const policy of ['least-loaded', 'bandwidth-aware', 'batch'])
      expect(Math.abs(changes(2, policy).maxNs / (3 * alone) - 1)).toBeLessThan(0.02);
    expect(changes(2).maxNs).toBeGreaterThan(4 * alone);
    expect(changes(2).maxChange).toBeLessThan(0);
  });

  it.each(['mean', 'max'] as const)('stands on the page as the command gives it: %s', (of) => {
    const part = page.split(of === 'mean' ? 'mean completion time,' : 'longest completion time,')[1]!;
    for (const [place, name] of small.entries()) {
      const { without, policies } = table.scenarios[place]!;
      const changed = Object.values(policies).map((policy) => `${percent(policy[`${of}Change`])} %`);
      const row = new RegExp(
        `^ {6}${name.replaceAll('-', ' ').replace('more flows', 'more flows than paths')} .*$`,
        'm',
      );
      expect(
        row
          .exec(part)![0]
          .trim()
          .split(/\s{2,}/)
          .slice(1),
      ).toEqual([formatTimePs(Math.round(without[`${of}Ns`] * 1000)), ...changed]);
    }
  });

  it('is printed within 80 columns', () => {
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

/** With its sign, and none where it is next to nothing. */
function percent(share: number): string {
  const text = (100 * share).toFixed(2);
  return share > 0 ? `+${text}` : text.replace('-0.00', '0.00');
}

describe('all-to-all on 128 GPUs', () => {
  let out = '';
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'weft-all-to-all-'));
  });
  afterAll(() => rm(out, { recursive: true, force: true }));

  it("searches as deep as the source's controller did, port 183, and gains nothing", async () => {
    const scenario = `${folder}all-to-all.yaml`;
    const words = ['--set', 'controller.enabled=true', '--out', join(out, 'cc'), '--json', '--quiet'];
    const { fct, flows } = JSON.parse((await weft('run', scenario, ...words)).stdout) as {
      fct: { meanNs: number };
      flows: number;
    };
    expect(flows).toBe(128 * 127);
    const { runs } = JSON.parse((await weft('analyze', 'ports', join(out, 'cc'), '--json')).stdout) as {
      runs: { deepest: number }[];
    };
    expect(runs[0]!.deepest).toBe(183);
    const without = JSON.parse((await weft('run', scenario, '--json', '--quiet')).stdout) as {
      fct: { meanNs: number };
    };
    expect(Math.abs(fct.meanNs / without.fct.meanNs - 1)).toBeLessThan(0.001);
  });
});
