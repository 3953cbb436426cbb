// Whole random scenarios over the catalogue of settings: a fabric, transfers, failures, and any settings together.
// Values are those at which a small run shows something: intervals of a few round trips, buffers of a few packets. The
// same seed and number give the same scenario.
// Invariant: every setting of the packet backend and of its mechanisms is drawn (the test asks for it); what cannot go together is left to
// the plan to refuse.

import { controllerPolicies } from '#weft/controller/central-controller.js';
import type { CongestionMechanism } from '#weft/backends/packet/mechanism.js';
import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import { packetBackend } from '#weft/backends/packet/packet-backend.js';
import { InputError } from '#weft/base/diagnostics.js';
import { RandomStream } from '#weft/base/random.js';
import { FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { writeTopology } from '#weft/formats/simai-topology-text.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { Draw } from './draw.js';

export interface RandomScenario {
  /** a scenario; JSON is YAML */
  readonly text: string;
  /** files that it names */
  readonly files: Readonly<Record<string, string>>;
  /** probes, and settings of samples in packets, that may be added */
  readonly probes: Readonly<Record<string, unknown>>;
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly polling: Readonly<Record<string, unknown>>;
}

type Value = string | number | boolean;

/** Values of each setting; the defaults are drawn more often than any of them. */
export const drawnValues: Readonly<Record<string, readonly Value[]>> = {
  ...shownValues(),
  'transport.algorithm': ['go-back-n', 'irn', 'omnidma', 'uec'],
  'irn.recovery': ['rewind'],
  'irn.nackThreshold': [2, 20],
  'irn.lowTimeout': ['1us', '20us', '100us'],
  'irn.fewPackets': [0, 1, 50],
  'omnidma.bitmap': [1, 2, 8, 64, 256],
  'omnidma.timeout': ['5us', '100us'],
  'omnidma.activeNack': [false],
  'omnidma.window': [true],
  'omnidma.nack': ['1B', '1024B'],
  'rnic.dma': ['duplex', 'off'],
  'rnic.dmaBandwidth': ['1Gbps', '4Gbps'],
  'rnic.dmaLatency': ['0ns', '5us'],
  'rnic.tlpPayload': ['64B', '4096B'],
  'rnic.tlpOverhead': ['0B', '256B'],
  'rnic.listCache': [0, 1, 100],
  'rnic.tableCache': [0, 1, 64],
  'uec.control': ['rccc', 'both', 'none'],
  'uec.targetDelay': ['1us', '50us'],
  'uec.maximumWindow': [0.01, 0.5, 100],
  'uec.firstCredit': [0, 10],
  'uec.reorderThreshold': [1, 3, 1000],
  'uec.acknowledgementInterval': ['0B', '5kB', '1MB'],
  'spray.order': ['round-robin'],
  'drill.samples': [1, 4],
  'drill.memory': [0, 3],
  'letflow.flowletTimeout': ['0us', '1us', '10us'],
  'conga.flowletTimeout': ['0us', '1us', '10us'],
  'conga.estimatorInterval': ['1us', '1ms'],
  'conga.estimatorGain': [0.01, 1],
  'conga.loadBits': [1, 8],
  'conga.sampledWays': [1, 64],
  'conga.agingTime': ['0us', '5us'],
  'conweave.replyTime': ['0us', '1us', '50us'],
  'conweave.avoidTime': ['0us', '1ms'],
  'conweave.tailTime': ['0us', '1us', '1ms'],
  'conweave.unknownTime': ['0us', '5us'],
  'conweave.expiryTime': ['1us', '20us'],
  'conweave.reorderQueues': [0, 1, 2],
  'conweave.reorderBuffer': ['0B', '5kB', '100kB'],
  'entropy.values': [1, 2, 300],
  'reps.cache': [1, 2, 32],
  'reps.freezing': ['0us', '50us'],
  'reorder.buffer': ['10kB', '1MB'],
  'reorder.timeout': ['1ps', '1us', '30us'],
  'loss.model': ['independent', 'burst', 'high-frequency', 'amazon', 'google', 'microsoft', 'gilbert-elliott'],
  'loss.rate': [0.001, 0.05],
  'loss.packets': ['all'],
  'loss.at': ['links'],
  'loss.burstLength': [5, 40],
  'loss.burstSpread': [0, 4],
  'loss.frequentWindow': [14, 30],
  'loss.frequentLeast': [1, 5],
  'loss.frequentMost': [5, 10],
  'loss.badToGood': [0.01, 0.5],
  'loss.badTime': ['3us'],
  'loss.lossInBad': [0.5],
  'loss.lossInGood': [0.0005],
  'packet.profile': ['rocev2', 'simai'],
  'packet.payload': ['256B', '1000B', '1024B', '9000B'],
  'packet.header': ['0B', '1B', '500B'],
  'packet.acknowledgement': ['1B', '1024B'],
  'packet.notification': ['1B', '1024B'],
  'packet.pauseFrame': ['1B', '1024B'],
  'packet.gap': ['0B', '1B', '300B'],
  'queuePair.perFlow': ['auto', 1, 2, 3, 7, 64],
  'queuePair.portChoice': ['hash'],
  'queuePair.priority': [1, 2, 7],
  'queuePair.acknowledgementPriority': [0, 1, 5, 7],
  'queuePair.window': ['pair-bdp', 'unlimited', '1B', '20kB'],
  'queuePair.variableWindow': [false],
  'queuePair.rateBound': [false],
  'queuePair.nackInterval': ['0us', '1us', '50us'],
  'queuePair.notificationInterval': ['1us', '50us'],
  'queuePair.notificationDelay': ['1ps', '1us', '30us'],
  'queuePair.acknowledgementInterval': [2, 3, 16, 1000],
  'queuePair.acknowledgementDelay': ['1ps', '100ns', '1us', '1ms'],
  'queuePair.goBackTo': ['chunk-start', 'message-start'],
  'queuePair.chunk': ['1B', '2000B', '16KiB'],
  'queuePair.retransmissionTimeout': ['0us', '1us', '30us', '200us'],
  'queuePair.retries': [0, 1, 50],
  'congestion.algorithm': Object.keys(mechanisms.congestionControls),
  'dcqcn.gain': [0, 0.5, 1],
  'dcqcn.alphaInterval': ['1ns', '10us'],
  'dcqcn.decreaseInterval': ['100ns', '50us'],
  'dcqcn.increaseInterval': ['500ns', '20us'],
  'dcqcn.fastRecoveryRounds': [0, 5],
  'dcqcn.additiveIncrease': ['1Mbps', '5Gbps'],
  'dcqcn.hyperIncrease': ['1Mbps', '50Gbps'],
  'dcqcn.minimumRate': ['1Gbps'],
  'dcqcn.firstMarkRate': [0, 0.5],
  'dcqcn.clampTargetRate': [true],
  'dctcp.gain': [0, 0.5, 1],
  'dctcp.additiveIncrease': ['1Mbps', '10Gbps'],
  'dctcp.minimumRate': ['1Gbps'],
  'timely.lowThreshold': ['0us', '5us'],
  'timely.highThreshold': ['10us', '60us'],
  'timely.minimumRtt': ['1ps', '2us'],
  'timely.smoothing': [0, 1],
  'timely.decrease': [0, 1],
  'timely.additiveIncrease': ['1Mbps', '5Gbps'],
  'timely.hyperIncrease': ['1Mbps', '50Gbps'],
  'timely.minimumRate': ['1Gbps'],
  'hpcc.targetUtilisation': [0.01, 0.5, 1],
  'hpcc.maxStage': [1, 5],
  'hpcc.additiveIncrease': ['1Mbps', '5Gbps'],
  'hpcc.expectedFlows': [1, 1000],
  'hpcc.minimumRate': ['1Gbps'],
  'hpcc.multiRate': [true],
  'hpcc.fastReact': [false],
  'pint.logBase': [1.0001, 2, 16],
  'pint.probability': [0, 0.05, 0.5],
  'ecn.enabled': [true, false],
  'pfc.enabled': [false],
  'pfc.threshold': ['static'],
  'pfc.thresholdShift': [0, 1, 8],
  'pfc.staticThreshold': ['1B', '5kB', '50kB'],
  'pfc.headroom': ['cable', 'delays'],
  'pfc.headroomDelays': [0, 2, 8],
  'pfc.responseTime': ['0us', '100ns', '3us'],
  'pfc.pauseTime': ['200ns', '1us', '5us', '100us'],
  'pfc.watchdog': ['drop', 'forward', 'alert'],
  'pfc.watchdogDetectionTime': ['1us', '20us', '200us'],
  'pfc.watchdogRestorationTime': ['1us', '50us'],
  'pfc.reserve': ['0B', '1B', '9000B'],
  'pfc.resumeOffset': ['0B', '1B', '20kB'],
  'sfc.reaction': ['end-station', 'proxy', 'bridge'],
  'sfc.per': ['priority', 'interface'],
  'sfc.bridgeShare': [0.01, 0.5, 0.99],
  'sfc.at': ['ingress'],
  'sfc.threshold': ['1B', '5kB', '30kB', '100kB'],
  'sfc.hysteresis': ['3kB', '200kB'],
  'sfc.minimumInterval': ['0us', '1us', '100us'],
  'sfc.buildTime': ['0us', '5us'],
  'sfc.reactionTime': ['0us', '5us'],
  'sfc.pause': ['1ps', '2us', '30us', '500us'],
  'sfc.refresh': [true],
  'sfc.earlyResume': [true],
  'sfc.message': ['1B', '1024B'],
  'switch.buffer': ['30kB', '200kB', '400kB', '1MB', '3MB'],
  'switch.dropThreshold': [0.0078125, 0.5, 8],
  'switch.trimming': [true],
  'switch.trimmedPacket': ['1B', '300B'],
  'switch.latency': ['1ps', '300ns', '4us'],
  'switch.nvswitchLatency': ['1ps', '100ns'],
};

const probeValues: Readonly<Record<string, readonly Value[]>> = {
  queueInterval: ['10ns', '777ns', '5us'],
  bandwidthInterval: ['100ns', '1us', '7us'],
  reorderInterval: ['1us', '7us'],
  rateInterval: ['50ns', '1us'],
  notificationInterval: ['100ns', '2us'],
  packetLatency: [true],
  pfcEvents: [true],
  pauses: [true],
  portCounters: [true],
  packetLosses: [true],
  rnicDmaOps: [true],
  rnicDmaStats: [true],
  memoryUsage: [true],
  rnicInterval: ['1us', '100us'],
  adamapCache: [true],
  adamapEvents: [true],
  start: ['0us', '1ps', '5us'],
  end: ['0us', '60us'],
};

/** Values of samples in packets; they watch, as probes do. */
export const samplingValues: Readonly<Record<string, readonly Value[]>> = {
  variant: ['off', 'standard', 'one-bit'],
  every: [1, 3, 100],
  congested: ['queue', 'threshold', 'probability'],
  threshold: ['1B', '5kB', '100kB'],
  hosts: [true, false],
  window: ['0us', '1us', '70us'],
  rankClasses: [1, 8],
  hopCount: ['field', 'time-to-live'],
  hopBits: [1, 3, 8],
  identifier: ['32-bit', '16-bit'],
  multiplier: ['B5E4DC75', '127BE738'],
  randomness: ['generator', 'lfsr'],
  exact: [true, false],
};

/** Values of polled counters of ports; they watch, too. */
export const pollingValues: Readonly<Record<string, readonly Value[]>> = {
  interval: ['0us', '3us', '70us'],
  width: ['64-bit', '32-bit'],
  lanes: [true, false],
  spread: ['0us', '1us'],
  tick: ['1ns', '4ns'],
};

const ratesBps = [10e9, 25e9, 100e9, 400e9];
const latenciesPs = [0, 1, 25_000, 500_000, 1_000_000, 5_000_000];

/**
 * Settings that are drawn here, by path; those of the catalogue without probes and fast-forward, which is for jobs and
 * refused beside traffic.
 */
export const swarmSettings: readonly string[] = Object.entries(packetBackend.groups).flatMap(([group, { settings }]) =>
  ['probes', 'sampling', 'polling', 'fastForward'].includes(group)
    ? []
    : Object.keys(settings).map((name) => `${group}.${name}`),
);

/** How the controller of a scenario answers and moves flows: by the number, which leaves what is drawn as it is. */
function laterControl(number: number): Record<string, unknown> {
  return {
    reassign: number % 4 !== 0,
    ...(number % 3 === 0 ? { delay: number % 2 === 0 ? '700ns' : '20us' } : {}),
    ...(number % 5 === 0 ? { requestRate: 200_000 } : {}),
    ...(number % 7 === 0 ? { share: 0.6, pollInterval: '30us' } : {}),
  };
}

/** What chooses the ways of packets, in half of the scenarios, from a stream of its own. */
function laterBalancing(seed: number, number: number): { readonly balancing?: string } {
  const draw = new Draw(new RandomStream(seed, `balancing ${number}`));
  return draw.chance(0.5) ? { balancing: draw.of(Object.keys(mechanisms.balancers)) } : {};
}

/** Values of a group that watches, from a stream of its own. */
function watching(
  group: string,
  all: Readonly<Record<string, readonly Value[]>>,
  seed: number,
  number: number,
): Record<string, Value> {
  const draw = new Draw(new RandomStream(seed, `${group} ${number}`));
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, draw.of(values)]));
}

/** The values that show the effect of settings, as entries of congestion controls have them: those that are not listed. */
function shownValues(): Record<string, readonly Value[]> {
  return Object.fromEntries(
    Object.values<CongestionMechanism>(mechanisms.congestionControls).flatMap(({ effects = {} }) =>
      Object.entries(effects).map(([path, { values }]) => [path, values]),
    ),
  );
}

/** The scenario of a seed and a number. */
export function randomScenario(seed: number, number: number): RandomScenario {
  const draw = new Draw(new RandomStream(seed, `scenario ${number}`));
  const fabric = randomFabric(draw);
  const errorRate = draw.chance(0.25) ? draw.of([0.0005, 0.01, 0.1]) : 0;
  const scenario: Record<string, unknown> = {
    fabric: { file: 'fabric.txt', errorRate },
    traffic: { transfers: withSenders(randomTransfers(fabric, draw), seed, number) },
    ...slowReceivers(fabric, seed, number),
    // late enough for some flows to have finished
    ...(number % 9 === 4 ? { stopTime: `${20 + (number % 7) * 30}us` } : {}),
    seed: draw.between(0, 1000),
    ...(draw.chance(0.1) ? { sendLatency: draw.of(['1ps', '6us']) } : {}),
    routing: { nextHopOrder: draw.of(['descending-node-id', 'ascending-node-id']), ...laterBalancing(seed, number) },
    controller: draw.chance(0.3)
      ? { enabled: true, policy: draw.of(controllerPolicies), ...laterControl(number) }
      : { enabled: false },
    ...randomSettings(draw),
    ...(number % 3 === 0 ? {} : { flowControl: number % 3 === 1 ? ['pfc', 'sfc'] : ['sfc'] }),
  };
  const failures = randomFailures(fabric, draw);
  if (failures.length > 0)
    scenario['failures'] = { convergenceTime: draw.of(['0us', '1us', '30us', '100us']), events: failures };
  const probes = Object.fromEntries(
    Object.entries(probeValues)
      .filter(() => draw.chance(0.75))
      .map(([name, values]) => [name, draw.of(values)]),
  );
  return {
    text: `${JSON.stringify(scenario)}\n`,
    files: { 'fabric.txt': writeTopology(fabric) },
    probes: { ...probes, packetLatency: true },
    sampling: watching('sampling', samplingValues, seed, number),
    polling: watching('polling', pollingValues, seed, number),
  };
}

/**
 * A scenario with a buffer that is just large enough for what the plan wants to set apart, if it drew a smaller one.
 * @param plan makes the plan of a scenario; throws InputError if it refuses it
 * @throws InputError if the scenario is refused for another reason
 */
export async function withRoom(
  scenario: RandomScenario,
  plan: (scenario: RandomScenario) => Promise<unknown>,
): Promise<RandomScenario> {
  const given = JSON.parse(scenario.text) as { switch?: object };
  for (let buffer = 30_000; ; buffer = Math.ceil(buffer * 1.2)) {
    try {
      await plan(scenario);
      return scenario;
    } catch (error) {
      if (
        !(error instanceof InputError) ||
        error.diagnostics.some(
          ({ severity, code }) =>
            severity === 'error' && code !== 'headroom-above-buffer' && code !== 'packet-above-buffer',
        ) ||
        buffer > 1e9
      )
        throw error;
      scenario = { ...scenario, text: `${JSON.stringify({ ...given, switch: { ...given.switch, buffer } })}\n` };
    }
  }
}

/** Some of them with rates of their own and bursts, from a stream of its own: the other draws stay as they are. */
function withSenders(transfers: readonly object[], seed: number, number: number): object[] {
  const draw = new Draw(new RandomStream(seed, `senders ${number}`));
  const share = draw.of([0, 0, 0.5]);
  return transfers.map((transfer) => ({
    ...transfer,
    ...(draw.chance(share) ? { rate: draw.of(['500Mbps', '7Gbps', '90Gbps']) } : {}),
    ...(draw.chance(share) ? { burst: draw.of([1, 9000, 40_000]), gap: draw.of(['1ps', '3us', '20us']) } : {}),
    ...(draw.chance(share) ? { job: draw.of(['a', 'b']) } : {}),
  }));
}

/** In a third of the scenarios a host that receives slowly, mostly with a buffer that pauses its leaf. */
function slowReceivers(fabric: Fabric, seed: number, number: number): { readonly stragglers?: object[] } {
  const draw = new Draw(new RandomStream(seed, `slow receivers ${number}`));
  if (!draw.chance(0.3)) return {};
  const straggler = { rank: draw.between(0, fabric.hosts.length - 1), receive: draw.of([0.02, 0.3, 0.9]) };
  const buffer = draw.of([null, '1B', '5kB', '50kB', '1MB']);
  return { stragglers: [{ ...straggler, ...(buffer === null ? {} : { receiveBuffer: buffer }) }] };
}

function randomFabric(draw: Draw): Fabric {
  switch (draw.between(0, 5)) {
    case 0:
      return generateFabric('leaf-spine', {
        leaves: draw.between(2, 3),
        spines: draw.between(1, 3),
        hostsPerLeaf: draw.between(1, 4),
      });
    case 1:
      return generateFabric('alibaba-hpn', {
        dualPlane: draw.chance(0.5),
        gpus: 8,
        gpusPerServer: draw.of([1, 2]),
        nvswitchesPerServer: draw.between(0, 1),
        nicsPerAsw: 4,
        pswSwitches: 2,
        bandwidth: '100Gbps',
        aswPswBandwidth: '100Gbps',
      });
    default:
      return anyFabric(draw);
  }
}

/** Switches in a tree, sometimes with cycles; hosts with one to three NICs on any of them; servers with NVSwitches. */
function anyFabric(draw: Draw): Fabric {
  const [switches, gpusPerServer] = [draw.between(1, 6), draw.between(1, 4)];
  const hosts = gpusPerServer * draw.between(gpusPerServer === 1 ? 2 : 1, Math.ceil(10 / gpusPerServer));
  const builder = new FabricBuilder(gpusPerServer);
  const [oneRate, oneLatency] = [
    draw.chance(0.5) ? draw.of(ratesBps) : 0,
    draw.chance(0.5) ? draw.of(latenciesPs.slice(2)) : -1,
  ];
  const cable = (a: number, b: number, factor = 1): void =>
    builder.addLink(a, b, (oneRate || draw.of(ratesBps)) * factor, oneLatency < 0 ? draw.of(latenciesPs) : oneLatency);
  const firstHost = builder.addNodes(NodeKind.host, hosts);
  const nvswitches = draw.chance(0.3) ? draw.between(1, 2) : 0;
  const servers = Math.ceil(hosts / gpusPerServer);
  const firstNvswitch = nvswitches === 0 ? 0 : builder.addNodes(NodeKind.nvswitch, servers * nvswitches);
  const firstSwitch = builder.addNodes(NodeKind.switch, switches);
  for (let host = 0; host < hosts; host++) {
    for (let n = 0; n < nvswitches; n++)
      cable(firstHost + host, firstNvswitch + Math.floor(host / gpusPerServer) * nvswitches + n);
    for (let nic = draw.of([1, 1, 1, 2, 3]); nic > 0; nic--)
      cable(firstHost + host, firstSwitch + draw.between(0, switches - 1));
  }
  for (let i = 1; i < switches; i++) cable(firstSwitch + i, firstSwitch + draw.between(0, i - 1));
  for (let extra = switches > 1 && draw.chance(0.4) ? draw.between(1, 6) : 0; extra > 0; extra--) {
    const from = draw.between(0, switches - 1);
    cable(firstSwitch + from, firstSwitch + ((from + draw.between(1, switches - 1)) % switches));
  }
  return builder.build();
}

function randomTransfers(fabric: Fabric, draw: Draw): object[] {
  const { hosts } = fabric;
  const most = draw.of([3000, 30_000, 150_000]);
  const spreadPs = draw.of([0, 1_000_000, 50_000_000, 200_000_000]);
  const receiver = draw.between(0, hosts.length - 1);
  const incast = draw.chance(0.5) ? 0.8 : 0;
  return Array.from({ length: draw.of([1, 3, 10, 25, 80]) }, () => {
    const to = draw.chance(incast) ? receiver : draw.between(0, hosts.length - 1);
    const from = (to + draw.between(1, hosts.length - 1)) % hosts.length;
    const ends = draw.chance(0.1) ? nvswitchEnds(fabric, hosts[from]!, draw) : null;
    const [source, destination] = ends ?? [hosts[from]!, hosts[to]!];
    return { start: `${draw.between(0, spreadPs)}ps`, source, destination, size: draw.between(1, most) };
  });
}

/** A host and an NVSwitch that it is linked to, in either order; null if there is none. */
function nvswitchEnds(
  { portOffset, portNode, portPeer, nodeKind }: Fabric,
  host: number,
  draw: Draw,
): [source: number, destination: number] | null {
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
    const peer = portNode[portPeer[port]!]!;
    if (nodeKind[peer] === NodeKind.nvswitch) return draw.chance(0.5) ? [host, peer] : [peer, host];
  }
  return null;
}

function randomSettings(draw: Draw): Record<string, Record<string, unknown>> {
  const groups: Record<string, Record<string, unknown>> = {};
  const share = draw.of([0.05, 0.15, 0.4]);
  for (const path of swarmSettings) {
    // what changes whole mechanisms is drawn more often
    if (
      !draw.chance(
        /^(congestion\.algorithm|switch\.buffer|queuePair\.(perFlow|goBackTo|acknowledgementInterval|notificationDelay|retransmissionTimeout))$/.test(
          path,
        )
          ? 0.5
          : share,
      )
    )
      continue;
    const [group, name] = path.split('.') as [string, string];
    (groups[group] ??= {})[name] = draw.of(drawnValues[path]!);
  }
  if (draw.chance(0.7)) {
    const minimum = draw.of([1000, 5000, 40_000]);
    (groups['ecn'] ??= {})['thresholds'] = ratesBps
      .concat(
        ratesBps.map((rate) => rate * 2),
        2880e9,
        200e9,
      )
      .filter((rate, i, all) => all.indexOf(rate) === i)
      .map((rate) => ({
        rate: `${rate / 1e9}Gbps`,
        minimum,
        maximum: minimum * draw.between(1, 4),
        probability: draw.of([0.1, 0.5, 1]),
      }));
  }
  return groups;
}

function randomFailures(fabric: Fabric, draw: Draw): object[] {
  if (!draw.chance(0.4)) return [];
  return Array.from({ length: draw.between(1, 5) }, () => {
    const port = draw.between(0, fabric.portCount - 1);
    const [a, b] = [fabric.portNode[port]!, fabric.portNode[fabric.portPeer[port]!]!];
    const switches = Array.from(fabric.nodeKind.keys()).filter((node) => fabric.nodeKind[node] !== NodeKind.host);
    const target = draw.chance(0.7)
      ? { link: draw.chance(0.5) ? `${a}-${b}` : `${a}:${port - fabric.portOffset[a]! + 1}` }
      : { switch: draw.of(switches) };
    const [at, long] = [draw.of([0, 0, draw.between(1, 100), draw.between(1, 30)]), draw.of([1, 5, 40, 200])];
    const kind = draw.of([{}, {}, { rate: draw.of(['1Gbps', '5Gbps']) }, { errorRate: draw.of([0.01, 0.3]) }]);
    const flapping = draw.chance(0.2) ? { every: `${long + draw.between(0, 20)}us`, times: draw.between(2, 5) } : {};
    return { at: `${at}us`, ...(draw.chance(0.9) ? { until: `${at + long}us`, ...flapping } : {}), ...kind, ...target };
  });
}
