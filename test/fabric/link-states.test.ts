// What links have done that lets a buffer overrun by right: each kind of change by itself.

import { expect, it } from 'vitest';
import { LinkChangeKind, LinkStates } from '../../src/fabric/link-states.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';

const rateBps = 100e9;

function excuseAfter(...changes: readonly (readonly [kind: number, value: number])[]): string | null {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addLink(0, 1, rateBps, 1000);
  const links = new LinkStates(builder.build());
  const list = {
    count: changes.length,
    timePs: Float64Array.from(changes, (_, i) => i),
    link: new Int32Array(changes.length),
    kind: Uint8Array.from(changes, ([kind]) => kind),
    value: Float64Array.from(changes, ([, value]) => value),
  };
  changes.forEach((_, i) => links.apply(list, i, i));
  return links.overrunExcuse;
}

it('excuses an overrun by links that failed or got faster, and by nothing else', () => {
  expect(excuseAfter()).toBeNull();
  expect(excuseAfter([LinkChangeKind.rate, rateBps / 2])).toBeNull();
  expect(excuseAfter([LinkChangeKind.rate, rateBps / 2], [LinkChangeKind.rate, rateBps])).toMatch(/got faster/);
  expect(excuseAfter([LinkChangeKind.down, 0], [LinkChangeKind.up, 0])).toBe('links failed');
  expect(excuseAfter([LinkChangeKind.errorRate, 0.1])).toBeNull();
});
