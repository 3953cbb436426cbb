// What a run sent, as traffic: bytes by pair of hosts, from the fct.txt of its folder (docs/formats/run-directory.md),
// or an fct.txt alone, of Weft, SimAI or HPCC; by phase from its tables, where they can be opened (run-phases.ts).
// Invariant: ranks are places among the hosts of the run's own fabric (fabric.topo beside it), which has as many hosts
// as the fabric that routes are for; without it nodes are those of that fabric. Not kept: when something was sent.

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import { nodeOfIpv4 } from '../../fabric/addresses.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficBuilder, type Traffic, type TrafficPhase } from '../../flows/traffic/matrix.js';
import { ByteLines, utf8Of } from '../../formats/byte-lines.js';
import { readFctLine } from '../../formats/simai-fct.js';
import { readTopology } from '../../formats/simai-topology.js';
import type { RunHost } from '../../records/run-tables.js';
import { digestsOfManifest, requireUnchanged } from '../../records/run-digests.js';
import { runPhases } from './run-phases.js';

/**
 * The traffic of a run.
 * @param name folder of a run, or a file called fct.txt
 * @returns null if it is neither
 * @throws InputError, HostFileError
 */
export async function runTraffic(
  host: Host & RunHost,
  name: string,
  source: RoutedFabric,
): Promise<{ readonly traffic: Traffic; readonly warnings: readonly Diagnostic[] } | null> {
  const isFile = /(?:^|[/\\_.-])fct\.txt$/.test(name);
  const folder = isFile ? null : await folderOf(host, name);
  if (!isFile && folder === null) return null;
  const file = folder === null ? name : `${folder}/fct.txt`;
  const { fabric } = source;
  const diagnostics = new Diagnostics();
  await requireSound(host, file, ['fabric.topo', 'fct.txt']);
  const own = await runFabric(host, { folder, topology: host.resolve(file, 'fabric.topo') }, fabric, diagnostics);
  const rankOf = new Int32Array(own.nodeCount).fill(-1);
  own.hosts.forEach((node, rank) => {
    rankOf[node] = rank;
  });
  const phases = folder === null ? null : await phasesOf(host, folder, rankOf, fabric.hosts.length);
  if (phases !== null) {
    const traffic: Traffic = {
      name,
      hostCount: fabric.hosts.length,
      unit: 'bytes',
      note: 'bytes by pair of hosts and phase, of a run',
      phases,
    };
    return { traffic, warnings: diagnostics.warnings };
  }
  const builder = new TrafficBuilder(fabric.hosts.length, 'bytes');
  const lines = new ByteLines((line, length, number) => {
    if (diagnostics.full) return;
    const row = readFctLine(file, number, utf8Of(line, 0, length), diagnostics);
    if (row === null) return;
    const [from, to] = [row.sourceAddress, row.destinationAddress].map((address) => rankOf[nodeOfIpv4(address)] ?? -1);
    if (from! < 0 || to! < 0)
      diagnostics.error('unknown-host', file, { line: number, column: 1 }, 'a flow is of a node that is no host', {
        got: `${nodeOfIpv4(row.sourceAddress)} -> ${nodeOfIpv4(row.destinationAddress)}`,
        wanted: `hosts of ${folder === null ? source.name : 'the run'}`,
      });
    else builder.add(from!, to!, row.sizeBytes);
  });
  for await (const piece of host.readBytes(file)) {
    if (diagnostics.full) break;
    lines.push(piece);
  }
  lines.end();
  diagnostics.throwIfErrors();
  if (builder.length === 0)
    throw InputError.about('empty-file', file, 'no flow of the run has ended between two hosts', {
      wanted: 'a line for every flow',
    });
  const traffic: Traffic = {
    name,
    hostCount: fabric.hosts.length,
    unit: 'bytes',
    note: 'bytes by pair of hosts, of a run',
    phases: [{ name: 'all', matrix: builder.build() }],
  };
  return { traffic, warnings: diagnostics.warnings };
}

/** Phases of a run of Weft whose tables can be opened; null: there are none. @throws InputError, HostFileError */
async function phasesOf(
  host: Host & RunHost,
  folder: string,
  rankOf: Int32Array,
  hosts: number,
): Promise<TrafficPhase[] | null> {
  if (host.openRun === undefined) return null;
  try {
    await host.readText(host.resolve(`${folder}/fct.txt`, 'manifest.json'));
  } catch {
    return null;
  }
  return runPhases(await host.openRun(folder), rankOf, hosts);
}

/**
 * Refuses files of a run that are not as its manifest says; without a manifest, or one that has no digests, nothing is
 * known.
 * @param file of the run's folder @param names of files in it @throws InputError, HostFileError
 */
async function requireSound(host: Host, file: string, names: readonly string[]): Promise<void> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(await host.readText(host.resolve(file, 'manifest.json')));
  } catch {
    return;
  }
  const digests = digestsOfManifest(manifest);
  for (const name of names) {
    const wanted = digests?.get(name);
    if (wanted === undefined) continue;
    const path = host.resolve(file, name);
    const digest = host.sha256?.() ?? sha256.create();
    for await (const piece of host.readBytes(path)) digest.update(piece);
    requireUnchanged(path, bytesToHex(digest.digest()), wanted);
  }
}

/** The folder that a name means, without a slash at its end; null if it is a file. @throws HostFileError */
export async function folderOf(host: Host, name: string): Promise<string | null> {
  try {
    for await (const _ of host.readBytes(name)) break;
    return null;
  } catch (error) {
    if (error instanceof HostFileError && error.reason === 'directory') return name.replace(/(?<=.)[/\\]+$/, '');
    throw error;
  }
}

/**
 * The fabric of a run; of a file alone that has none beside it, the one that routes are for.
 * @param run its folder, null of a file alone @throws InputError, HostFileError
 */
async function runFabric(
  host: Host,
  { folder, topology: file }: { readonly folder: string | null; readonly topology: string },
  routed: Fabric,
  diagnostics: Diagnostics,
): Promise<Fabric> {
  let text: string;
  try {
    text = await host.readText(file);
  } catch (error) {
    if (!(error instanceof HostFileError) || error.reason !== 'missing') throw error;
    if (folder === null) return routed;
    throw InputError.about('not-a-run', folder, 'the directory is not the folder of a run', {
      got: 'no file fabric.topo in it',
      wanted: 'the name of a pattern, a file of traffic, or what weft run --out wrote',
    });
  }
  const fabric = readTopology(text, file, diagnostics);
  diagnostics.throwIfErrors();
  if (fabric!.hosts.length !== routed.hosts.length)
    throw InputError.about('wrong-size', file, "the run's fabric has another number of hosts", {
      got: `${fabric!.hosts.length} hosts`,
      wanted: `${routed.hosts.length}, as --fabric has`,
      hint: 'hosts are matched by their ranks',
    });
  return fabric!;
}
