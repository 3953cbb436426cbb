// Cases for `weft diagnose`: a run that is quick, with one cause of slowness put into it, or none. What was put in is
// known, so what is found can be counted right or wrong.
//   Of three kinds of fabric: fat trees, leaf-spines, tori. Of two backends: credit and packet.

import { RandomStream } from '#weft/base/random.js';
import { causes, type Cause } from '#weft/diagnosis/finding.js';

/** A scenario as data, as YAML would have it. */
export type Scenario = Readonly<Record<string, unknown>>;

export interface DiagnosisCase {
  readonly name: string;
  /** null: nothing is slow */
  readonly cause: Cause | null;
  /** number of the job that owns the samples; null: flows of none */
  readonly job: number;
  readonly scenario: Scenario;
}

const backends = ['credit', 'packet'] as const;
const fabricKinds = ['fat-tree', 'leaf-spine', 'torus'] as const;
type FabricKind = (typeof fabricKinds)[number];

/** A fabric that has room for all that its hosts send, and how its hosts stand. */
interface Site {
  readonly fabric: Readonly<Record<string, unknown>>;
  readonly hosts: number;
  /** hosts of a leaf */
  readonly perLeaf: number;
}

/** The cases of a seed, cause after cause. */
export function diagnosisCases(seed: number, count: number): DiagnosisCase[] {
  const kinds: readonly (Cause | null)[] = [...causes, null];
  return Array.from({ length: count }, (_, i) => {
    const cause = kinds[i % kinds.length]!;
    const round = Math.floor(i / kinds.length);
    const random = new RandomStream(seed + 1000 * i, 'diagnosis cases');
    const backend = backends[round % 2]!;
    const kind = fabricKinds[Math.floor(round / 2) % 3]!;
    const made = makeCase(cause, kind, random, quickRouting(backend, kind));
    return {
      name: `${cause ?? 'none'} ${backend} ${kind} ${i}`,
      cause,
      job: made.job ?? 0,
      scenario: { ...baseOf(backend, kind), ...made.scenario },
    };
  });
}

function baseOf(backend: (typeof backends)[number], kind: FabricKind): Scenario {
  return {
    backend,
    sampling: { variant: 'standard' },
    ...(backend === 'credit' ? { packet: { payload: '4KiB' } } : {}),
    // ways around a torus wait for each other in a circle unless there is room for what is under way
    ...(backend === 'credit' && kind === 'torus' ? { credit: { buffer: '4MiB' } } : {}),
  };
}

/** Ways on which what does not share a host meets nowhere, as far as there are such. */
function quickRouting(backend: (typeof backends)[number], kind: FabricKind): Scenario {
  // packets that overtake each other are sent again by go-back-N, and adaptive ways around a torus may deadlock
  if (kind === 'torus') return {};
  return backend === 'credit' ? { balancing: 'adaptive' } : { algorithm: 'ftree' };
}

function siteOf(kind: FabricKind, random: RandomStream): Site {
  const pick = <T>(list: readonly T[]): T => list[random.nextBelow(list.length)]!;
  switch (kind) {
    case 'fat-tree': {
      const k = pick([4, 6]);
      return {
        fabric: { generate: 'fat-tree', k, hostRate: '100Gbps', aggregationRate: '100Gbps', coreRate: '100Gbps' },
        hosts: (k * k * k) / 4,
        perLeaf: k / 2,
      };
    }
    case 'leaf-spine': {
      const [leaves, perLeaf] = [pick([4, 6, 8]), pick([4, 8])];
      return {
        fabric: {
          generate: 'leaf-spine',
          leaves,
          spines: perLeaf,
          hostsPerLeaf: perLeaf,
          hostRate: '100Gbps',
          spineRate: '100Gbps',
        },
        hosts: leaves * perLeaf,
        perLeaf,
      };
    }
    case 'torus': {
      const [width, height] = [pick([4, 6]), 4];
      return {
        fabric: { generate: 'torus', width, height, hostsPerSwitch: 2, hostRate: '100Gbps', switchRate: '400Gbps' },
        hosts: 2 * width * height,
        perLeaf: 2,
      };
    }
  }
}

interface Made {
  readonly scenario: Scenario;
  readonly job?: number;
}

interface Transfer {
  readonly source: number;
  readonly destination: number;
  readonly size: string;
  readonly start: string;
  readonly job: string;
}

const rateBps = 100e9;

/** Rounds in which every host sends to the one that `partner` names, spaced so that each is done before the next. */
function rounds(
  hosts: number,
  count: number,
  sizeBytes: number,
  partner: (host: number, round: number) => number,
  share = 1.15,
): Transfer[] {
  const roundUs = (sizeBytes * 8e6 * share) / rateBps + 8;
  const transfers: Transfer[] = [];
  for (let round = 0; round < count; round++)
    for (let source = 0; source < hosts; source++) {
      const destination = partner(source, round);
      if (destination === source) continue;
      transfers.push({
        source,
        destination,
        size: `${sizeBytes}B`,
        start: `${(round * roundUs).toFixed(3)}us`,
        job: 'own',
      });
    }
  return transfers;
}

/** Neighbours in the order of hosts: hardly anything leaves a leaf. */
function quickTransfers({ hosts }: Site, random: RandomStream): Transfer[] {
  const size = (1 << random.nextBelow(3)) * 256 * 1024;
  return rounds(
    hosts,
    3 + random.nextBelow(4),
    size,
    (host, round) => (host + (round % 2 === 0 ? 1 : hosts - 1)) % hosts,
  );
}

function makeCase(cause: Cause | null, kind: FabricKind, random: RandomStream, routing: Scenario): Made {
  const site = siteOf(kind, random);
  const { fabric, hosts, perLeaf } = site;
  switch (cause) {
    case null:
      return random.nextBelow(2) === 0
        ? { scenario: { fabric, routing, traffic: { transfers: quickTransfers(site, random) } } }
        : {
            scenario: {
              fabric,
              routing,
              jobs: [ringJob(range(hosts), random)],
              collectives: { algorithm: 'ring', channels: 1 },
            },
          };
    case 'endpoint': {
      const victim = random.nextBelow(hosts);
      const senders = 3 + random.nextBelow(4);
      const own = quickTransfers(site, random);
      const more = own
        .filter(({ source, start }) => (source + start.length) % 2 === 0 || source < senders)
        .map(({ source, size, start, job }) => ({ source, destination: victim, size, start, job }));
      return {
        scenario: {
          fabric,
          traffic: { transfers: [...own, ...more].filter(({ source, destination }) => source !== destination) },
        },
      };
    }
    case 'pattern': {
      const size = 256 * 1024;
      const group = Math.min(hosts, 8);
      // all of a group send to its first host, then to its second: in turn they would not meet
      const transfers = rounds(hosts, group, size, (host, round) => host - (host % group) + round, (group - 1) * 1.02);
      return {
        scenario: {
          fabric,
          routing,
          traffic: { transfers: transfers.filter(({ destination }) => destination < hosts) },
        },
      };
    }
    case 'interior':
      return { scenario: tapered(site, kind, random, routing) };
    case 'mapping':
      return { scenario: mapped(site, kind, random, routing) };
    case 'routes': {
      const shift = Math.floor(hosts / 2);
      const size = (1 + random.nextBelow(3)) * 512 * 1024;
      const transfers = rounds(
        hosts,
        2 + random.nextBelow(3),
        size,
        (host, round) => (host + shift + ((perLeaf * round) % shift)) % hosts,
        2.5,
      );
      return {
        scenario: {
          fabric: kind === 'torus' ? { ...fabric, switchRate: '200Gbps', linksPerNeighbour: 2 } : fabric,
          routing: { algorithm: 'ecmp' },
          traffic: { transfers },
        },
      };
    }
    case 'other-traffic': {
      const own = quickTransfers(site, random);
      const far = rounds(hosts, 12, 1 << 20, (host) => (host + 2) % hosts, 1.1)
        .filter(({ source }) => source % 2 === 0)
        .map(({ source, destination, size, start }) => ({ source, destination, size, start, job: 'other' }));
      return { scenario: { fabric, traffic: { transfers: [...own, ...far] } } };
    }
    case 'slow-part':
      return random.nextBelow(2) === 0
        ? {
            scenario: {
              fabric,
              stragglers: [{ rank: random.nextBelow(hosts), receive: 0.2 + 0.2 * random.nextFraction() }],
              routing,
              traffic: { transfers: quickTransfers(site, random) },
            },
          }
        : {
            scenario: {
              fabric,
              failures: {
                events: [
                  { at: '0us', link: `host[${random.nextBelow(hosts)}]:1`, rate: `${20 + random.nextBelow(25)}Gbps` },
                ],
              },
              routing,
              traffic: { transfers: quickTransfers(site, random) },
            },
          };
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function ringJob(ranks: readonly number[], random: RandomStream): Readonly<Record<string, unknown>> {
  const size = `${1 << (2 + random.nextBelow(3))}MiB`;
  return {
    name: 'ring',
    ranks: ranks.join(','),
    iterations: 2,
    layers: [{ name: 'gradients', forward: { compute: '200us', collective: 'allreduce', group: 'dp', size } }],
  };
}

/** A quarter of the links between switches, and traffic that has to cross them. */
function tapered(
  { fabric, hosts, perLeaf }: Site,
  kind: FabricKind,
  random: RandomStream,
  routing: Scenario,
): Scenario {
  const shift = Math.floor(hosts / 2);
  const size = (1 + random.nextBelow(3)) * 512 * 1024;
  const transfers = rounds(hosts, 2 + random.nextBelow(3), size, (host) => (host + shift) % hosts, 4.5);
  const less =
    kind === 'leaf-spine'
      ? { spines: Math.max(1, perLeaf / 4) }
      : kind === 'fat-tree'
        ? { aggregationRate: '25Gbps', coreRate: '25Gbps' }
        : { switchRate: '50Gbps' };
  return { fabric: { ...fabric, ...less }, routing, traffic: { transfers } };
}

/** Neighbours far apart on a tapered fabric, where neighbours side by side are quick. */
function mapped({ fabric, hosts, perLeaf }: Site, kind: FabricKind, random: RandomStream, routing: Scenario): Scenario {
  const less =
    kind === 'leaf-spine'
      ? { spines: Math.max(1, perLeaf / 4) }
      : kind === 'fat-tree'
        ? { aggregationRate: '25Gbps', coreRate: '25Gbps' }
        : { switchRate: '50Gbps' };
  const ranks = range(hosts);
  for (let i = hosts - 1; i > 0; i--) {
    const j = random.nextBelow(i + 1);
    [ranks[i], ranks[j]] = [ranks[j]!, ranks[i]!];
  }
  if (random.nextBelow(2) === 0)
    return {
      fabric: { ...fabric, ...less },
      routing,
      collectives: { algorithm: 'ring', channels: 1 },
      jobs: [ringJob(ranks, random)],
    };
  return {
    fabric: { ...fabric, ...less },
    routing,
    workload: {
      program: 'stencil',
      x: 4,
      y: hosts,
      z: 1,
      periodic: false,
      messageSize: `${1 << random.nextBelow(2)}MiB`,
      iterations: 2,
      eagerLimit: '4MiB',
      mapping: 'cyclic',
      ranksPerNode: 4,
    },
  };
}
