// Packets that turn back at a switch: a link is down, routes have changed, and what had passed the switch before leaves it by
// the port that it came in by. That port is paused and has paused its other end; when it may send again, its first packet
// makes room for the resume that leaves by the same port. Found by the property that has it as an example
// (failures.slow.test.ts): the port asked twice for its next turn.

import type { FabricRecipe } from './random-fabric.js';

export const turningBack: {
  readonly recipe: FabricRecipe;
  readonly transfers: [from: number, to: number, sizeBytes: number, startPs: number][];
  readonly failures: { link: number; at: number; long: number; isDown: boolean }[];
  readonly convergenceUs: number;
} = {
  recipe: {
    switches: 3,
    tree: [
      { to: 38, rate: 100000000000, latency: 500000, errorRate: 0 },
      { to: 40, rate: 25000000000, latency: 5000, errorRate: 0 },
      { to: 6, rate: 100000000000, latency: 500000, errorRate: 0 },
    ],
    extra: [],
    hosts: [
      [
        { to: 430, rate: 100000000000, latency: 5000, errorRate: 0 },
        { to: 215, rate: 100000000000, latency: 5000, errorRate: 0 },
      ],
      [
        { to: 621, rate: 25000000000, latency: 500000, errorRate: 0 },
        { to: 303, rate: 100000000000, latency: 5000, errorRate: 0 },
        { to: 144, rate: 25000000000, latency: 500000, errorRate: 0 },
      ],
      [
        { to: 803, rate: 100000000000, latency: 500000, errorRate: 0 },
        { to: 123, rate: 25000000000, latency: 5000, errorRate: 0 },
        { to: 40, rate: 25000000000, latency: 500000, errorRate: 0 },
      ],
      [
        { to: 124, rate: 100000000000, latency: 500000, errorRate: 0 },
        { to: 203, rate: 100000000000, latency: 5000, errorRate: 0 },
      ],
      [{ to: 743, rate: 25000000000, latency: 500000, errorRate: 0 }],
      [{ to: 349, rate: 25000000000, latency: 500000, errorRate: 0 }],
      [
        { to: 448, rate: 25000000000, latency: 5000, errorRate: 0 },
        { to: 907, rate: 25000000000, latency: 5000, errorRate: 0 },
        { to: 683, rate: 25000000000, latency: 500000, errorRate: 0 },
      ],
      [{ to: 99, rate: 100000000000, latency: 500000, errorRate: 0 }],
      [
        { to: 507, rate: 100000000000, latency: 500000, errorRate: 0 },
        { to: 151, rate: 25000000000, latency: 500000, errorRate: 0 },
        { to: 905, rate: 100000000000, latency: 500000, errorRate: 0 },
      ],
      [
        { to: 730, rate: 100000000000, latency: 500000, errorRate: 0 },
        { to: 57, rate: 100000000000, latency: 500000, errorRate: 0 },
        { to: 250, rate: 25000000000, latency: 500000, errorRate: 0 },
      ],
    ],
    gpusPerServer: 4,
    nvswitches: 0,
    shuffle: 1785938480,
  },
  transfers: [
    [813, 129, 144148, 0],
    [827, 342, 72607, 0],
    [618, 682, 150556, 17364815],
    [706, 322, 42441, 2196037],
    [900, 305, 1799, 13102567],
    [848, 883, 189576, 5468096],
    [449, 922, 93412, 3490589],
    [651, 198, 121064, 0],
    [124, 916, 183625, 0],
  ],
  failures: [{ link: 697, at: 23, long: 72, isDown: true }],
  convergenceUs: 5,
};
