// Random runs on the credit backend: fat trees with tables or equal-cost ways, rings of switches with ways that go round,
// any lanes, buffers of a few packets. The same seed and number give the same case.
// Invariant: what a case has to come to is worked out here from transfers and shapes alone.

import { creditBackend } from '#weft/backends/credit/credit-backend.js';
import { RandomStream } from '#weft/base/random.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { knownIdentity } from '#weft/fabric/level-identity.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { routeDmodK } from '#weft/routing/d-mod-k.js';
import { ForwardingTables } from '#weft/routing/forwarding-tables.js';
import { routeFtree } from '#weft/routing/ftree.js';
import { layeredLanes } from '#weft/routing/lane-layers.js';
import { type LaneAssignment, SteadyLanes } from '#weft/routing/lane-maps.js';
import { PathTracer } from '#weft/routing/path.js';
import { routeRandom } from '#weft/routing/random-minimal.js';
import { routesByRules } from '#weft/routing/table-routes.js';
import { type BareFlow, bareRun } from './bare-driver.js';
import { Draw } from './draw.js';
import { settingsWith } from './engine-run.js';

/** What came of one case. */
export interface CreditOutcome {
  readonly problems: readonly string[];
  readonly packets: number;
  readonly text: string;
}

interface CreditCase {
  readonly fabric: Fabric;
  /** null: equal-cost ways */
  readonly tables: ForwardingTables | null;
  readonly adaptive: boolean;
  readonly flows: readonly BareFlow[];
  readonly lanes: Partial<LaneAssignment> | null;
  readonly credit: Readonly<Record<string, string | number>>;
  readonly seed: number;
  readonly text: string;
}

const payloadBytes = 1000;
const overheadBytes = 52;
const packetBytes = payloadBytes + overheadBytes;

function runOf({ fabric, tables, adaptive, flows, lanes, credit, seed }: CreditCase) {
  const rules = { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' } as const;
  const routes = routesByRules(fabric, tables === null ? rules : { ...rules, tables: [tables] });
  const { network } = creditBackend.make({
    fabric,
    tracer: new PathTracer(routes),
    links: null,
    pathsMayChange: false,
    countsPorts: false,
    describe: null,
    seed,
    shape: { payloadBytes, overheadBytes, acknowledgementBytes: 60 },
    settings: { credit },
    packet: { ...settingsWith(), balancing: adaptive ? 'adaptive' : 'ecmp' },
    paces: null,
    lanes,
    sink: new MemorySink(),
    wheelWidthPs: null,
  });
  return bareRun(network, flows);
}

/** Every flow ends, every packet arrives, every credit is back. */
function allThere(credits: CreditCase): CreditOutcome {
  const { network, finishPs } = runOf(credits);
  const problems = network
    .verdicts('finished')
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}: ${detail}`);
  const unfinished = finishPs.filter((timePs) => timePs === Infinity).length;
  if (unfinished > 0) problems.push(`${unfinished} flows have not finished: ${network.blockedReason()}`);
  const packets = credits.flows.reduce((sum, { sizeBytes }) => sum + Math.ceil(sizeBytes / payloadBytes), 0);
  const bytes = credits.flows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { counters } = network;
  for (const [name, wanted] of [
    ['dataPacketsSent', packets],
    ['dataPacketsDelivered', packets],
    ['payloadBytesDelivered', bytes],
  ] as const)
    if (counters[name] !== wanted) problems.push(`${name} is ${counters[name]} instead of ${wanted}`);
  return { problems, packets, text: credits.text };
}

function drawOf(kind: string, seed: number, number: number): Draw {
  return new Draw(new RandomStream(seed, `${kind} ${number}`));
}

/** Lanes, buffers and ways to send, of any kind. */
function anyCredit(draw: Draw): Record<string, string | number> {
  const lanes = draw.between(1, 5);
  return {
    lanes,
    levels: draw.between(1, 8),
    sl2vl: draw.of(['modulo', 'random']),
    laneQueues: draw.of(['separate', 'separate', 'shared']),
    buffer: packetBytes * draw.between(1, 4) + draw.between(0, packetBytes - 1),
    returnLatency: draw.of([0, 0, 300_000]),
    switching: draw.of(['cut-through', 'store-and-forward']),
    acceptance: draw.of(['input-buffer', 'output-queue']),
    adaptiveRule: draw.of(['least-loaded', 'lowest-port']),
  };
}

/** A tree with up-down ways: nothing may be lost, and nothing may stand still. */
export function treeOutcome(seed: number, number: number): CreditOutcome {
  const draw = drawOf('credits on a tree', seed, number);
  const fabric = draw.chance(0.5)
    ? generateFabric('leaf-spine', {
        leaves: draw.between(2, 4),
        spines: draw.between(1, 3),
        hostsPerLeaf: draw.between(1, 4),
      })
    : generateFabric('fat-tree', {
        pods: draw.between(2, 3),
        edgesPerPod: 2,
        hostsPerEdge: draw.between(1, 3),
        aggregationPerPod: 2,
        cores: draw.of([2, 4]),
      });
  const { hosts } = fabric;
  const ways = draw.of(['ecmp', 'adaptive', 'ftree', 'random', 'dmodk']);
  const credit = anyCredit(draw);
  const receiver = draw.between(0, hosts.length - 1);
  const incast = draw.chance(0.5) ? 0.6 : 0;
  const flows = Array.from({ length: draw.between(2, 12) }, () => {
    const to = draw.chance(incast) ? receiver : draw.between(0, hosts.length - 1);
    const from = (to + draw.between(1, hosts.length - 1)) % hosts.length;
    return {
      source: hosts[from]!,
      destination: hosts[to]!,
      sizeBytes: draw.between(1, 30_000),
      startPs: draw.between(0, 5_000_000),
      sourcePort: draw.between(10_000, 60_000),
    };
  });
  return allThere({
    fabric,
    tables: tablesOf(fabric, ways, number),
    adaptive: ways === 'adaptive',
    flows,
    lanes: null,
    credit,
    seed: number,
    text: `tree ${number} of seed ${seed}, ${hosts.length} hosts, ${ways}, ${JSON.stringify(credit)}`,
  });
}

function tablesOf(fabric: Fabric, ways: string, seed: number): ForwardingTables | null {
  if (ways === 'ecmp' || ways === 'adaptive') return null;
  const tree = recogniseFatTree(fabric).tree!;
  if (ways === 'random') return routeRandom(tree, seed);
  const ftree = ways === 'ftree' ? routeFtree(fabric, knownIdentity(fabric, null)!, []) : null;
  return ftree instanceof ForwardingTables ? ftree : routeDmodK(tree);
}

/** Switches in a ring, a host at each, that sends some switches on; every way goes round the same way. */
function ring(draw: Draw): { readonly fabric: Fabric; readonly tables: ForwardingTables; readonly flows: BareFlow[] } {
  const switches = draw.between(3, 8);
  const far = draw.between(2, switches - 1);
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, switches);
  builder.addNodes(NodeKind.switch, switches);
  for (let i = 0; i < switches; i++) builder.addLink(i, switches + i, 100e9, 1_000_000);
  for (let i = 0; i < switches; i++) builder.addLink(switches + i, switches + ((i + 1) % switches), 100e9, 1_000_000);
  const fabric = builder.build();
  const tables = new ForwardingTables(fabric);
  const portTo = (from: number, to: number): number => {
    for (let port = fabric.portOffset[from]!; port < fabric.portOffset[from + 1]!; port++)
      if (fabric.portNode[fabric.portPeer[port]!] === to) return port;
    throw new Error(`no link from ${from} to ${to}`);
  };
  for (let at = 0; at < switches; at++)
    for (let host = 0; host < switches; host++) {
      const next = host === at ? host : switches + ((at + 1) % switches);
      tables.setPort(switches + at, host, portTo(switches + at, next));
    }
  const flows = Array.from({ length: switches }, (_, source) => ({
    source,
    destination: (source + far) % switches,
    sizeBytes: 100 * payloadBytes,
    startPs: 0,
    sourcePort: 10_000 + source,
  }));
  return { fabric, tables, flows };
}

/**
 * A ring on one lane: its first packets fill every buffer, none of which has room for more than the cables hold, and all
 * of them wait for the next. The run has to stand still, and the ring has to be named, link by link.
 */
export function loopOutcome(seed: number, number: number): CreditOutcome {
  const draw = drawOf('credits in a ring', seed, number);
  const { fabric, tables, flows } = ring(draw);
  const switches = fabric.hosts.length;
  const credit = {
    buffer: packetBytes * draw.between(1, 4),
    switching: draw.of(['cut-through', 'store-and-forward']),
    lanes: draw.between(1, 3),
    levels: 1,
  };
  const text = `ring ${number} of seed ${seed}, ${switches} switches, ${JSON.stringify(credit)}`;
  const { network, finishPs } = runOf({
    fabric,
    tables,
    adaptive: false,
    flows,
    lanes: null,
    credit,
    seed: number,
    text,
  });
  const problems = [];
  if (finishPs.some((timePs) => timePs !== Infinity)) problems.push('some flows have finished');
  const said = network.verdicts('blocked').find(({ name }) => name === 'no deadlock by credits');
  // node and interface of the port to the next switch: the second link of each but the last, which got it first
  const named = [...(said?.detail ?? '').matchAll(/(\d+):\d+ \(/g)].map(([, node]) => Number(node));
  const around = named.slice(0, -1);
  const closes =
    named.length === switches + 1 &&
    new Set(around).size === switches &&
    around.every((node, i) => named[i + 1] === switches + ((node - switches + 1) % switches));
  if (said?.ok !== false || !closes) problems.push(`the ring is not named: ${said?.detail ?? 'no verdict'}`);
  const lost = network.verdicts('blocked').filter(({ name, ok }) => name === 'conservation' && !ok);
  if (lost.length > 0) problems.push(lost[0]!.detail);
  return { problems, packets: network.counters['dataPacketsSent'] ?? 0, text };
}

/** The same rings, each pair on the lane that layers of tables free of deadlock give it: nothing may stand still. */
export function layeredOutcome(seed: number, number: number): CreditOutcome {
  const draw = drawOf('credits in a ring', seed, number);
  const { fabric, tables, flows } = ring(draw);
  const switches = fabric.hosts.length;
  const layers = layeredLanes([tables], 8)!;
  const { count } = layers;
  const credit = { buffer: packetBytes * draw.between(1, 4), lanes: count };
  const lanes = {
    levels: { count, of: (source: number, destination: number) => layers.level(switches + source, destination) },
    map: new SteadyLanes(count),
  };
  const text = `layered ring ${number} of seed ${seed}, ${switches} switches, ${count} lanes`;
  return allThere({ fabric, tables, adaptive: false, flows, lanes, credit, seed: number, text });
}
