// A flow control with routed control packets, added without a line of src, alone and beside PFC.

import { describe, expect, it } from 'vitest';
import { runWith } from './run.js';
import { sourcePause } from './source-pause.js';

// eight to one over two switches, and a victim that shares only the senders' leaf
const scenario = (flowControl: string): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 9 }
flowControl: ${flowControl}
congestion: { algorithm: none }
switch: { buffer: 2MiB }
queuePair: { acknowledgementPriority: 0, window: unlimited }
traffic:
  transfers:
${[0, 1, 2, 3, 4, 5, 6, 7].map((host) => `    - { source: ${host}, destination: 17, size: 2MB }\n`).join('')}`;
const more = { flowControls: { 'source-pause': sourcePause } };

describe('pauses of sources by destination, added from outside', () => {
  it('hold the queue at the switch, beside PFC, with every verdict green', async () => {
    const both = await runWith(more, scenario('[pfc, source-pause]'));
    const pfc = await runWith(more, scenario('[pfc]'));
    expect([both.broken, pfc.broken]).toEqual([[], []]);
    expect(both.summary.counters['sourcePauses']).toBeGreaterThan(8);
    expect(both.summary.counters['pauseFrames']).toBeLessThan(pfc.summary.counters['pauseFrames']!);
    expect(both.summary.verdicts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['conservation of control packets', 'sources were told', 'pauses resumed']),
    );
  });

  it('make a buffer last that would overflow without any flow control', async () => {
    const alone = await runWith(more, scenario('[source-pause]'));
    const none = await runWith(more, scenario('[]'));
    expect([alone.broken, none.broken]).toEqual([[], []]);
    expect(alone.summary.counters['packetsDropped']).toBeLessThan(none.summary.counters['packetsDropped']! / 2);
    expect(alone.summary.counters['pauseFrames']).toBe(0);
  });
});
