// docs/infiniband.md, line by line: its commands are taken from the page and run against ibsim and OpenSM, on a tapered
// tree with hosts missing, from the capture to new tables and back. The oracles: every command ends well (the page's
// own greps among them), and what the switches hold after each section. Skipped, and said, where the packages are
// missing.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { damaged, entriesByGuid, identifiedTree, withoutUnlinked } from '../support/infiniband.js';
import { missingPrograms } from '../support/live-opensm.js';
import { writeNpx } from '../support/npx-weft.js';

const root = resolve(import.meta.dirname, '../..');

/** The indented blocks of each section of the page, in order. */
function commandsBySection(page: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of page.split(/^## /m).slice(1)) {
    const newline = section.indexOf('\n');
    const code = section
      .slice(newline)
      .split('\n')
      .filter((line) => /^ {4}/.test(line));
    sections.set(section.slice(0, newline), code.map((line) => line.trim()).join('\n'));
  }
  return sections;
}

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
  let folder = '';
  let printed = '';
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-guide-'));
    const sections = commandsBySection(readFileSync(join(root, 'docs/infiniband.md'), 'utf8'));
    expect([...sections.keys()]).toEqual([
      '0. Places',
      '1. Capture',
      '2. Counters',
      '3. Compute',
      '4. Export, and keep the way back',
      '5. Load, confirm',
      '6. Back',
      '7. When something fails',
      'Without hardware',
    ]);
    const [before, after] = sections.get('Without hardware')!.split(/^(?=kill \$OPENSM$)/m);
    writeNpx(join(folder, 'bin'));
    writeFileSync(join(folder, 'incomplete.net'), servedNet());
    const script = [
      'set -e -o pipefail',
      // should the script end early, nothing stays behind
      `trap 'kill -9 $OPENSM $SIMULATOR 2>/dev/null' EXIT`,
      // `wait` ends with what OpenSM ended with
      before!
        .replace(/(--out served\.net)$/m, '$1\ncp incomplete.net served.net')
        .replace('wait $OPENSM;', 'wait $OPENSM || true;'),
      ...[...sections]
        .slice(1, -1)
        .flatMap(([title, commands], i) => [
          `echo '== ${title}'`,
          commands.replace('sleep 60 ', 'sleep 1 '),
          `dump_fts > 'after-${i + 1}'`,
        ]),
      after!.replace('wait $OPENSM', 'wait $OPENSM || true'),
      'trap - EXIT',
      `echo '== the end'`,
    ].join('\n');
    writeFileSync(join(folder, 'guide.sh'), script);
    const { LD_PRELOAD: _, ...inherited } = process.env;
    const path = [join(folder, 'bin'), process.env['PATH'], '/usr/sbin'].join(delimiter);
    const { status, stdout, stderr } = spawnSync('timeout', ['200', 'bash', 'guide.sh'], {
      cwd: folder,
      env: { ...inherited, PATH: path, IBSIM_SOCKNAME: basename(folder) },
      encoding: 'utf8',
      timeout: 220_000,
    });
    printed = stdout;
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/== the end\n$/),
      stderr: expect.anything(),
    });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const section = (title: string): string => printed.split('== ').find((text) => text.startsWith(title))!;

  it('finds the fabric that is served: a tapered tree without four of its hosts', () => {
    expect(section('1. Capture')).toMatch(/fat tree +9 \+ 6 \+ 4 switches, 3 pods, 2 core groups\n/);
    expect(section('1. Capture')).toMatch(/32 hosts, 9 leaves[^]*valid +yes[^]*omitted +0 entries/);
  });

  it('reads counters of every port, and finds no error', () => {
    // 32 + 18 + 12 links, counted at both ends
    expect(section('2. Counters')).toMatch(/counters +of 124 ports over 60 s/);
    expect(section('2. Counters')).toMatch(/\]->?|\] -> .*\d B +0\.0 %/);
    expect(section('2. Counters')).not.toMatch(/errors$/m);
  });

  it('the new tables differ from the old ones and carry the traffic better', () => {
    const loads = [...section('3. Compute').matchAll(/largest load +(\S+)/g)].map(([, load]) => Number(load));
    expect(loads).toHaveLength(2);
    expect(loads[1]).toBeLessThan(loads[0]!);
    expect(entriesByGuid(file('new.lfts'))).not.toEqual(entriesByGuid(file('now.lfts')));
  });

  it('what the switches hold: the old tables until loading, then the new ones, then the old ones again', () => {
    const [old, made] = [entriesByGuid(file('now.lfts')), entriesByGuid(file('new.lfts'))];
    expect(old.length).toBeGreaterThan(19 * 32);
    expect(
      [1, 2, 3, 4].map(
        (i) =>
          entriesByGuid(file(`after-${i}`)).length === old.length &&
          entriesByGuid(file(`after-${i}`)).every((entry, k) => entry === old[k]),
      ),
    ).toEqual([true, true, true, true]);
    expect(entriesByGuid(file('after-5'))).toEqual(made);
    expect(entriesByGuid(file('returned.lfts'))).toEqual(old);
    expect(entriesByGuid(file('after-6'))).toEqual(old);
  });

  it('the engine: file after loading, ftree again at the end', () => {
    expect(section('5. Load').match(/file tables configured/g)).toHaveLength(2);
    expect(section('6. Back')).toMatch(/ftree tables configured/);
  });

  it('nothing has failed: nothing is mended, and the transition is empty; what if links fail is told', () => {
    const said = section('7. When something fails');
    expect(said).toMatch(/changed +0 entries of 0 switches against now\.lfts/);
    expect(said).toMatch(/\d+ of \d+\s+links\s+failed[^]*changed +[1-9]\d* entries/);
    expect(said).toMatch(/now\.lfts -> mended\.lfts\n +changed +0 entries\n +any order +safe/);
  });

  it('ibroute and ibtracert find their way on the new tables', () => {
    expect(section('5. Load')).toMatch(/^Unicast lids .* guid 0x/m);
    expect(section('5. Load')).toMatch(/^From ca [^]*^To ca /m);
  });
});
