// What a receiver tells its senders of ECN marks: with every marked packet, or at most once per interval and queue pair.

import { expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { engineRun, settingsWith, type EngineRun } from '../support/engine-run.js';

/** Four senders of 2 MB into one link that marks early. */
function incast(notificationIntervalPs: number): EngineRun {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 5);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < 5; host++) builder.addLink(host, node, 100e9, 1e6);
  const ecnThresholds = [{ rateBps: 100e9, minimumBytes: 20e3, maximumBytes: 80e3, probability: 0.5 }];
  const settings = settingsWith({ packet: { payload: 4096 }, queuePair: { notificationInterval: notificationIntervalPs }, ecnThresholds });
  return engineRun(builder.build(), [1, 2, 3, 4].map((host) => [host, 0, 2e6] as const), { settings });
}

const last = (run: EngineRun): number => Math.max(...run.flows.map(({ finishPs }) => finishPs));

it('comes with every marked packet by default', () => {
  const { counters } = incast(0).network;
  expect(counters.ecnMarks).toBeGreaterThan(50);
  expect(counters.notifications).toBe(counters.ecnMarks);
});

it('comes at most once per interval and queue pair', () => {
  const intervalPs = 50e6;
  const run = incast(intervalPs);
  const most = run.flows.reduce((sum, { startPs, finishPs }) => sum + Math.floor((finishPs - startPs) / intervalPs) + 1, 0);
  const { counters } = run.network;
  expect(run.state).toBe('finished');
  expect(counters.notifications).toBeGreaterThan(0);
  expect(counters.notifications).toBeLessThanOrEqual(most);
  expect(counters.notifications).toBeLessThan(counters.ecnMarks);
});

it('makes DCQCN gentler when it comes rarely: the flows finish sooner', () => {
  expect(last(incast(50e6))).toBeLessThan(last(incast(0)));
});
