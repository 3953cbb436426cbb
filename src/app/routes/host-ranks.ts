// Ranks of hosts by what files call them; and hosts of the jobs that Slurm lists: of a node all adapters'
// ports whose name begins with its name.
// Invariant: every node of a job is a host of the fabric, else it is a mistake with the line of the job. Nodes may be
// shared: then jobs send at the same time, and a warning says so.

import { Diagnostics, type Diagnostic } from '../../base/diagnostics.js';
import { PortIndex } from '../../fabric/port-identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { readSlurmJobs } from '../../formats/slurm-jobs.js';

/**
 * Ranks by whole name, and by its first word; adapters with two ports, and sites that do not name their hosts, have
 * several of a name.
 */
function hostNames({ fabric, identity }: RoutedFabric): Map<string, number[]> {
  const whole = new Map<string, number[]>();
  const words = new Map<string, number[]>();
  fabric.hosts.forEach((host, rank) => {
    const name = identity.nodeName[host]!;
    addRank(whole, name, rank);
    addRank(words, name.split(' ')[0]!, rank);
  });
  // a whole name goes before the first word of others
  return new Map([...words, ...whole]);
}

/**
 * Ranks by what files call hosts: a name, the first word of one, a GUID (`0x…`) of node or port, `lid 12`, or a name
 * with the GUID behind it. Several ranks if several hosts are called so.
 */
export function ranksByWord(source: RoutedFabric): (word: string) => readonly number[] {
  const known: Map<string, readonly number[]> = hostNames(source);
  let index: PortIndex | null = null;
  return (word) => {
    let ranks = known.get(word);
    if (ranks === undefined) {
      index ??= new PortIndex(source);
      ranks = index.meant(word).flatMap((node) => {
        const rank = source.tree.hostRank[node]!;
        return rank === -1 ? [] : [rank];
      });
      known.set(word, ranks);
    }
    return ranks;
  };
}

function addRank(ranks: Map<string, number[]>, name: string, rank: number): void {
  const there = ranks.get(name);
  if (there === undefined) ranks.set(name, [rank]);
  else there.push(rank);
}

/** Reads a list of jobs. @param file its name, for messages @throws InputError */
export function slurmAllocation(
  text: string,
  file: string,
  source: RoutedFabric,
): { readonly jobs: readonly AllocatedJob[]; readonly warnings: readonly Diagnostic[] } {
  const diagnostics = new Diagnostics();
  const listed = readSlurmJobs(text, file, diagnostics);
  diagnostics.throwIfErrors();
  const ranks = hostNames(source);
  const jobOf = new Map<number, string>();
  let shared = 0;
  const jobs = listed!.map(({ id, nodes, at }): AllocatedJob => {
    const hosts: number[] = [];
    const unknown = nodes.filter((node) => ranksOf(ranks, node) === undefined);
    if (unknown.length > 0)
      diagnostics.error('unknown-host', file, at, `job ${id} has nodes that are no hosts of the fabric`, {
        got: unknown.length === 1 ? unknown[0]! : `${unknown[0]!} and ${unknown.length - 1} more`,
        wanted: `such as ${source.identity.nodeName[source.fabric.hosts[0]!]!.split(' ')[0]!}`,
      });
    for (const rank of nodes.flatMap((node) => ranksOf(ranks, node) ?? [])) {
      if (jobOf.has(rank)) shared++;
      jobOf.set(rank, id);
      hosts.push(rank);
    }
    return { name: id, hosts: Int32Array.from(hosts) };
  });
  diagnostics.throwIfErrors();
  if (shared > 0)
    diagnostics.warning(
      'shared-nodes',
      file,
      listed![0]!.at,
      `${shared} hosts are in more than one job: their traffic adds up`,
    );
  return { jobs, warnings: diagnostics.warnings };
}

/** Ranks of a node by its name, or by the part of it before the domain. */
function ranksOf(ranks: ReadonlyMap<string, number[]>, node: string): number[] | undefined {
  return ranks.get(node) ?? ranks.get(node.split('.')[0]!);
}
