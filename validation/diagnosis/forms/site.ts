// Fabrics and workloads of the forms of cases (paired-cases.ts), and what they draw from.

import type { RandomStream } from '#weft/base/random.js';
import type { Scenario } from '../cases.js';

/** A run without a cause, and what has to be otherwise for it to have one. */
interface Pair {
  readonly quick: Scenario;
  readonly change?: Scenario;
  readonly job?: number | null;
}

export type Backend = 'credit' | 'packet';

/** What a form draws from. */
export class Draws {
  constructor(
    readonly random: RandomStream,
    readonly backend: Backend,
  ) {}

  pick<T>(list: readonly T[]): T {
    return list[this.random.nextBelow(list.length)]!;
  }

  /** Ways on which nothing meets that does not share a host, where the fabric has such. */
  good(): Scenario {
    return {
      routing: this.backend === 'credit' ? { balancing: 'adaptive' } : { algorithm: this.pick(['ftree', 'dmodk']) },
    };
  }

  shuffled(count: number): number[] {
    const list = range(count);
    for (let i = count - 1; i > 0; i--) {
      const j = this.random.nextBelow(i + 1);
      [list[i], list[j]] = [list[j]!, list[i]!];
    }
    return list;
  }
}

export interface Leaves {
  readonly fabric: Scenario;
  readonly hosts: number;
  readonly perLeaf: number;
  readonly leaves: number;
  readonly rateBps: number;
}

/** Leaves with as many links up as hosts, or a share of them; as a leaf-spine or as a fat tree of two levels. */
export function leaves(draws: Draws, taper = 1, sizes: readonly number[] = [4, 6, 8]): Leaves {
  const [count, perLeaf] = [draws.pick([3, 4, 5]), draws.pick(sizes)];
  const gigabits = draws.pick([100, 200]);
  const up = Math.max(1, Math.floor(perLeaf / taper));
  const [hostRate, upRate] = [`${gigabits}Gbps`, `${gigabits}Gbps`];
  const fabric =
    draws.random.nextBelow(2) === 0
      ? { generate: 'leaf-spine', leaves: count, spines: up, hostsPerLeaf: perLeaf, hostRate, spineRate: upRate }
      : {
          generate: 'fat-tree',
          k: 0,
          pods: count,
          edgesPerPod: 1,
          hostsPerEdge: perLeaf,
          aggregationPerPod: 0,
          cores: up,
          hostRate,
          coreRate: upRate,
        };
  return { fabric, hosts: count * perLeaf, perLeaf, leaves: count, rateBps: gigabits * 1e9 };
}

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

interface Transfer {
  readonly source: number;
  readonly destination: number;
  readonly size: string;
  readonly start: string;
  readonly job?: string;
}

/** Steps of an exchange, each with time for `share` times what a message alone takes. */
export function steps(
  { rateBps }: Pick<Leaves, 'rateBps'>,
  pairs: readonly (readonly (readonly [source: number, destination: number])[])[],
  sizeBytes: number,
  share = 1.2,
  job = 'own',
): Transfer[] {
  const stepUs = (sizeBytes * 8e6 * share) / rateBps + 9;
  return pairs.flatMap((own, step) =>
    own
      .filter(([source, destination]) => source !== destination)
      .map(([source, destination]) => ({
        source,
        destination,
        size: `${sizeBytes}B`,
        start: `${(step * stepUs).toFixed(3)}us`,
        job,
      })),
  );
}

export function transfers(list: readonly Transfer[]): Scenario {
  return { traffic: { transfers: list } };
}

/** Every host to the one a step's distance on: an alltoall in which nobody meets at a host. */
export function shifts(hosts: number, count = hosts - 1): [number, number][][] {
  return range(count).map((step) => range(hosts).map((host) => [host, (host + step + 1) % hosts]));
}

/** A job of layers that computes and sums. */
export function collective(
  name: string,
  ranks: readonly number[],
  kind: string,
  size: string,
  iterations = 2,
): Scenario {
  return {
    name,
    ranks: ranks.join(','),
    iterations,
    layers: [{ name: 'layer', forward: { compute: '100us', collective: kind, group: 'dp', size } }],
  };
}

export function rings(algorithm = 'ring', channels = 1): Scenario {
  return { collectives: { algorithm, channels } };
}

/** A fabric of leaves with a share of its links up. */
export function tapered({ fabric, perLeaf }: Leaves, taper: number): Scenario {
  return {
    ...fabric,
    [fabric['generate'] === 'leaf-spine' ? 'spines' : 'cores']: Math.max(1, Math.floor(perLeaf / taper)),
  };
}

/** Members of each leaf in turn. */
export function dealtOver(hosts: readonly number[], leavesCount: number): number[] {
  const each = hosts.length / leavesCount;
  return hosts.map((_, i) => hosts[(i % leavesCount) * each + Math.floor(i / leavesCount)]!);
}

/** The first or the second half of each leaf. */
export function halfOf({ hosts, perLeaf }: Leaves, half: number): number[] {
  return range(hosts).filter((host) => Math.floor((2 * (host % perLeaf)) / perLeaf) === half);
}

export function stencil({ hosts, perLeaf }: Leaves, draws: Draws): Scenario {
  return {
    program: 'stencil',
    x: perLeaf,
    y: hosts / perLeaf,
    z: 1,
    messageSize: draws.pick(['256KiB', '1MiB']),
    eagerLimit: '4MiB',
    computeTime: '50us',
    iterations: 3,
  };
}

/** A stencil of one row: neighbours in the order of hosts. */
export function line({ hosts }: Leaves, draws: Draws): Scenario {
  return {
    program: 'stencil',
    x: hosts,
    y: 1,
    z: 1,
    messageSize: draws.pick(['512KiB', '1MiB', '2MiB']),
    eagerLimit: '4MiB',
    iterations: 3,
  };
}

/** Planes of four, each on hosts side by side. */
export function transform({ hosts }: Leaves, draws: Draws): Scenario {
  return { ...transformOn(hosts / 4, draws.pick([1, 2])), x: 4, y: 1, z: hosts / 4 };
}

export function transformOn(planes: number, iterations: number): Scenario {
  return {
    program: 'pf3d',
    x: planes,
    y: 1,
    z: 4,
    messageSize: '1MiB',
    computeTime: '50us',
    iterations,
    eagerLimit: '4MiB',
  };
}

/** Ways that go by what is under way, for flows that no static ways keep apart. */
export function adapted(draws: Draws): Scenario {
  return draws.backend === 'credit' ? draws.good() : { controller: { enabled: true } };
}

/** Four servers of four GPUs: tensor groups within them, pipeline or data between. */
export function training(draws: Draws): Scenario {
  return {
    fabric: {
      generate: 'leaf-spine',
      leaves: 2,
      spines: 8,
      hostsPerLeaf: 8,
      gpusPerServer: 4,
      hostRate: '200Gbps',
      spineRate: '200Gbps',
    },
    ...adapted(draws),
    workload: {
      tensorParallel: 4,
      pipelineParallel: draws.pick([1, 2]),
      microBatches: 2,
      stageTransfer: '1MiB',
      layers: [
        {
          name: 'block',
          times: 2,
          forward: { compute: '50us', collective: 'allreduce', group: 'tp', size: '4MiB' },
          weightGradient: { compute: '50us', collective: 'allreduce', group: 'dp', size: '8MiB' },
          synchronize: 'lastMicroBatch',
        },
      ],
    },
  };
}

export function kvCache(prefill: string, decode: string): Scenario {
  return {
    model: 'llama3-8b',
    tensorParallel: 2,
    prefill,
    decode,
    requests: 12,
    arrivals: 'fixed',
    interval: '300us',
    promptTokens: 128,
    outputTokens: 2,
    prefillTime: '200us',
    decodeStepTime: '10us',
  };
}

export function serving(draws: Draws, prefill: string, decode: string): Scenario {
  return {
    fabric: {
      generate: 'leaf-spine',
      leaves: 2,
      spines: 8,
      hostsPerLeaf: 8,
      hostRate: '100Gbps',
      spineRate: '100Gbps',
    },
    ...draws.good(),
    inference: kvCache(prefill, decode),
  };
}

/** Forms of one cause, by what they are. */
export type Forms = Readonly<Record<string, (draws: Draws) => Pair>>;
