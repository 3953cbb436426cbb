// What changed between two captures is what was done to the first: random pairs, with cables lost, slowed, moved and
// added, switches replaced, nodes renamed and all LIDs given anew. The expected lists come from the deeds alone.

import { describe, expect, it } from 'vitest';
import { checkFabric } from '../../src/app/check-fabric.js';
import type { Cable } from '../../src/report/fabric-check-text.js';
import { RandomStream } from '../../src/base/random.js';
import { scriptedContext } from '../support/command-context.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

interface End {
  readonly kind: 'CA' | 'SW';
  readonly guid: number;
  readonly port: number;
}
interface Link {
  readonly ends: readonly [End, End];
  readonly rate: string;
}

const plain = (end: End): string => `0x${end.guid.toString(16).padStart(16, '0')}:${end.port}`;
const keyOf = (ends: readonly End[]): string => ends.map(plain).sort().join(' ');
const cableKey = ({ ends }: Pick<Cable, 'ends'>): string =>
  ends
    .map(({ guid, port }) => `${guid}:${port}`)
    .sort()
    .join(' ');

/** As ibnetdiscover -p prints it, in a random order and with either end first. */
function netText(
  links: readonly Link[],
  lid: (guid: number) => number,
  name: (guid: number) => string,
  random: RandomStream,
): string {
  const end = ({ kind, guid, port }: End): string =>
    `${kind} ${lid(guid)} ${port} 0x${guid.toString(16).padStart(16, '0')}`;
  const rows = links.map(({ ends, rate }) => {
    const [a, b] = random.nextBelow(2) === 0 ? ends : ([ends[1], ends[0]] as const);
    return {
      place: random.nextFraction(),
      text: `${end(a)} ${rate} - ${end(b)} ( '${name(a.guid)}' - '${name(b.guid)}' )`,
    };
  });
  return `${rows
    .sort((x, y) => x.place - y.place)
    .map(({ text }) => text)
    .join('\n')}\n`;
}

const nameOf = (guid: number): string => (guid >= 0x100 ? 'factory' : `host${guid}`);
const lidOf = (guid: number): number => (guid % 0x1000) + (guid >= 0x1000 ? 0x2000 : 0);

/** Nodes that lost every cable: a capture does not show them any more. */
function withoutCables(before: readonly Link[], { links, replaced }: Deeds): string[] {
  const guids = (list: readonly Link[]): number[] => list.flatMap(({ ends }) => ends.map(({ guid }) => guid));
  const now = new Set(guids(links));
  return [...new Set(guids(before))]
    .filter((guid) => !now.has(guid) && !replaced.includes(guid))
    .map((guid) => `0x${guid.toString(16).padStart(16, '0')}`);
}

/** A leaf-spine of hosts 1.., leaves 0x100.., spines 0x200.., with spare ports on every switch. */
function tree(random: RandomStream): Link[] {
  const [leaves, spines, hosts] = [3 + random.nextBelow(4), 2 + random.nextBelow(3), 2 + random.nextBelow(3)];
  const links: Link[] = [];
  for (let leaf = 0; leaf < leaves; leaf++) {
    for (let i = 0; i < hosts; i++)
      links.push({
        ends: [
          { kind: 'CA', guid: 1 + leaf * hosts + i, port: 1 },
          { kind: 'SW', guid: 0x100 + leaf, port: 1 + i },
        ],
        rate: '4x EDR',
      });
    for (let spine = 0; spine < spines; spine++)
      links.push({
        ends: [
          { kind: 'SW', guid: 0x100 + leaf, port: 20 + spine },
          { kind: 'SW', guid: 0x200 + spine, port: 1 + leaf },
        ],
        rate: '4x EDR',
      });
  }
  return links;
}

/** What was done, as keys of cables. */
interface Deeds {
  readonly links: Link[];
  readonly added: string[];
  readonly removed: string[];
  readonly moved: string[];
  readonly changedRate: string[];
  readonly replaced: number[];
}

function changed(before: readonly Link[], random: RandomStream): Deeds {
  const deeds: Deeds = { links: [], added: [], removed: [], moved: [], changedRate: [], replaced: [] };
  let free = 100;
  // one switch in three captures is replaced, and its cables are left alone
  const gone = random.nextBelow(3) === 0 ? (random.nextBelow(2) === 0 ? 0x100 : 0x200) : -1;
  if (gone !== -1) deeds.replaced.push(gone);
  const renewed = (end: End): End => (end.guid === gone ? { ...end, guid: gone + 0x1000 } : end);
  for (const link of before) {
    const now: Link = { ends: [renewed(link.ends[0]), renewed(link.ends[1])], rate: link.rate };
    const isSpared = link.ends.some(({ guid }) => guid === gone);
    const deed = isSpared ? 9 : random.nextBelow(12);
    if (deed === 0 && link.ends[0].kind === 'SW') deeds.removed.push(keyOf(link.ends));
    else if (deed === 1) {
      deeds.changedRate.push(keyOf(now.ends));
      deeds.links.push({ ...now, rate: '1x SDR' });
    } else if (deed === 2) {
      // the upper end goes to a free port of the same or of another switch
      const guid = random.nextBelow(2) === 0 ? now.ends[1].guid : now.ends[1].guid < 0x200 ? 0x101 : 0x201;
      const ends = [now.ends[0], { kind: 'SW', guid, port: free++ }] as const;
      deeds.moved.push(keyOf(ends));
      const isSlowed = random.nextBelow(3) === 0;
      if (isSlowed) deeds.changedRate.push(keyOf(ends));
      deeds.links.push({ ends, rate: isSlowed ? '1x SDR' : now.rate });
    } else deeds.links.push(now);
  }
  for (let i = random.nextBelow(3); i > 0; i--) {
    const ends = [
      { kind: 'SW', guid: 0x102, port: free++ },
      { kind: 'SW', guid: 0x201, port: free++ },
    ] as const;
    deeds.added.push(keyOf(ends));
    deeds.links.push({ ends, rate: '4x EDR' });
  }
  return deeds;
}

/** Two adapters on a leaf. */
const netWithLmc = (lmc: number): string =>
  [
    'Ca\t1 "H-0000000000000001"\t# "host1"',
    `[1](0000000000000001) \t"S-0000000000000100"[1]\t# lid 4 lmc ${lmc} "leaf" lid 1 4xEDR`,
    '',
    'Ca\t1 "H-0000000000000002"\t# "host2"',
    `[1](0000000000000002) \t"S-0000000000000100"[2]\t# lid 8 lmc ${lmc} "leaf" lid 1 4xEDR`,
    '',
    'Switch\t2 "S-0000000000000100"\t# "leaf" base port 0 lid 1 lmc 0',
    '[1]\t"H-0000000000000001"[1](0000000000000001) \t# "host1" lid 4 4xEDR',
    '[2]\t"H-0000000000000002"[1](0000000000000002) \t# "host2" lid 8 4xEDR',
    '',
  ].join('\n');

describe(`what changed is what was done (WEFT_SEED=${seed})`, () => {
  it(`${rounds(200)} random pairs`, async () => {
    const random = new RandomStream(seed, 'fabric differences');
    const world = scriptedContext();
    const seen = { added: 0, removed: 0, moved: 0, changedRate: 0, replaced: 0, renumbered: 0, renamed: 0 };
    for (let draw = 0; draw < rounds(200); draw++) {
      const before = tree(random);
      const deeds = changed(before, random);
      const isRenumbered = random.nextBelow(3) === 0;
      const renamed = random.nextBelow(4) === 0 ? 0x101 : -1;
      const { changes } = await checkFabric(
        {
          fabric: {
            text: netText(
              deeds.links,
              (guid) => lidOf(guid) + (isRenumbered ? 0x4000 : 0),
              (guid) => (guid === renamed ? 'renamed' : nameOf(guid)),
              random,
            ),
          },
          against: { text: netText(before, lidOf, nameOf, random) },
        },
        world.host,
      );
      const found = changes!;
      expect({
        draw,
        added: found.added.map(cableKey).sort(),
        removed: found.removed.map(cableKey).sort(),
        moved: found.moved.map(cableKey).sort(),
        changedRate: found.changedRate.map(cableKey).sort(),
        replaced: found.replaced.map(({ now, before: old }) => [now.guid, old.guid]),
        renumbered: found.renumbered.length > 0,
        renamed: found.renamed.map(({ now }) => now.guid),
        nodes: [found.addedNodes, found.removedNodes.map(({ guid }) => guid!).sort()],
      }).toEqual({
        draw,
        added: deeds.added.sort(),
        removed: deeds.removed.sort(),
        moved: deeds.moved.sort(),
        changedRate: deeds.changedRate.sort(),
        replaced: deeds.replaced.map((guid) =>
          [guid + 0x1000, guid].map((own) => plain({ kind: 'SW', guid: own, port: 0 }).slice(0, 18)),
        ),
        renumbered: isRenumbered,
        renamed: renamed === -1 || deeds.replaced.includes(renamed) ? [] : ['0x0000000000000101'],
        nodes: [[], withoutCables(before, deeds).sort()],
      });
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) if (found[key].length > 0) seen[key]++;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds(10));
  });

  it('another LMC with the same base LIDs: the adapters, and no switch', async () => {
    const { changes } = await checkFabric(
      { fabric: { text: netWithLmc(1) }, against: { text: netWithLmc(2) } },
      scriptedContext().host,
    );
    expect(changes!.renumbered.map(({ now }) => now.lid)).toEqual([4, 8]);
  });

  it('the same capture in another order, and with itself', async () => {
    const random = new RandomStream(seed, 'same capture');
    const links = tree(random);
    const text = (): string =>
      netText(
        links,
        (guid) => guid,
        () => 'factory',
        random,
      );
    const { changes, findings, isOdd } = await checkFabric(
      { fabric: { text: text() }, against: { text: text() } },
      scriptedContext().host,
    );
    expect([Object.values(changes!).flat(), findings, isOdd]).toEqual([[], [], false]);
  });
});
