// What the page computes: a run of packets and a table of routes, with the entries of the package and nothing else. The
// worker imports it in the browser; Node can, too, and comes to the same digests.

import { flowTable, memoryHost, MemorySink, planFromText, simulate } from '@weft-sim/weft';
import { writeForwardingTables } from '@weft-sim/weft/formats';
import { computeRoutes } from '@weft-sim/weft/routes';

const scenario = `
name: eight into one, and one beside
seed: 7
fabric: { generate: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4 }
traffic:
  transfers:
    - { source: 4, destination: 0, size: 500kB }
    - { source: 5, destination: 0, size: 500kB }
    - { source: 6, destination: 0, size: 500kB }
    - { source: 7, destination: 0, size: 500kB }
    - { source: 8, destination: 0, size: 500kB }
    - { source: 9, destination: 0, size: 500kB }
    - { source: 10, destination: 0, size: 500kB }
    - { source: 11, destination: 0, size: 500kB }
    - { source: 12, destination: 3, size: 2MB, start: 20us }
`;

/**
 * Simulates, packet by packet.
 * @param abilities clock and breath of the place where it runs
 * @param onProgress told how far the run is, from 0 to 1
 */
export async function simulation(abilities, onProgress) {
  const host = memoryHost({}, abilities);
  const records = new MemorySink();
  const run = await simulate(await planFromText(scenario, { host }), {
    host,
    sink: records,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  return {
    flows: `${run.finished} of ${run.flows} ${run.outcome}, ${records.rowCount(flowTable)} rows`,
    'last completion': `${run.simulatedPs / 1e6} us`,
    'packet-hops': run.counters.packetHops,
    'ECN marks': run.counters.ecnMarks,
    'self-checks': run.verdicts.every(({ ok }) => ok) ? `all ${run.verdicts.length} passed` : 'FAILED',
    digest: run.digest,
  };
}

/** Searches routes for a fat tree of 128 hosts, with a limit in work, so that any machine finds the same. */
export async function routes() {
  const { evaluation, made, source, verdicts } = await computeRoutes({
    fabric: { family: 'fat-tree', parameters: { k: 8 } },
    traffic: 'random-permutation',
    algorithm: 'weft',
    seed: 3,
    mostWork: 1_000_000,
  });
  return {
    fabric: `${source.fabric.hosts.length} hosts, ${made.tables[0].switches.length} switches`,
    'largest load': evaluation.maxLoad,
    'lower bound': evaluation.lowerBound,
    'self-checks': verdicts.every(({ ok }) => ok) ? `all ${verdicts.length} passed` : 'FAILED',
    digest: await sha256(writeForwardingTables(source, made.tables)),
  };
}

/** The SHA-256 of a text, hexadecimal. */
async function sha256(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
