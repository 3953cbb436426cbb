// Forwarding tables as static source routes for switches that hash: for each pair of hosts with traffic a UDP source
// port by which the hash takes the way of the tables.
// Invariant: a port that is given takes exactly that way (it is walked again by the function that the packet backend
// walks with). Source of the search: the central controller's (docs/models/central-controller.md). The way back, of
// acknowledgements, is left to the hash.

import type { Diagnostic } from '../../base/diagnostics.js';
import { HopHashes } from '../../controller/hop-hashes.js';
import { destinationPort, firstSourcePort } from '../../execution/admission.js';
import { mostPortsOfHost, NodeKind } from '../../fabric/fabric.js';
import { NodeNames } from '../../fabric/node-names.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficColumn, type Traffic } from '../../flows/traffic/matrix.js';
import type { SourcePortRow } from '../../formats/source-ports.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { PathTracer } from '../../routing/path.js';
import type { RouteHost } from './make-tables.js';
import { refuseSeveralLids } from './route-algorithm.js';
import { readLoadedProblem, type ProblemRequest } from './route-problem.js';
import { loadTables, type TablesRequest } from './tables-input.js';

/** Largest loads of a link, summed over phases, in the unit of the traffic on a link of the hosts' rate. */
export interface SourcePortLoads {
  /** with the ports that pairs count by themselves */
  readonly byHash: number;
  /** of the tables */
  readonly byTables: number;
  /** of the ports that were found, and the counted ones of pairs without */
  readonly byPorts: number;
}

/** Ports of all pairs of a traffic. */
export interface SourcePorts {
  readonly rows: readonly SourcePortRow[];
  /** pairs whose way no source port takes: no shortest way, or the hash gives it to none */
  readonly withoutPort: number;
  readonly loads: SourcePortLoads;
}

/** Tables, and the traffic whose pairs take their ways. */
export interface SourcePortsRequest extends ProblemRequest {
  readonly tables: TablesRequest;
}

/** Ports with what they were found for. */
export interface FoundSourcePorts extends SourcePorts {
  readonly source: RoutedFabric;
  readonly traffic: Traffic;
  readonly warnings: readonly Diagnostic[];
}

/** Finds source ports. @throws InputError if the request has mistakes, or hosts have several LIDs */
export async function routeSourcePorts(request: SourcePortsRequest, host: RouteHost): Promise<FoundSourcePorts> {
  const problem = await readLoadedProblem(request, host, 'which pairs send?', (source) =>
    refuseSeveralLids(source, 'weft route source-ports', 'pairs have one way each'),
  );
  const { source, traffic, files, warnings } = problem;
  const given = await loadTables(files, request.tables, source);
  warnings.push(...given.warnings);
  host.stage?.('searching ports');
  const found = await findSourcePorts(source, given.tables[0]!, traffic, () => files.breathe());
  return { ...found, source, traffic, warnings };
}

/** Finds the ports. @param step is called now and then with the share that is done */
export async function findSourcePorts(
  { fabric }: RoutedFabric,
  tables: ForwardingTables,
  traffic: Traffic,
  step: (share: number) => Promise<void> = () => Promise.resolve(),
): Promise<SourcePorts> {
  const { hosts, portOffset, nodeKind, portCount, portNeighbour } = fabric;
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const hashes = new HopHashes(tracer);
  const names = new NodeNames(fabric);
  const nics = new Int32Array(mostPortsOfHost(fabric));
  const wanted = new Int32Array(Math.max(tracer.maxLength, tables.switches.length + 2));
  const walked = new Int32Array(tracer.maxLength);
  const column = new TrafficColumn(hosts.length);
  const known = new Map<number, number>();
  const rows: SourcePortRow[] = [];
  let withoutPort = 0;
  const largest = { byHash: 0, byTables: 0, byPorts: 0 };
  const baseBps = Math.max(...Array.from(hosts, (host) => fabric.linkRateBps[fabric.portLink[portOffset[host]!]!]!));
  for (const { matrix } of traffic.phases) {
    const load = {
      byHash: new Float64Array(portCount),
      byTables: new Float64Array(portCount),
      byPorts: new Float64Array(portCount),
    };
    const add = (loads: Float64Array, path: Int32Array, length: number, weight: number): void => {
      for (let i = 0; i < length; i++)
        loads[path[i]!]! += (weight * baseBps) / fabric.linkRateBps[fabric.portLink[path[i]!]!]!;
    };
    for (let rank = 0; rank < hosts.length; rank++) {
      const to = hosts[rank]!;
      matrix.toDestination(rank, column);
      for (let i = 0; i < column.length; i++) {
        const from = hosts[column.sources[i]!]!;
        const weight = column.weights[i]!;
        let length = 0;
        let node = from;
        let port = portOffset[from]!;
        while (port >= 0 && length < wanted.length) {
          wanted[length++] = port;
          node = portNeighbour[port]!;
          port = nodeKind[node] === NodeKind.host ? -1 : tables.port(node, to);
        }
        const arrives = node === to;
        add(load.byHash, walked, tracer.trace(from, to, firstSourcePort, destinationPort, walked), weight);
        if (arrives) add(load.byTables, wanted, length, weight);
        const pair = from * fabric.nodeCount + to;
        let found = known.get(pair);
        if (found === undefined) {
          const count = tracer.routes.sourcePorts(from, to, nics);
          hashes.use(from, to, destinationPort);
          const isShortest = arrives && tracer.trace(from, to, firstSourcePort, destinationPort, walked) === length;
          found = isShortest ? hashes.lowestAlong(wanted, length, nics, count) : -1;
          known.set(pair, found);
          if (found < 0) withoutPort++;
          else
            rows.push({
              source: from,
              destination: to,
              sourcePort: found,
              path: Array.from(wanted.subarray(1, length), (hop) => names.portName(hop)),
            });
        }
        const taken = found < 0 ? firstSourcePort : found;
        add(load.byPorts, walked, tracer.trace(from, to, taken, destinationPort, walked), weight);
      }
      if (rank % 16 === 0) await step(rank / hosts.length);
    }
    for (const key of ['byHash', 'byTables', 'byPorts'] as const)
      largest[key] += load[key].reduce((most, own) => Math.max(most, own), 0);
  }
  return { rows, withoutPort, loads: largest };
}
