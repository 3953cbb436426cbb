// Forms of cases in which links between switches are slow: too few, badly mapped to, badly routed over.

import type { Scenario } from '../cases.js';
import { collective, leaves, line, range, rings, steps, tapered, transfers, transform, type Forms } from './site.js';

/** Sums in groups of four that follow each other. */
function tensorJob(own: readonly number[]): Scenario {
  return {
    name: 'tensor',
    ranks: own.join(','),
    tensorParallel: 4,
    layers: [
      { name: 'block', times: 3, forward: { compute: '50us', collective: 'allreduce', group: 'tp', size: '4MiB' } },
    ],
  };
}

export const interiorForms: Forms = {
  'bisection on a taper': (draws) => {
    const taper = draws.pick([2, 3, 4]);
    const site = leaves(draws, 1, [6, 8]);
    const size = draws.pick(['512KiB', '1MiB', '2MiB']);
    const workload = { program: 'bisection', pairing: 'shift', messageSize: size, messages: 4 };
    return { quick: { fabric: site.fabric, ...draws.good(), workload }, change: { fabric: tapered(site, taper) } };
  },
  'alltoall on a taper': (draws) => {
    const taper = draws.pick([2, 3, 4]);
    const site = leaves(draws, 1, [4, 6]);
    const jobs = [collective('moe', range(site.hosts), 'alltoall', '8MiB')];
    return { quick: { fabric: site.fabric, ...draws.good(), jobs }, change: { fabric: tapered(site, taper) } };
  },
  'shifts on a taper': (draws) => {
    const taper = draws.pick([2, 3]);
    const site = leaves(draws, 1, [6, 8]);
    const far = range(4).map((k) =>
      range(site.hosts).map((host): [number, number] => [
        host,
        (host + (1 + (k % (site.leaves - 1))) * site.perLeaf) % site.hosts,
      ]),
    );
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, far, 1 << 20, taper * 1.15)) },
      change: { fabric: tapered(site, taper) },
    };
  },
  torus: (draws) => {
    const [width, height] = draws.pick([
      [4, 4],
      [8, 2],
      [6, 4],
    ] as const);
    const hosts = 2 * width * height;
    const fabric = {
      generate: 'torus',
      width,
      height,
      hostsPerSwitch: 2,
      hostRate: '100Gbps',
      switchRate: '800Gbps',
    };
    const far = range(3).map(() => range(hosts).map((host): [number, number] => [host, (host + hosts / 2) % hosts]));
    return {
      quick: { fabric, ...transfers(steps({ rateBps: 1e11 }, far, 1 << 20, 4)) },
      change: { fabric: { ...fabric, switchRate: `${draws.pick([40, 50])}Gbps` } },
    };
  },
};

export const mappingForms: Forms = {
  'stencil at random': (draws) => {
    const site = leaves(draws, draws.pick([3, 4]), [6, 8]);
    const workload = line(site, draws);
    return {
      quick: { fabric: site.fabric, ...draws.good(), workload },
      change: { workload: { ...workload, nodes: draws.shuffled(site.hosts).join(',') } },
    };
  },
  'ring over all leaves': (draws) => {
    const site = leaves(draws, draws.pick([2, 3, 4]), [6, 8]);
    const ranks = range(site.hosts);
    const dealt = ranks.map((i) => (i % site.leaves) * site.perLeaf + Math.floor(i / site.leaves));
    const size = draws.pick(['4MiB', '8MiB', '16MiB']);
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        ...rings(),
        jobs: [collective('ring', ranks, 'allreduce', size)],
      },
      change: { jobs: [collective('ring', dealt, 'allreduce', size)] },
    };
  },
  'tensor groups torn apart': (draws) => {
    const site = leaves(draws, draws.pick([2, 4]), [4, 8]);
    const ranks = range(site.hosts);
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...rings(), jobs: [tensorJob(ranks)] },
      change: { jobs: [tensorJob(draws.shuffled(site.hosts))] },
    };
  },
  'planes dealt out': (draws) => {
    const site = leaves(draws, draws.pick([2, 4]), [4, 8]);
    const workload = transform(site, draws);
    const dealt = range(site.hosts).map((i) => (i % site.leaves) * site.perLeaf + Math.floor(i / site.leaves));
    return {
      quick: { fabric: site.fabric, ...draws.good(), workload },
      change: { workload: { ...workload, nodes: dealt.join(',') } },
    };
  },
  'torus at random': (draws) => {
    const [width, height] = draws.pick([
      [4, 4],
      [6, 4],
      [6, 6],
    ] as const);
    const fabric = {
      generate: 'torus',
      width,
      height,
      hostsPerSwitch: 2,
      hostRate: '100Gbps',
      switchRate: '100Gbps',
    };
    const workload = {
      program: 'stencil',
      x: 2 * width,
      y: height,
      z: 1,
      messageSize: '1MiB',
      eagerLimit: '4MiB',
      iterations: 2,
    };
    return {
      quick: { fabric, workload },
      change: { workload: { ...workload, nodes: draws.shuffled(2 * width * height).join(',') } },
    };
  },
  'ranks of a node dealt out': (draws) => {
    const site = leaves(draws, 1, [4, 8]);
    const workload = {
      program: 'stencil',
      x: 4 * site.hosts,
      y: 1,
      z: 1,
      periodic: false,
      ranksPerNode: 4,
      messageSize: '1MiB',
      eagerLimit: '4MiB',
      iterations: 3,
    };
    return {
      quick: { fabric: site.fabric, ...draws.good(), workload },
      change: { workload: { ...workload, mapping: 'cyclic' } },
    };
  },
};

export const routesForms: Forms = {
  'few large flows by hash': (draws) => {
    const site = leaves(draws, 1, [6, 8]);
    const size = draws.pick([2, 4, 8]) << 20;
    const far = [range(site.hosts).map((host): [number, number] => [host, (host + site.perLeaf) % site.hosts])];
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, far, size)) },
      change: { routing: { algorithm: 'ecmp' } },
    };
  },
  'random tables': (draws) => {
    const site = leaves(draws, 1, [6, 8]);
    const workload = { program: 'bisection', pairing: 'shift', messageSize: '1MiB', messages: 4 };
    return {
      quick: { fabric: site.fabric, routing: { algorithm: draws.pick(['ftree', 'dmodk']) }, workload },
      change: { routing: { algorithm: 'random' } },
    };
  },
  'strides on dmodk': (draws) => {
    const site = leaves(draws, 1, [4, 8]);
    // receivers one place apart on every leaf: d mod k sends them all over one spine
    const half = Math.floor(site.leaves / 2);
    const place = draws.random.nextBelow(site.perLeaf);
    const pairs = range(3).map(() =>
      range(Math.min(site.perLeaf, site.leaves - half)).map((i): [number, number] => [
        i,
        (half + i) * site.perLeaf + place,
      ]),
    );
    const list = transfers(steps(site, pairs, 1 << 20, 4));
    const quick =
      draws.backend === 'credit' ? { balancing: 'adaptive' } : { algorithm: 'equal-cost', balancing: 'spray' };
    return {
      quick: {
        fabric: site.fabric,
        routing: quick,
        ...(draws.backend === 'packet' ? { transport: { algorithm: 'irn' }, irn: { nackThreshold: 100 } } : {}),
        ...list,
      },
      change: { routing: { algorithm: 'dmodk' } },
    };
  },
  'rings by hash': (draws) => {
    const site = leaves(draws, 1, [8]);
    const dealt = range(site.hosts).map((i) => (i % site.leaves) * site.perLeaf + Math.floor(i / site.leaves));
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        ...rings(),
        jobs: [collective('ring', dealt, 'allreduce', '8MiB')],
      },
      change: { routing: { algorithm: 'ecmp' } },
    };
  },
  'fat tree of three levels': (draws) => {
    const k = draws.pick([4, 6]);
    const hosts = (k * k * k) / 4;
    const fabric = { generate: 'fat-tree', k };
    const far = range(2).map((step) =>
      range(hosts).map((host): [number, number] => [host, (host + ((step + 1) * k * k) / 4) % hosts]),
    );
    return {
      quick: { fabric, ...draws.good(), ...transfers(steps({ rateBps: 1e11 }, far, 2 << 20, 3)) },
      change: { routing: { algorithm: draws.pick(['ecmp', 'random']) } },
    };
  },
};
