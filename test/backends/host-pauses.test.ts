// The log of pauses of hosts: against what the ports of hosts were seen to do, and by hand.

import { describe, expect, it } from 'vitest';
import { HostPauses } from '../../src/backends/packet/host-pauses.js';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { star } from '../../validation/fabrics.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';

describe('the log of pauses of hosts', () => {
  it.each([0, 2_000_000])('says what the ports of hosts do, with pauses of %i ps', (pauseTime) => {
    const fabric = star(5, 500_000);
    /** by host: pauses seen, picoseconds paused, since when (-1: not now) */
    const seen = Array.from({ length: 5 }, () => ({ frames: 0, pausedPs: 0, sincePs: -1 }));
    const run = engineRun(
      fabric,
      [0, 1, 2, 3].map((host) => [host, 4, 200_000]),
      {
        settings: settingsWith({
          packet: { profile: 'simai', payload: 1000, header: 0 },
          queuePair: { window: 'unlimited' },
          ecn: { enabled: false },
          pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1, resumeOffset: 2000, pauseTime },
          switch: { buffer: 5 * 18_750 + 40_000 },
        }),
        prepare: (network: PacketNetwork) => {
          const { ports } = network.parts;
          const setPaused = ports.setPaused.bind(ports);
          ports.setPaused = (port, queue, isPaused) => {
            const host = fabric.portNode[port]!;
            if (fabric.nodeKind[host] === NodeKind.host && queue === 3) {
              const row = seen[host]!;
              if (isPaused) row.frames++;
              if (isPaused && row.sincePs < 0) row.sincePs = network.nowPs;
              if (!isPaused && row.sincePs >= 0) {
                row.pausedPs += network.nowPs - row.sincePs;
                row.sincePs = -1;
              }
            }
            setPaused(port, queue, isPaused);
          };
        },
      },
    );
    expect(broken(run)).toEqual([]);
    const expected = seen.flatMap(({ frames, pausedPs }, host) =>
      frames === 0 ? [] : [{ host, priority: 3, frames, pausedPs, cause: 'pfc' }],
    );
    expect(expected).toHaveLength(4);
    expect(run.network.pausesOfHosts()).toEqual(expected);
  });

  it('counts what stands still together once, each cause by itself, and up to the end', () => {
    const clock = { nowPs: 0 };
    const fabric = star(3, 0);
    const pauses = new HostPauses({ fabric, clock: clock as never });
    const [pfc, other] = [pauses.by('pfc'), pauses.by('other')];
    const hostPort = [...fabric.portNode].indexOf(1);
    const switchPort = fabric.portPeer[hostPort]!;
    const at = (nowPs: number, act: () => void): void => {
      clock.nowPs = nowPs;
      act();
    };
    at(10, () => other.held(1, 3));
    at(20, () => other.held(1, 3));
    at(20, () => pfc.portPaused(hostPort, 3));
    at(25, () => pfc.portPaused(hostPort, 3));
    at(26, () => pfc.portPaused(switchPort, 3));
    at(30, () => other.released(1, 3));
    at(40, () => pfc.portReleased(hostPort, 3));
    at(45, () => pfc.portReleased(hostPort, 3));
    at(60, () => other.released(1, 3));
    at(70, () => pfc.portPaused(hostPort, 3));
    at(80, () => other.frame(2, 5));
    at(90, () => undefined);
    expect(pauses.summary()).toEqual([
      { host: 1, priority: 3, frames: 0, pausedPs: 50, cause: 'other' },
      { host: 1, priority: 3, frames: 3, pausedPs: 40, cause: 'pfc' },
      { host: 2, priority: 5, frames: 1, pausedPs: 0, cause: 'other' },
    ]);
  });
});
