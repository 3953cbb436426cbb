// ECMP and the central controller: which way a header goes, and which port keeps flows apart, recomputed with another
// hash and another search.

import { RandomStream } from '#weft/base/random.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';
import type { Check } from '../check.js';
import { type EngineRun, settingsWith, soundRun } from '../engine-run.js';
import { compared, exact, figure, type Line, matched } from '../line.js';
import { plainPath } from '../plain-routes.js';
import { controlledPorts, controlledSpines, pairTransfers, twoServers } from './simai.js';

const destinationPort = 100;

/** Random headers on a fabric: paths that differ from the plain search with the plain hash. */
function* randomHeaders(name: string, fabric: Fabric, headers: number, seed: number): Iterable<Line> {
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const random = new RandomStream(seed, `validation of routing on ${name}`);
  const out = new Int32Array(tracer.maxLength);
  const { hosts } = fabric;
  let differing = 0;
  for (let i = 0; i < headers; i++) {
    const from = random.nextBelow(hosts.length);
    const [source, destination] = [
      hosts[from]!,
      hosts[(from + 1 + random.nextBelow(hosts.length - 1)) % hosts.length]!,
    ];
    const [port, other] = [random.nextBelow(65_536), random.nextBelow(65_536)];
    const ours = out.subarray(0, tracer.trace(source, destination, port, other, out));
    if (ours.join() !== plainPath(fabric, source, destination, port, other, 'descending-node-id').join()) differing++;
  }
  yield compared({
    mechanism: `${figure(headers, 0, '')} random headers on ${name}: paths that differ`,
    oracle: 'MurmurHash3 and shortest paths, written apart',
    expected: 0,
    ours: differing,
    unit: '',
    tolerance: exact,
  });
}

function spines(run: EngineRun): string {
  return pairTransfers.map((_, flow) => run.hops.find((hop) => hop.flow === flow && hop.hop === 1)!.node).join(' ');
}

/** Spines of the eight transfers without controller: from the plain path. */
function plainSpines(fabric: Fabric, ports: readonly number[]): string {
  return pairTransfers
    .map(
      ([source, destination], flow) =>
        fabric.portNode[
          plainPath(fabric, source, destination, ports[flow]!, destinationPort, 'descending-node-id')[2]!
        ]!,
    )
    .join(' ');
}

/** The controller's rule by trying: for each flow the first port from 1 on whose links between switches nobody has. */
function firstFreePorts(fabric: Fabric): number[] {
  const taken = new Set<number>();
  return pairTransfers.map(([source, destination]) => {
    for (let port = 1; ; port++) {
      // without the NIC and the last hop, which no port can change
      const between = plainPath(fabric, source, destination, port, destinationPort, 'descending-node-id').slice(1, -1);
      if (between.some((hop) => taken.has(hop))) continue;
      for (const hop of between) taken.add(hop);
      return port;
    }
  });
}

export const routing: Check = {
  name: 'routing',
  title: 'ECMP choices and the central controller',
  about:
    "A path is the sequence of output ports from NIC to receiver. The controller's eight transfers are those of SimAI's case (i).",
  isSampled: true,
  *run({ isQuick, seed }) {
    const headers = isQuick ? 500 : 5000;
    yield* randomHeaders('a 4-ary fat tree', generateFabric('fat-tree', { k: 4 }), headers, seed);
    yield* randomHeaders(
      'Spectrum-X of 64 GPUs',
      generateFabric('spectrum-x', {
        gpus: 64,
        nicsPerAsw: 4,
        pswSwitches: 8,
        bandwidth: '100Gbps',
        aswPswBandwidth: '100Gbps',
      }),
      headers,
      seed,
    );
    yield* randomHeaders(
      'dual-plane Alibaba HPN of 64 GPUs',
      generateFabric('alibabahpn-dualplane', {
        gpus: 64,
        nicsPerAsw: 4,
        pswSwitches: 8,
        bandwidth: '100Gbps',
        aswPswBandwidth: '100Gbps',
      }),
      headers,
      seed,
    );
    const fabric = twoServers();
    const settings = settingsWith({ packet: { profile: 'simai' } });
    const plain = soundRun(fabric, pairTransfers, { settings });
    yield matched({
      mechanism: 'eight transfers without controller: spines',
      oracle: 'MurmurHash3 and shortest paths, written apart',
      expected: plainSpines(
        fabric,
        pairTransfers.map(() => 10_000),
      ),
      ours: spines(plain),
    });
    const controlled = soundRun(fabric, pairTransfers, { settings, controlled: true });
    const ports = [...controlled.flows].sort((a, b) => a.source - b.source).map(({ sourcePort }) => sourcePort);
    yield matched({
      mechanism: 'with controller: source ports',
      oracle: 'every port tried in turn, written apart',
      expected: firstFreePorts(fabric).join(' '),
      ours: ports.join(' '),
    });
    yield matched({
      mechanism: 'with controller: source ports',
      oracle: 'source document; SimAI 1.6',
      expected: controlledPorts.join(' '),
      ours: ports.join(' '),
    });
    yield matched({
      mechanism: 'with controller: spines',
      oracle: 'source document; SimAI 1.6',
      expected: controlledSpines.join(' '),
      ours: spines(controlled),
    });
  },
};
