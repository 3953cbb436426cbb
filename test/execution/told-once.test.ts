// Of what has left its sender a source is told once per transfer, before it is told that it has finished, whatever the
// network says again: with lost packets go-back-N sends the last packet of a queue pair several times.
// By hand: a transfer that is alone on its link and loses nothing has left when all its bytes are on the wire.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { TransferList } from '../../src/flows/transfer-list.js';
import type { TransferSink } from '../../src/flows/work-source.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { seed } from '../support/seed.js';

/** Transfers that ask when they have left, and write down what they are told. */
class Asking extends TransferList {
  readonly told: { readonly what: 'sent' | 'finished'; readonly id: number; readonly atPs: number }[] = [];

  transferSent = (id: number, atPs: number, _sink: TransferSink): void => {
    this.told.push({ what: 'sent', id, atPs });
  };

  transferFinished(id: number, atPs: number): void {
    this.told.push({ what: 'finished', id, atPs });
  }
}

/** Four hosts on a switch, 100 Gb/s and 1 us each. @param errorRate of every link */
function star(errorRate: number): ReturnType<FabricBuilder['build']> {
  const builder = new FabricBuilder();
  const hosts = builder.addNodes(NodeKind.host, 4);
  const hub = builder.addNodes(NodeKind.switch, 1);
  for (let i = 0; i < 4; i++) builder.addLink(hosts + i, hub, 100e9, 1e6, errorRate);
  return builder.build();
}

function asked(count: number, sizeBytes: number): Asking {
  const source = new Asking();
  for (let id = 0; id < count; id++) source.add(id % 4, (id + 1 + (id % 3)) % 4, sizeBytes, 1e6 * id);
  return source;
}

describe(`a source that asks what has left (WEFT_SEED=${seed})`, () => {
  it.each([
    [0, 1],
    [0, 3],
    [0.05, 1],
    [0.05, 3],
  ])('is told once per transfer, before its end: losses %f, %i queue pairs each', (errorRate, perFlow) => {
    const source = asked(40, 20_000);
    let toldByNetwork = 0;
    const run = engineRun(star(errorRate), source, {
      seed,
      settings: settingsWith({ queuePair: { perFlow, retries: 1000 } }),
      prepare: ({ parts: { flows } }) => {
        const tell = flows.flowSent.bind(flows);
        flows.flowSent = (pair) => {
          toldByNetwork++;
          tell(pair);
        };
      },
    });
    expect(broken(run)).toEqual([]);
    const { retransmittedBytes } = run.network.counters;
    if (errorRate === 0) expect([Math.abs(retransmittedBytes!), toldByNetwork]).toEqual([0, 40 * perFlow]);
    else {
      // otherwise the test would show nothing: last packets went again
      expect(retransmittedBytes).toBeGreaterThan(0);
      expect(toldByNetwork).toBeGreaterThan(40 * perFlow);
    }
    for (let id = 0; id < 40; id++) {
      const own = source.told.filter((line) => line.id === id);
      expect(
        own.map(({ what }) => what),
        `transfer ${id}`,
      ).toEqual(['sent', 'finished']);
      expect(own[0]!.atPs).toBeLessThan(own[1]!.atPs);
    }
  });

  it('is told when the bytes are on the wire, and not when they are acknowledged', () => {
    const source = new Asking();
    source.add(0, 1, 20_000, 0);
    const settings = settingsWith();
    const run = engineRun(star(0), source, { settings });
    expect(broken(run)).toEqual([]);
    const { payload, header, gap } = settings.packet;
    const wirePs = ((20_000 + Math.ceil(20_000 / payload) * (header + gap)) * 8e12) / 100e9;
    const [sent, finished] = source.told;
    // the last packet begins to leave: up to one packet before all bytes are out
    expect(sent!.atPs).toBeLessThanOrEqual(wirePs);
    expect(sent!.atPs).toBeGreaterThanOrEqual(wirePs - ((payload + header + gap) * 8e12) / 100e9);
    expect(finished!.atPs).toBeGreaterThan(wirePs + 4e6);
  });
});
