// Forms of cases in which nothing is slow, or hosts are: by what they are asked for, or in which order.

import type { Scenario } from '../cases.js';
import {
  adapted,
  collective,
  kvCache,
  leaves,
  range,
  serving,
  shifts,
  stencil,
  steps,
  training,
  transfers,
  transform,
  type Forms,
} from './site.js';

export const quickForms: Forms = {
  'alltoall by shifts': (draws) => {
    const site = leaves(draws);
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, shifts(site.hosts), 256 * 1024)) },
    };
  },
  'tree allreduce': (draws) => {
    const site = leaves(draws);
    return {
      quick: {
        fabric: site.fabric,
        // pairs of a tree are no shift: on static tables some meet between switches
        ...adapted(draws),
        collectives: { algorithm: 'tree' },
        jobs: [collective('tree', range(site.hosts), 'allreduce', '4MiB')],
      },
    };
  },
  'alltoall job': (draws) => {
    const site = leaves(draws, 1, [4]);
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        jobs: [collective('moe', range(site.hosts), 'alltoall', '8MiB')],
      },
    };
  },
  'training on servers': (draws) => ({ quick: training(draws) }),
  stencil: (draws) => {
    const site = leaves(draws);
    return { quick: { fabric: site.fabric, ...draws.good(), workload: stencil(site, draws) } };
  },
  transform: (draws) => {
    const site = leaves(draws, 1, [4, 8]);
    return { quick: { fabric: site.fabric, ...draws.good(), workload: transform(site, draws) } };
  },
  'storage spread': (draws) => {
    const site = leaves(draws);
    const half = Math.floor(site.hosts / 2);
    const pairs = range(3).map((step) => range(half).map((i): [number, number] => [i, half + ((i + step) % half)]));
    return { quick: { fabric: site.fabric, ...draws.good(), ...transfers(steps(site, pairs, 1 << 20)) } };
  },
  'KV caches': (draws) => ({ quick: serving(draws, '0-7', '8-15') }),
};

export const endpointForms: Forms = {
  'storage of few': (draws) => {
    const site = leaves(draws);
    const size = draws.pick([512, 1024]) * 1024;
    const half = Math.floor(site.hosts / 2);
    const few = draws.pick([1, 2]);
    const targets = range(few).map(() => draws.random.nextBelow(site.hosts - half) + half);
    const spread = steps(
      site,
      range(3).map((k) => range(half).map((i): [number, number] => [i, half + ((i + k) % half)])),
      size,
    );
    const packed = steps(
      site,
      range(3).map((k) => range(half).map((i): [number, number] => [i, targets[(i + k) % few]!])),
      size,
    );
    return { quick: { fabric: site.fabric, ...draws.good(), ...transfers(spread) }, change: transfers(packed) };
  },
  'few beside a shift': (draws) => {
    const site = leaves(draws);
    const size = draws.pick([256, 512, 1024]) * 1024;
    const own = steps(site, shifts(site.hosts, 4), size);
    const victim = draws.random.nextBelow(site.hosts);
    const senders = draws
      .shuffled(site.hosts)
      .filter((host) => host !== victim)
      .slice(0, draws.pick([2, 3, 4]));
    const more = steps(
      site,
      range(4).map(() => senders.map((host): [number, number] => [host, victim])),
      size,
    );
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) },
      change: transfers([...own, ...more]),
    };
  },
  'one serves all': (draws) => {
    const site = leaves(draws);
    const size = draws.pick([256, 512]) * 1024;
    const server = draws.random.nextBelow(site.hosts);
    const own = steps(site, shifts(site.hosts, 2), size);
    const served = steps(
      site,
      range(2).map(() => range(site.hosts).map((host): [number, number] => [server, host])),
      size,
    );
    return { quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) }, change: transfers(served) };
  },
  'hot expert': (draws) => {
    const site = leaves(draws, 1, [4]);
    const hot = draws.random.nextBelow(site.hosts);
    const own = steps(site, shifts(site.hosts), 256 * 1024);
    const more = own.map((one) =>
      one.destination === hot ? { ...one, size: `${draws.pick([4, 6]) * 256 * 1024}B` } : one,
    );
    return { quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) }, change: transfers(more) };
  },
  'incast program': (draws) => {
    const site = leaves(draws);
    const of = (senders: number): Scenario => ({
      workload: {
        program: 'incast',
        senders,
        messageSize: '1MiB',
        messages: 4,
        nodes: `0-${Math.floor(site.hosts / (senders + 1)) * (senders + 1) - 1}`,
      },
    });
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...of(1) },
      change: of(draws.pick([3, site.hosts - 1])),
    };
  },
  'one decodes for all': (draws) => ({
    quick: serving(draws, '0-7', '8-15'),
    change: { inference: kvCache('0-7,12-15', '8-9') },
  }),
};

export const patternForms: Forms = {
  'alltoall to one after the other': (draws) => {
    const site = leaves(draws, 1, [4]);
    const size = draws.pick([128, 256, 512]) * 1024;
    const own = steps(site, shifts(site.hosts), size);
    const same = range(site.hosts).map((step) => range(site.hosts).map((host): [number, number] => [host, step]));
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) },
      change: transfers(steps(site, same, size)),
    };
  },
  'two meet': (draws) => {
    const site = leaves(draws);
    const even = site.hosts;
    const size = draws.pick([512, 1024, 2048]) * 1024;
    const own = steps(site, shifts(even, 6), size);
    const meeting = range(6).map((step) =>
      range(even).map((host): [number, number] => [host, (2 * host + 1 + step) % even]),
    );
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) },
      change: transfers(steps(site, meeting, size, 2.2)),
    };
  },
  'random partners': (draws) => {
    const site = leaves(draws);
    const size = draws.pick([512, 1024]) * 1024;
    const own = steps(site, shifts(site.hosts, 8), size);
    // every host sends to each of eight once, in an order of its own
    const orders = range(site.hosts).map(() => draws.shuffled(8));
    const meeting = range(8).map((step) =>
      range(site.hosts).map((host): [number, number] => [host, (host + 1 + orders[host]![step]!) % site.hosts]),
    );
    return {
      quick: { fabric: site.fabric, ...draws.good(), ...transfers(own) },
      change: transfers(steps(site, meeting, size, 2.5)),
    };
  },
  'blocks of groups in one order': (draws) => {
    const site = leaves(draws, 1, [4, 8]);
    const size = draws.pick([256, 512]) * 1024;
    const group = 4;
    const within = (step: (host: number, k: number) => number): [number, number][][] =>
      range(group).map((k) => range(site.hosts).map((host) => [host, host - (host % group) + step(host % group, k)]));
    return {
      quick: {
        fabric: site.fabric,
        ...draws.good(),
        ...transfers(
          steps(
            site,
            within((i, k) => (i + k) % group),
            size,
          ),
        ),
      },
      change: transfers(
        steps(
          site,
          within((_, k) => k),
          size,
          group - 1,
        ),
      ),
    };
  },
};
