// docs/infiniband.md, line by line: its commands are taken from the page and run against ibsim and OpenSM, on a tapered
// tree with hosts missing, from the capture to new tables and back. The oracles: every command ends well (the page's
// own greps among them), and what the switches hold after each section. Skipped, and said, where the packages are
// missing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { commandsBySection, type GuideRun, runGuide } from '../support/guide.js';
import { damaged, entriesByGuid, identifiedTree, withoutUnlinked } from '../support/infiniband.js';
import { missingPrograms } from '../support/live-opensm.js';

/** Hosts 3, 10, 17 and 30 are missing; LIDs are 0, as ibsim has them. */
function servedNet(): string {
  const tree = withoutUnlinked(
    damaged(
      identifiedTree('fat-tree', { pods: 3, edgesPerPod: 3, hostsPerEdge: 4, aggregationPerPod: 2, cores: 4 }),
      (low) => ['node003', 'node010', 'node017', 'node030'].some((name) => low.startsWith(name)),
    ),
  );
  return writeIbnetdiscover({ ...tree, identity: { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) } });
}

describe.skipIf(missingPrograms().length > 0)('the guide for operators', () => {
  let run: GuideRun | null = null;
  beforeAll(async () => {
    expect([...commandsBySection().keys()]).toEqual([
      '0. Places',
      '1. What is wrong',
      '2. Who is hot',
      '3. Mend what failed',
      '4. Compute better routes',
      '5. Export, and keep the way back',
      '6. Load, confirm',
      '7. Back',
      'Without hardware',
    ]);
    run = await runGuide(servedNet(), 'H-0002c90000100000');
    const { status, failed, stdout, stderr } = run;
    expect({ status, failed, stdout, stderr }).toEqual({
      status: 0,
      failed: [],
      stdout: expect.stringMatching(/== the end\n$/),
      stderr: expect.anything(),
    });
  });
  afterAll(() => {
    run?.remove();
  });

  const section = (title: string): string => run!.section(title);
  const file = (name: string): string => run!.file(name);
  const entries = (name: string): string[] => entriesByGuid(file(name));

  it('finds the fabric that is served: a tapered tree without four of its hosts', () => {
    expect(section('1. What')).toMatch(/fat tree +9 \+ 6 \+ 4 switches, 3 pods, 2 core groups\n/);
    expect(section('1. What')).toMatch(/32 hosts, 9 leaves[^]*valid +yes[^]*omitted +0 entries/);
  });

  it('reads counters of every port, and finds no error', () => {
    // 32 + 18 + 12 links, counted at both ends
    expect(section('2. Who')).toMatch(/counters +of 124 ports over 60 s/);
    expect(section('2. Who')).toMatch(/\]->?|\] -> .*\d B +0\.0 %/);
    expect(section('2. Who')).not.toMatch(/errors$/m);
  });

  it('the new tables differ from the old ones and carry the traffic better', () => {
    const loads = [...section('4. Compute').matchAll(/largest load +(\S+)/g)].map(([, load]) => Number(load));
    expect(loads).toHaveLength(2);
    expect(loads[1]).toBeLessThan(loads[0]!);
    expect(entries('new.lfts')).not.toEqual(entries('now.lfts'));
  });

  it('what the switches hold: the old tables until loading, then the new ones, then the old ones again', () => {
    const [old, made] = [entries('now.lfts'), entries('new.lfts')];
    expect(old.length).toBeGreaterThan(19 * 32);
    expect(
      [1, 2, 3, 4, 5].map(
        (i) =>
          entries(`after-${i}`).length === old.length && entries(`after-${i}`).every((entry, k) => entry === old[k]),
      ),
    ).toEqual([true, true, true, true, true]);
    expect(entries('after-6')).toEqual(made);
    expect(entries('returned.lfts')).toEqual(old);
    expect(entries('after-7')).toEqual(old);
  });

  it('the engine: file after loading, ftree again at the end', () => {
    expect(section('6. Load').match(/file tables configured/g)).toHaveLength(2);
    expect(section('7. Back')).toMatch(/ftree tables configured/);
  });

  it('nothing has failed: nothing is mended, and the transition is empty; what if links fail is told', () => {
    const said = section('3. Mend');
    expect(said).toMatch(/changed +0 entries of 0 switches against now\.lfts/);
    expect(said).toMatch(/\d+ of \d+\s+links\s+failed[^]*changed +[1-9]\d* entries/);
    expect(said).toMatch(/now\.lfts -> mended\.lfts\n +changed +0 entries\n +any order +safe/);
  });

  it('ibroute and ibtracert find their way on the new tables', () => {
    expect(section('6. Load')).toMatch(/^Unicast lids .* guid 0x/m);
    expect(section('6. Load')).toMatch(/^From ca [^]*^To ca /m);
  });
});
