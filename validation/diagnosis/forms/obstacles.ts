// Forms of cases in which something stands in a job's way: others' traffic, or a part slower than its kind.

import type { Scenario } from '../cases.js';
import {
  collective,
  dealtOver,
  halfOf,
  leaves,
  range,
  rings,
  shifts,
  steps,
  tapered,
  training,
  transfers,
  transformOn,
  type Forms,
} from './site.js';

export const otherTrafficForms: Forms = {
  'bully on the other half': (draws) => {
    const site = leaves(draws, 2, [8]);
    const [even, odd] = [0, 1].map((rest) => halfOf(site, rest));
    const own = { ...transformOn(site.leaves, 1), name: 'own', nodes: dealtOver(even!, site.leaves).join(',') };
    const other = {
      name: 'bully',
      program: 'bully',
      nodes: odd!.join(','),
      messageSize: '200KiB',
      messages: 40,
      rounds: 4,
    };
    return { quick: { fabric: site.fabric, ...draws.good(), jobs: [own] }, change: { jobs: [own, other] }, job: 0 };
  },
  'backup on shared hosts': (draws) => {
    const site = leaves(draws);
    const own = steps(site, shifts(site.hosts, 5), 1 << 20);
    const backups = range(Math.ceil(site.hosts / 2))
      .map((i) => ({
        source: 2 * i,
        destination: (2 * i + site.perLeaf) % site.hosts,
        size: '8MiB',
        start: '0us',
        job: 'backup',
      }))
      .filter(({ source, destination }) => source < site.hosts && source !== destination);
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) },
      change: transfers([...own, ...backups]),
      job: 0,
    };
  },
  'incast behind a leaf': (draws) => {
    const site = leaves(draws, 1, [8]);
    const own = {
      ...transformOn(site.leaves, 1),
      name: 'own',
      nodes: dealtOver(halfOf(site, 0), site.leaves).join(','),
    };
    const rest = draws
      .shuffled(site.hosts)
      .filter((host) => halfOf(site, 1).includes(host))
      .slice(0, 12);
    const other = {
      name: 'incasts',
      program: 'incast',
      senders: 5,
      nodes: rest.join(','),
      messageSize: '1MiB',
      messages: 12,
    };
    return { quick: { fabric: site.fabric, ...draws.good(), jobs: [own] }, change: { jobs: [own, other] }, job: 0 };
  },
  'two rings by hash': (draws) => {
    const site = leaves(draws, 1, [8]);
    const ring = (name: string, rest: number): Scenario =>
      collective(name, dealtOver(halfOf(site, rest), site.leaves), 'allreduce', '8MiB');
    // one of the two alone has half of the links to itself
    return {
      quick: { fabric: tapered(site, 2), ...draws.good(), ...rings(), jobs: [ring('a', 0)] },
      change: { jobs: [ring('a', 0), ring('b', 1)] },
      job: 0,
    };
  },
  'flows of nobody': (draws) => {
    const site = leaves(draws, 2, [8]);
    const own = collective('own', dealtOver(halfOf(site, 0), site.leaves), 'allreduce', '8MiB');
    const list = halfOf(site, 1).map((source) => ({
      source,
      destination: (source + site.perLeaf) % site.hosts,
      size: '8MiB',
      start: '0us',
    }));
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...rings(), jobs: [own] },
      change: transfers(list),
      job: 0,
    };
  },
  'across a torus': (_draws) => {
    const fabric = {
      generate: 'torus',
      width: 4,
      height: 4,
      hostsPerSwitch: 2,
      hostRate: '100Gbps',
      switchRate: '100Gbps',
    };
    const own = {
      name: 'own',
      program: 'stencil',
      x: 4,
      y: 4,
      z: 1,
      messageSize: '1MiB',
      eagerLimit: '4MiB',
      iterations: 3,
      nodes: range(16)
        .map((i) => 2 * i)
        .join(','),
    };
    const other = {
      name: 'other',
      program: 'bisection',
      messageSize: '2MiB',
      messages: 12,
      nodes: range(16)
        .map((i) => 2 * i + 1)
        .join(','),
    };
    return { quick: { fabric, jobs: [own] }, change: { jobs: [own, other] }, job: 0 };
  },
};

export const slowPartForms: Forms = {
  'link of a host': (draws) => {
    const site = leaves(draws);
    const rate = `${Math.round((site.rateBps / 1e9) * draws.pick([0.1, 0.25, 0.5]))}Gbps`;
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, shifts(site.hosts, 5), 1 << 20)) },
      change: { failures: { events: [{ at: '0us', link: `host[${draws.random.nextBelow(site.hosts)}]:1`, rate }] } },
    };
  },
  'receiver in an alltoall': (draws) => {
    const site = leaves(draws, 1, [4]);
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        jobs: [collective('moe', range(site.hosts), 'alltoall', '8MiB')],
      },
      change: { stragglers: [{ rank: draws.random.nextBelow(site.hosts), receive: draws.pick([0.1, 0.25, 0.5]) }] },
    };
  },
  'receiver in a ring': (draws) => {
    const site = leaves(draws);
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        ...rings(),
        jobs: [collective('ring', range(site.hosts), 'allreduce', '8MiB')],
      },
      change: { stragglers: [{ rank: draws.random.nextBelow(site.hosts), receive: draws.pick([0.2, 0.4, 0.5]) }] },
    };
  },
  'receiver that pauses': (draws) => {
    const site = leaves(draws);
    const straggler = { rank: draws.random.nextBelow(site.hosts), receive: draws.pick([0.1, 0.25, 0.5]) };
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, shifts(site.hosts, 5), 1 << 20)) },
      change: { stragglers: [draws.backend === 'packet' ? { ...straggler, receiveBuffer: '200kB' } : straggler] },
    };
  },
  'lossy link': (draws) => {
    const site = leaves(draws);
    const link = draws.random.nextBelow(site.hosts);
    const slow =
      draws.backend === 'packet' ? { errorRate: draws.pick([0.01, 0.02]) } : { rate: `${site.rateBps / 4e9}Gbps` };
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, shifts(site.hosts, 5), 1 << 20)) },
      change: { failures: { events: [{ at: '0us', link: `host[${link}]:1`, ...slow }] } },
    };
  },
  'link up': (draws) => {
    const site = leaves(draws, 1, [4, 6]);
    const far = range(4).map((k) =>
      range(site.hosts).map((host): [number, number] => [
        host,
        (host + (1 + (k % (site.leaves - 1))) * site.perLeaf) % site.hosts,
      ]),
    );
    const up = site.fabric['generate'] === 'leaf-spine' ? 'leaf[1]-spine[0]' : 'edge[1]-spine[0]';
    return {
      quick: { fabric: site.fabric, routing: { algorithm: 'dmodk' }, ...transfers(steps(site, far, 1 << 20)) },
      change: {
        failures: {
          events: [
            { at: '0us', link: up, rate: `${Math.round((site.rateBps / 1e9) * draws.pick([0.1, 0.25, 0.5]))}Gbps` },
          ],
        },
      },
    };
  },
  'training on servers': (draws) => ({
    quick: training(draws),
    change: {
      failures: {
        events: [
          { at: '0us', link: `server[${draws.random.nextBelow(4)}].nic[0]`, rate: `${draws.pick([20, 50])}Gbps` },
        ],
      },
    },
  }),
};
