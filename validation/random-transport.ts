// Random cases for transports: a leaf-spine whose links differ and some of which may be missing or fail, flows, a
// transport, a balancing and a loss model out of the catalogue, whatever it holds, with settings of their own; judged by
// everything that a run can be held to.
// Invariants: the same seed and number give the same case; every case can end: whoever loses packets may try again often
// enough, and PFC is on only where paths have no valleys (no cycle of pauses).

import { mechanisms, type Mechanisms, mechanismSettings } from '#weft/backends/packet/mechanisms.js';
import { packetSettings, type PacketSettings } from '#weft/backends/packet/settings.js';
import { RandomStream } from '#weft/base/random.js';
import { type GroupValues, resolveSetting, settingDefaults, type SettingGroup } from '#weft/base/settings.js';
import { EventWheel } from '#weft/engine/event-wheel.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { Draw } from './draw.js';
import { broken, engineRun, type EngineRun, settingsWith, type SettingChanges, type Transfer } from './engine-run.js';
import { failuresOf, type LinkChange } from './link-changes.js';
import { randomLosses } from './random-losses.js';
import { drawnValues } from './random-scenario.js';
import { problemsOf } from './run-checker.js';
import { deliversInOrder, watched } from './watched-transport.js';

const us = 1e6;
const catalogue = mechanisms as Mechanisms;
const ownGroups = mechanismSettings(catalogue);

/** A case, as it is run. */
export interface TransportCase {
  readonly fabric: Fabric;
  readonly transfers: readonly Transfer[];
  readonly settings: PacketSettings;
  readonly changes: readonly LinkChange[];
  readonly transport: string;
  readonly balancing: string;
  readonly lossModel: string;
  /** what was drawn, for people */
  readonly text: string;
}

/** What came of a case. */
export interface TransportOutcome {
  readonly problems: readonly string[];
  readonly run: EngineRun;
}

/** more than any case takes that makes progress */
const mostEvents = 6_000_000;

/** The case of a seed and a number. */
export function transportCase(seed: number, number: number): TransportCase {
  const draw = new Draw(new RandomStream(seed, `transport case ${number}`));
  const transport = draw.of(Object.keys(catalogue.transports));
  const balancing = draw.of(Object.keys(catalogue.balancers));
  const lossModel = draw.of(Object.keys(catalogue.lossModels));
  const fabric = leafSpine(draw);
  const hasPauses = draw.chance(0.25);
  const changes = hasPauses || draw.chance(0.8) ? [] : linkChanges(fabric, draw);
  const own = ownSettingsOf(transport, balancing, lossModel, draw);
  const loss = drawnGroup('loss', packetSettings.loss, draw, 0.5);
  const payload = draw.of([256, 1000, 4096]);
  const drawn: SettingChanges = {
    packet: { payload },
    transport: { algorithm: transport as PacketSettings['transport']['algorithm'] },
    balancing,
    loss: {
      ...loss,
      // a channel that is bad for hundreds of packets outlasts a sender that tries a thousand times
      badToGood: Math.max(0.1, Number(loss['badToGood'] ?? 0.1)),
      model: lossModel as PacketSettings['loss']['model'],
      rate: draw.of([0, 0.001, 0.01, 0.05, 0.2]),
    },
    congestion: { algorithm: draw.of(['dcqcn', 'none']) },
    pfc: { enabled: hasPauses },
    switch: hasPauses ? {} : { buffer: draw.of([20e3, 100e3, 1e6, 32e6]) },
    queuePair: {
      // a thousand timeouts of 1 us are over before the first answer of the longest links has come
      retries: own['irn']?.['lowTimeout'] === us ? 100_000 : 1000,
      retransmissionTimeout: draw.of(['auto', 'auto', 30 * us, 300 * us]),
      window: draw.of(['max-bdp', 'pair-bdp', 'unlimited', 20_000]),
      acknowledgementPriority: draw.of([0, 3]),
      perFlow: draw.of([1, 1, 3]),
      // far below a round trip go-back-N sends everything again with every one of hundreds of NACKs
      nackInterval: draw.of([50 * us, 500 * us]),
    },
  };
  const transfers = randomTransfers(fabric, payload, draw);
  const losses = randomLosses(
    lossModel,
    fabric,
    transfers,
    new Draw(new RandomStream(seed, `listed losses ${number}`)),
  );
  return {
    fabric,
    transfers,
    settings: settingsWith({ ...drawn, own, losses }),
    changes,
    transport,
    balancing,
    lossModel,
    text: JSON.stringify({ hosts: fabric.hosts.length, flows: transfers.length, ...drawn, own, changes }),
  };
}

/** Runs a case. @param isTwice it is run again, with another wheel: nothing may change */
export function judgeTransport(drawn: TransportCase, seed: number, isTwice: boolean): TransportOutcome {
  const { fabric, transfers, settings } = drawn;
  const problems: string[] = [];
  const run = carryOut(drawn, seed, problems);
  const { counters } = run.network;
  problems.push(...broken(run));
  if (run.state !== 'finished') problems.push(`the run ends ${run.state}: ${run.network.blockedReason()}`);
  const payloadBytes = transfers.reduce((sum, [, , sizeBytes]) => sum + sizeBytes, 0);
  if (counters.payloadBytesDelivered !== payloadBytes)
    problems.push(`${counters.payloadBytesDelivered} B delivered of ${payloadBytes} B`);
  for (const [name, value] of Object.entries(counters)) if (!(value >= 0)) problems.push(`${name} is ${value}`);
  // what the checker knows of answers is go-back-N's
  if (drawn.changes.length === 0)
    problems.push(
      ...problemsOf({
        fabric,
        transfers,
        settings,
        flows: run.flows,
        hops: run.hops,
        counters,
        paths: run.network.paths,
      }).filter(
        (problem) =>
          drawn.transport === 'go-back-n' || !/^acknowledgement|^\d+ acknowledgements|^packetHops/.test(problem),
      ),
    );
  if (isTwice) {
    const again = carryOut(drawn, seed, [], new EventWheel(2 ** 16));
    if (JSON.stringify([again.flows, again.network.counters]) !== JSON.stringify([run.flows, counters]))
      problems.push('another wheel changes the run');
  }
  return { problems, run };
}

function carryOut(drawn: TransportCase, seed: number, problems: string[], wheel?: EventWheel): EngineRun {
  const { fabric, transfers, settings, changes, transport } = drawn;
  const watch = { problems, inOrder: deliversInOrder.includes(transport) };
  return engineRun(fabric, transfers, {
    settings,
    seed,
    mostEvents,
    ...(wheel === undefined ? {} : { wheel }),
    ...(changes.length === 0 ? {} : { failures: failuresOf(changes, 20 * us) }),
    catalogue: {
      ...catalogue,
      transports: { ...catalogue.transports, [transport]: watched(catalogue.transports[transport]!, watch) },
    },
  });
}

/** Leaves and spines with links of their own rates and latencies; every leaf reaches the first spine. */
function leafSpine(draw: Draw): Fabric {
  const [leaves, spines, hostsPerLeaf] = [draw.between(1, 3), draw.between(1, 4), draw.between(2, 4)];
  const [rates, latencies] = [
    draw.of([[100e9], [25e9, 100e9, 400e9]]),
    draw.of([[us], [0, 100_000, us, 5 * us], [500 * us]]),
  ];
  const share = draw.of([0, 0, 0.3]);
  const builder = new FabricBuilder();
  const hosts = builder.addNodes(NodeKind.host, leaves * hostsPerLeaf);
  const firstLeaf = builder.addNodes(NodeKind.switch, leaves);
  const firstSpine = builder.addNodes(NodeKind.switch, spines);
  for (let i = 0; i < leaves * hostsPerLeaf; i++)
    builder.addLink(hosts + i, firstLeaf + Math.floor(i / hostsPerLeaf), draw.of(rates), draw.of(latencies));
  for (let leaf = 0; leaf < leaves; leaf++)
    for (let spine = 0; spine < spines; spine++)
      if (spine === 0 || !draw.chance(share))
        builder.addLink(firstLeaf + leaf, firstSpine + spine, draw.of(rates), draw.of(latencies));
  return builder.build();
}

function randomTransfers(fabric: Fabric, payloadBytes: number, draw: Draw): Transfer[] {
  const { hosts } = fabric;
  const mostPackets = draw.of([1, 20, 150]);
  const spreadPs = draw.of([0, 20 * us, 500 * us]);
  return Array.from({ length: draw.of([1, 2, 6]) }, (): Transfer => {
    const to = draw.between(0, hosts.length - 1);
    const from = (to + draw.between(1, hosts.length - 1)) % hosts.length;
    return [hosts[from]!, hosts[to]!, draw.between(1, mostPackets * payloadBytes), draw.between(0, spreadPs)];
  }).sort((a, b) => a[3]! - b[3]!);
}

/** Links that fail for a while and come back, or lose packets. */
function linkChanges(fabric: Fabric, draw: Draw): LinkChange[] {
  return Array.from({ length: draw.between(1, 3) }, (): LinkChange[] => {
    const [link, fromPs, forPs] = [
      draw.between(0, fabric.linkCount - 1),
      draw.between(0, 50) * us,
      draw.between(1, 200) * us,
    ];
    return draw.chance(0.6)
      ? [
          [fromPs, link, 'down'],
          [fromPs + forPs, link, 'up'],
        ]
      : [
          [fromPs, link, 'errorRate', draw.of([0.01, 0.3])],
          [fromPs + forPs, link, 'errorRate', 0],
        ];
  }).flat();
}

/** Settings that the chosen mechanisms bring themselves. */
function ownSettingsOf(
  transport: string,
  balancing: string,
  lossModel: string,
  draw: Draw,
): Record<string, GroupValues> {
  const chosen = [catalogue.transports[transport], catalogue.balancers[balancing], catalogue.lossModels[lossModel]];
  const values: Record<string, GroupValues> = Object.fromEntries(
    Object.entries(ownGroups).map(([name, group]) => [name, settingDefaults(group)]),
  );
  for (const mechanism of chosen)
    for (const [name, group] of Object.entries(mechanism?.settings ?? {}))
      values[name] = { ...settingDefaults(group), ...drawnGroup(name, group, draw, 0.3) };
  return values;
}

/** Some settings of a group, with values that random scenarios draw, too. */
function drawnGroup(name: string, group: SettingGroup, draw: Draw, share: number): GroupValues {
  const values: Record<string, GroupValues[string]> = {};
  for (const [key, setting] of Object.entries(group)) {
    const texts = drawnValues[`${name}.${key}`];
    if (texts === undefined || !draw.chance(share)) continue;
    const value = resolveSetting(setting, draw.of(texts));
    if (value !== null) values[key] = value;
  }
  return values;
}
