// docs/infiniband.md, every command, on fabrics as operators have them: hosts on a spine and a cable missing, switches of
// one name, cables missing everywhere, cables at other rates, a single switch. The oracles: which commands end with
// another code than 0 (those that say what is at fault), what the switches hold after loading and on the way back, and
// the engines in OpenSM's log. Captures are served as they are: ibsim keeps their names, GUIDs and rates, OpenSM deals
// out LIDs. Skipped, and said, where packages or the reference data are missing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referencePath } from '../reference.js';
import { captured, hostsOnSpine } from '../support/broken-captures.js';
import { type GuideRun, runGuide } from '../support/guide.js';
import { entriesByGuid } from '../support/infiniband.js';
import { missingPrograms } from '../support/live-opensm.js';

const fabricIsOdd = [
  '1 npx weft topology check fabric.net',
  '1 npx weft topology check fabric.net --against yesterday.net',
  '1 npx weft report --fabric fabric.net --against yesterday.net --guid2lid guid2lid --tables now.lfts --out health.html',
];
const tables = '--fabric fabric.net --guid2lid guid2lid';
/** commands that say that tables in use may deadlock, and the grep behind one of them */
const tablesAreOdd = [
  `1 npx weft route import ${tables} --tables now.lfts`,
  `1 npx weft route import ${tables} --tables now.lfts --before before.txt --counters after.txt --interval 60s`,
  `1 npx weft route evaluate ${tables} --tables now.lfts --traffic jobs.csv`,
  `1 npx weft route compare ${tables} --traffic jobs.csv --tables now.lfts new.lfts --lanes - new.lanes`,
  "1 grep 'changed *0 entries'",
  `1 npx weft route transition now.lfts mended.lfts ${tables}`,
];

/** Each with the engine that OpenSM takes where ftree is asked for, and what does not end with 0. */
const captures: Readonly<Record<string, { net: () => string; engine: string; odd: readonly string[] }>> = {
  'hosts on a spine, a cable missing': { net: () => hostsOnSpine(), engine: 'minhop', odd: fabricIsOdd },
  'broken-same-names.net.gz': {
    net: captured('broken-same-names.net.gz'),
    engine: 'minhop',
    odd: [...fabricIsOdd, ...tablesAreOdd],
  },
  'slow-before.net': { net: captured('slow-before.net'), engine: 'ftree', odd: fabricIsOdd },
  'slow-after.net': { net: captured('slow-after.net'), engine: 'minhop', odd: fabricIsOdd },
  'edr-one-ddr.net.gz': { net: captured('edr-one-ddr.net.gz'), engine: 'ftree', odd: fabricIsOdd },
  'hca-port-guids.net': { net: captured('hca-port-guids.net'), engine: 'minhop', odd: [] },
};
/** how many walks go on at a time: they sleep most of it */
const atOnce = 3;

describe.skipIf(missingPrograms().length > 0)('the guide on captures', () => {
  const there = Object.entries(captures).filter(
    ([name]) => !name.includes('.net') || referencePath('trials-2') !== null,
  );
  const runs = new Map<string, GuideRun>();
  beforeAll(async () => {
    for (let first = 0; first < there.length; first += atOnce)
      await Promise.all(
        there.slice(first, first + atOnce).map(async ([name, { net }]) => {
          const served = net();
          runs.set(name, await runGuide(served, /^Ca\s.*"(H-\w+)"/m.exec(served)![1]!));
        }),
      );
  });
  afterAll(() => {
    for (const run of runs.values()) run.remove();
  });

  it.each(there)('%s: every command works, tables are loaded and the old ones come back', (name, { engine, odd }) => {
    const run = runs.get(name)!;
    const { status, failed, stderr } = run;
    expect({ status, failed: [...failed].sort(), stderr }).toEqual({
      status: 0,
      failed: [...odd].sort(),
      stderr: expect.not.stringMatching(/error:/) as string,
    });
    const [old, made] = ['now.lfts', 'new.lfts'].map((file) => entriesByGuid(run.file(file)));
    expect(old!.length).toBeGreaterThan(0);
    for (const i of [1, 2, 3, 4, 5, 7]) expect([i, entriesByGuid(run.file(`after-${i}`))]).toEqual([i, old]);
    expect(entriesByGuid(run.file('after-6'))).toEqual(made);
    expect(entriesByGuid(run.file('returned.lfts'))).toEqual(old);
    expect(run.section('6. Load').match(/file tables configured/g)).toHaveLength(2);
    expect(run.section('7. Back')).toContain(`${engine} tables configured`);
    // whatever is in use: what is mended reaches every host and cannot deadlock, with links failed as well
    expect(run.section('3. Mend').match(/valid +yes/g)).toHaveLength(2);
    expect(run.section('2. Who')).not.toMatch(/warning/);
  });
});
