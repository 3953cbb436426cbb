// Random runs on the credit backend: fat trees with tables or equal-cost ways, rings of switches with ways that go round,
// any lanes, buffers of a few packets. The same seed and number give the same case.
// Invariant: what a case has to come to is worked out here from transfers and shapes alone.

import { creditBackend } from '#weft/backends/credit/credit-backend.js';
import { RandomStream } from '#weft/base/random.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { knownIdentity } from '#weft/fabric/level-identity.js';
import { PortPollColumn, portPollTable } from '#weft/records/poll-records.js';
import { LinkSampleColumn, linkSampleTable } from '#weft/sampling/sample-records.js';
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
import { type SettingChanges, settingsWith } from './engine-run.js';

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

/** Samples in packets, and readings of the counters of ports. */
type Watching = Required<Pick<SettingChanges, 'sampling' | 'polling'>>;

/** @param watching left out: nobody looks */
function runOf({ fabric, tables, adaptive, flows, lanes, credit, seed }: CreditCase, watching: SettingChanges = {}) {
  const rules = { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' } as const;
  const routes = routesByRules(fabric, tables === null ? rules : { ...rules, tables: [tables] });
  const sink = new MemorySink();
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
    packet: { ...settingsWith(watching), balancing: adaptive ? 'adaptive' : 'ecmp' },
    paces: null,
    lanes,
    sink,
    wheelWidthPs: null,
  });
  return { ...bareRun(network, flows), sink };
}

/** Values of both, from a stream of their own. */
function anyWatching(seed: number, number: number): Watching {
  const draw = drawOf('who watches credits', seed, number);
  return {
    sampling: {
      variant: draw.of(['off', 'standard', 'one-bit']),
      every: draw.of([1, 1, 3]),
      congested: draw.of(['queue', 'threshold', 'probability']),
      threshold: draw.of([1, 3 * packetBytes]),
      hosts: draw.chance(0.5),
      window: draw.of([0, 1_000_000, 7_777_777]),
      hopBits: draw.of([1, 3, 8]),
      randomness: draw.of(['generator', 'lfsr']),
      exact: draw.chance(0.3),
    },
    polling: {
      interval: draw.of([0, 500_000, 3_333_333]),
      width: draw.of(['64-bit', '32-bit']),
      lanes: draw.chance(0.5),
      spread: draw.of([0, 200_000]),
      tick: draw.of([1, 1000]),
    },
  };
}

/** What is wrong where a run is watched: it goes as without, and hosts' ports, and samples, know every packet. */
function watchedProblems(credits: CreditCase, watching: Watching, packets: number, finishPs: readonly number[]) {
  const watched = runOf(credits, watching);
  const problems: string[] = [];
  const moved = finishPs.findIndex((timePs, flow) => timePs !== watched.finishPs[flow]);
  if (moved >= 0) problems.push(`flow ${moved} ends at ${watched.finishPs[moved]} instead of ${finishPs[moved]}`);
  const { sampling, polling } = watching;
  if (polling.interval! > 0) {
    const at = PortPollColumn;
    const [node, port, sent] = [at.node, at.port, at.transmitPackets].map((column) =>
      watched.sink.column(portPollTable, column),
    ) as [Float64Array, Float64Array, Float64Array];
    const last = new Map<string, number>();
    node.forEach((own, row) => {
      if (credits.fabric.nodeKind[own] === NodeKind.host) last.set(`${own}:${port[row]!}`, sent[row]!);
    });
    const read = [...last.values()].reduce((sum, own) => sum + own, 0);
    if (read !== packets) problems.push(`hosts' ports read ${read} packets instead of ${packets}`);
  }
  if (sampling.variant === 'standard' && sampling.every === 1) {
    const samples = watched.sink.column(linkSampleTable, LinkSampleColumn.samples).reduce((sum, own) => sum + own, 0);
    if (samples !== packets) problems.push(`${samples} samples arrived instead of ${packets}`);
  }
  return problems;
}

/** Every flow ends, every packet arrives, every credit is back. @param watching of a second run; null: there is none */
function allThere(credits: CreditCase, watching: Watching | null = null): CreditOutcome {
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
  if (watching !== null) problems.push(...watchedProblems(credits, watching, packets, finishPs));
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
    acceptance: draw.of(['input-buffer', 'output-queue', 'output-buffer']),
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
  const watching = number % 3 === 0 ? anyWatching(seed, number) : null;
  const watched = watching === null ? '' : `, watched by ${JSON.stringify(watching)}`;
  const made = {
    fabric,
    tables: tablesOf(fabric, ways, number),
    adaptive: ways === 'adaptive',
    flows,
    lanes: null,
    credit,
    seed: number,
    text: `tree ${number} of seed ${seed}, ${hosts.length} hosts, ${ways}, ${JSON.stringify(credit)}${watched}`,
  };
  return allThere(made, watching);
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
