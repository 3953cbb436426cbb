// Mechanisms and levels of detail of others, through the entries of the library alone: passed where a plan is made,
// chosen by words of the scenario, at work in the run.

import { describe, expect, it } from 'vitest';
import { timeCollective } from '../../src/library/collectives.js';
import {
  type Backend,
  builtInBackends,
  fail,
  type LossModel,
  type Mechanism,
  ownSettings,
  type PacketParts,
  type SettingGroup,
} from '../../src/library/extend.js';
import { generateFabric, InputError, planFromText, simulate } from '../../src/library/index.js';

const nthSettings = {
  every: {
    kind: 'count',
    default: 100,
    minimum: 1,
    maximum: 1000,
    description: 'of so many packets over a link one is lost',
  },
} as const satisfies SettingGroup;

/** Loses every n-th packet that crosses a link, counted over all links. */
class NthLoss implements LossModel {
  readonly always = true;
  crossed = 0;
  lost = 0;

  constructor(private readonly every: number) {}

  loses(): boolean {
    if (++this.crossed % this.every !== 0) return false;
    this.lost++;
    return true;
  }
}

const scenario = (loss: string): string => `
fabric: { generate: dumbbell }
traffic: { transfers: [{ source: 0, destination: 1, size: 2MB }] }
${loss}
`;

describe('a mechanism from outside', () => {
  it('is chosen by its word, has its settings, and does its work', async () => {
    const made: NthLoss[] = [];
    const nth: Mechanism<PacketParts, LossModel> = {
      description: 'every n-th packet',
      settings: { nth: nthSettings },
      make: ({ settings }) => {
        const model = new NthLoss(ownSettings(settings, 'nth', nthSettings).every);
        made.push(model);
        return model;
      },
    };
    const mechanisms = { lossModels: { nth } };
    const text = scenario('loss: { model: nth }\nnth: { every: 70 }');
    const run = await simulate(await planFromText(text, { mechanisms }));
    const [model] = made;
    expect(made).toHaveLength(1);
    // 2 MB are 489 packets of 4096 B over three links: at 70 to a loss some 20 must be lost
    expect(model!.lost).toBe(Math.floor(model!.crossed / 70));
    expect(model!.lost).toBeGreaterThan(15);
    expect(run.counters.packetsLost).toBe(model!.lost);
    expect(run.counters.retransmittedBytes).toBeGreaterThan(0);
    expect(run).toMatchObject({ outcome: 'finished', finished: 1 });
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('is not known to other plans', async () => {
    await expect(planFromText(scenario('loss: { model: nth }'))).rejects.toThrow(InputError);
    const clean = await simulate(await planFromText(scenario('')));
    expect(clean.counters.packetsLost).toBe(0);
  });
});

describe('a level of detail from outside', () => {
  const closedForm =
    builtInBackends.find(({ collectives }) => collectives.kind === 'closed-form') ?? fail('there is one');
  const rough: Backend = { ...closedForm, name: 'rough', description: 'by a rule of thumb', groups: {} };

  it('is chosen by its word', async () => {
    const run = await simulate(await planFromText(scenario('backend: rough'), { backends: [rough] }));
    const same = await simulate(await planFromText(scenario(`backend: ${closedForm.name}`)));
    expect(run.backend).toBe('rough');
    expect(run.digest).toBe(same.digest);
    await expect(planFromText(scenario('backend: rough'))).rejects.toThrow(/rough/);
  });

  it('leaves what runs if nobody chooses', async () => {
    const run = await simulate(await planFromText(scenario(''), { backends: [rough] }));
    expect(run.backend).toBe(builtInBackends[0]!.name);
  });

  it('times a collective', async () => {
    const fabric = generateFabric('dumbbell');
    const given = { kind: 'allreduce', size: 4096, backends: [rough] } as const;
    const { timePs } = await timeCollective(fabric, { ...given, backend: 'rough' });
    expect(timePs).toBe((await timeCollective(fabric, { ...given, backend: closedForm.name })).timePs);
    expect(timePs).toBeGreaterThan(0);
  });
});
