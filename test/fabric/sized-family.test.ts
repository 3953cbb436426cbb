// Fabrics of a comparison: as many GPUs as asked for and no more taper, in every family and size.

import { describe, expect, it } from 'vitest';
import { findFamily, generateFabric } from '../../src/fabric/generators/catalogue.js';
import { sizedParameters, switchPortsFor } from '../../src/fabric/generators/sized-family.js';
import { fabricShape } from '../../src/report/fabric-comparison.js';

function sized(name: string, given: Record<string, unknown>, gpus: number, taper: number) {
  const { family, implied } = findFamily(name)!;
  const all = { ...implied, ...given };
  const found = sizedParameters(family, all, { gpus, taper, switchPorts: null })!;
  return { gpus: found.gpus, fabric: generateFabric(name, { ...found.parameters, ...given }) };
}

describe('families of one size', () => {
  it.each(
    ['spectrum-x', 'alibaba-hpn', 'alibabahpn-dualplane', 'dcn+', 'dcn-dualtor', 'leaf-spine', 'fat-tree'].concat([
      'dragonfly',
      'dragonfly+',
      'torus',
      'hyperx',
    ]),
  )('%s has all GPUs with 400 Gb/s each, and at most the taper', (name) => {
    for (const gpus of [64, 128, 256, 512, 1024])
      for (const taper of [1, 2]) {
        const { gpus: own, fabric } = sized(name, {}, gpus, taper);
        expect([own, fabric.hosts.length, fabric.gpusPerServer]).toEqual([gpus, gpus, 8]);
        const { downBps, upBps, nicPorts } = fabricShape(fabric);
        expect(downBps / upBps).toBeLessThanOrEqual(taper);
        // no more than counts that are rounded up make it; a torus, a HyperX and a dragonfly have whole links to every neighbour
        if (!['torus', 'hyperx', 'dragonfly'].includes(name)) expect(downBps / upBps).toBe(taper);
        let rateBps = 0;
        for (let port = fabric.portOffset[0]!; port < fabric.portOffset[1]!; port++)
          if (fabric.nodeKind[fabric.portNode[fabric.portPeer[port]!]!] === 1)
            rateBps += fabric.linkRateBps[fabric.portLink[port]!]!;
        expect(rateBps).toBe(400e9);
        expect(nicPorts).toBe(/hpn|dualtor/.test(name) ? 2 : 1);
      }
  });

  it('takes the smallest switches with which two levels hold all', () => {
    // P^2 / 2 hosts: 8 -> 32, 16 -> 128, 32 -> 512, 64 -> 2048
    expect([32, 33, 128, 129, 1024].map((gpus) => switchPortsFor({ gpus, taper: 1, switchPorts: null }))).toEqual([
      8, 16, 16, 32, 64,
    ]);
  });

  it('keeps what is given, and has the rest follow', () => {
    // 2 spines for 8 hosts a leaf: 4 links to each
    const { fabric } = sized('leaf-spine', { spines: '2' }, 128, 1);
    expect(fabricShape(fabric)).toMatchObject({ leaves: 16, spines: 2, downBps: 8 * 400e9, upBps: 8 * 400e9 });
    expect(fabricShape(sized('leaf-spine', { leaves: 4 }, 128, 1).fabric)).toMatchObject({ leaves: 4, spines: 32 });
    expect(fabricShape(sized('spectrum-x', { nicsPerAsw: '4' }, 128, 1).fabric)).toMatchObject({
      leaves: 32,
      spines: 4,
    });
    expect(sized('leaf-spine', { leaves: 3, hostsPerLeaf: 8 }, 128, 1).gpus).toBe(24);
  });

  it('has no size for families without one', () => {
    expect(sizedParameters(findFamily('dumbbell')!.family, {}, { gpus: 16, taper: 1, switchPorts: null })).toBeNull();
  });
});
