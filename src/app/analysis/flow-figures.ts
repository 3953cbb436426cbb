// What the flows of a stored run come to: completion times by size and by switches, source ports that the controller
// chose, and one line per flow with its path, as export_flow_csv.py of the central-controller document
// (docs/SOURCES.md), §8, writes it.

import {
  cumulativePoints,
  percentilesByGroup,
  percentilesOf,
  sizeBucket,
  sizeBuckets,
} from '../../measurement/distribution.js';
import { slowdownOf } from '../../measurement/slowdowns.js';
import type { RunTables } from '../../records/run-tables.js';
import type { CompletionAnalysis, PortAnalysis } from '../../report/completion-text.js';
import { type FlowHops, hopsOf, isChosenPort, spinesOf, storedFlows, switchesOf } from './joined-flows.js';

/** The first line of flows.csv, with its newline. */
export const flowsHeader = 'flow_id,src_gpu,dst_gpu,sport,spine_switch,hops,fct_ns,slowdown,cc_assigned\n';

const rowsPerPiece = 4096;

/** A name as a field of a CSV file. */
export function csvField(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** Completion times of a run in groups. @throws InputError, HostFileError */
export async function completionOf(run: RunTables): Promise<CompletionAnalysis> {
  const flows = await storedFlows(run);
  const timesNs = flows.finishPs.map((finishPs, i) => (finishPs - flows.startPs[i]!) / 1000);
  const hops = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  const switches = hops === null ? null : Int32Array.from(flows.flowId, (_id, flow) => switchesOf(hops, flow));
  const mostSwitches = switches === null ? 0 : switches.reduce((a, b) => Math.max(a, b), 0);
  const alone = flows.idealPs.map((idealPs, i) => (idealPs > 0 ? slowdownOf(timesNs[i]! * 1000, idealPs) : NaN));
  return {
    run: run.shown,
    flows: flows.flows,
    bySize: [
      percentilesOf('all', timesNs),
      ...percentilesByGroup(timesNs, (flow) => sizeBucket(flows.sizeBytes[flow]!), sizeBuckets),
    ],
    byHops:
      switches === null
        ? []
        : percentilesByGroup(
            timesNs,
            (flow) => `${switches[flow]!}`,
            Array.from({ length: mostSwitches + 1 }, (_, count) => `${count}`),
          ),
    slowdown: percentilesOf(
      'slowdown',
      alone.filter((value) => !Number.isNaN(value)),
    ),
    cdf: cumulativePoints(timesNs),
  };
}

/** Source ports of the flows of a run. @throws InputError, HostFileError */
export async function portsOf(run: RunTables): Promise<PortAnalysis> {
  const flows = await storedFlows(run);
  const hops = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  const counts = new Map<number, number>();
  let counted = 0;
  let assigned = 0;
  for (let flow = 0; flow < flows.flows; flow++) {
    if (hops !== null && switchesOf(hops, flow) < 2) continue;
    counted++;
    const port = flows.sourcePort[flow]!;
    if (!isChosenPort(run, port)) continue;
    assigned++;
    counts.set(port, (counts.get(port) ?? 0) + 1);
  }
  const ports = [...counts].map(([port, own]) => ({ port, flows: own, share: own / assigned }));
  ports.sort((a, b) => a.port - b.port);
  return { run: run.shown, flows: counted, assigned, deepest: ports.at(-1)?.port ?? 0, ports };
}

/** The lines of flows.csv, header first, by number of the flow. @throws InputError, HostFileError */
export async function* flowsCsvPieces(run: RunTables): AsyncGenerator<string> {
  const flows = await storedFlows(run);
  const hops: FlowHops | null = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  let rows = flowsHeader;
  for (let flow = 0; flow < flows.flows; flow++) {
    const switches = hops === null ? 0 : switchesOf(hops, flow);
    const spines = hops === null ? [] : spinesOf(hops, flow, switches);
    const completionPs = flows.finishPs[flow]! - flows.startPs[flow]!;
    const idealPs = flows.idealPs[flow]!;
    rows += `${[
      flows.flowId[flow]!,
      flows.source[flow]!,
      flows.destination[flow]!,
      flows.sourcePort[flow]!,
      spines.join('+'),
      hops === null ? '' : switches,
      Math.round(completionPs / 1000),
      idealPs > 0 ? slowdownOf(completionPs, idealPs).toFixed(4) : '',
      isChosenPort(run, flows.sourcePort[flow]!),
    ].join(',')}\n`;
    if ((flow + 1) % rowsPerPiece === 0) {
      yield rows;
      rows = '';
    }
  }
  if (rows !== '') yield rows;
}
