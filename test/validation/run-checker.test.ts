// The independent checker of runs sees what no link can have carried, and takes nothing for it that one can.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { problemsOf } from '../../validation/run-checker.js';
import { engineRun, settingsWith, type FlowRow, type Transfer } from '../support/engine-run.js';

// three hosts to a fourth over one switch, by many queue pairs: the link to it has 3 * 64 uses
const builder = new FabricBuilder();
builder.addNodes(NodeKind.host, 4);
builder.addNodes(NodeKind.switch, 1);
for (let host = 0; host < 4; host++) builder.addLink(host, 4, 100e9, 1000);
const fabric = builder.build();
const settings = settingsWith({ queuePair: { perFlow: 64 } });
const laterPs = 90_000_000;
const transfers: Transfer[] = [
  [0, 3, 200_000, 0],
  [1, 3, 200_000, 0],
  [2, 3, 200_000, laterPs],
];
const run = engineRun(fabric, transfers, { settings });

/** What the checker says of the run if its flows had ended so long after their starts. */
function problemsIf(took: readonly number[]): string[] {
  const flows = run.flows
    .map((row): FlowRow => ({ ...row, finishPs: row.startPs + took[row.flow]! }))
    .sort((a, b) => a.finishPs - b.finishPs);
  return problemsOf({ fabric, transfers, settings, flows, hops: run.hops, counters: run.network.counters });
}

describe('the checker of runs', () => {
  // 200 kB are 16 us at 100 Gbit/s, with headers less than 18
  it('finds nothing wrong with a run as it was, nor with one whose link is just full', () => {
    expect(run.flows).toHaveLength(3);
    expect(problemsIf(run.flows.map(({ startPs, finishPs }) => finishPs - startPs))).toEqual([]);
    expect(problemsIf([36_000_000, 36_000_000, 18_000_000])).toEqual([]);
  });

  it('finds two flows that ended together in the time of one, and names the span', () => {
    expect(problemsIf([20_000_000, 20_000_000, 20_000_000])).toEqual([
      expect.stringMatching(/^port \d+: 4\d{5} B from 0 ps to 20000000 ps, more than 100000000000 bit\/s$/),
    ]);
  });

  it('finds a late flow among long ones', () => {
    // alone in its span of 18 us the last fits; with both others ending after their 36 us there is nothing wrong either
    expect(problemsIf([laterPs + 18_000_000, laterPs + 18_000_000, 18_000_000])).toEqual([]);
    expect(problemsIf([36_000_000, 36_000_000, 10_000_000]).join('\n')).toMatch(
      new RegExp(`port \\d+: 2\\d{5} B from ${laterPs} ps to ${laterPs + 10_000_000} ps`),
    );
  });
});
