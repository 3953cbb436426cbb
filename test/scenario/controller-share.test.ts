// A controller with a share of the servers says so if its seed draws none of them: the run is one without a controller.

import { describe, expect, it } from 'vitest';
import { askingHosts } from '../../src/controller/asking-hosts.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { seed } from '../support/seed.js';

const scenario = `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
traffic: { transfers: [{ source: 0, destination: 4, size: 1MiB }] }
`;

async function planned(...overrides: string[]) {
  return makePlan('s.yaml', { host: memoryHost({ 's.yaml': scenario }), overrides });
}

describe('a share of the servers', () => {
  it('that draws none is warned of at its place, and no other is', async () => {
    const words = ['controller.enabled=true', 'seed=1'];
    const { warnings } = await planned(...words, 'controller.share=0.0001');
    expect(warnings).toMatchObject([{ code: 'controller-draws-none', got: '0.0001' }]);
    expect((await planned(...words, 'controller.share=0.9999')).warnings).toEqual([]);
    expect((await planned(...words)).warnings).toEqual([]);
  });

  it(`is warned of exactly where nobody asks (WEFT_SEED=${seed})`, async () => {
    let none = 0;
    for (let own = seed; own < seed + 24; own++) {
      const { fabric, warnings } = await planned('controller.enabled=true', `seed=${own}`, 'controller.share=0.08');
      const asks = askingHosts(fabric, 0.08, own).reduce((sum, one) => sum + one, 0);
      expect([own, warnings.length]).toEqual([own, asks === 0 ? 1 : 0]);
      if (asks === 0) none++;
    }
    // half of all seeds draw none of eight: 0.92 to the eighth
    expect(none).toBeGreaterThan(0);
    expect(none).toBeLessThan(24);
  });
});
