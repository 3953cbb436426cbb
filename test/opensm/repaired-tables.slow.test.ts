// Repaired tables, loaded by OpenSM: random trees with parallel cables, several rates, cables that are gone and hosts on
// spines. The oracle: OpenSM's log names its engine `file`, and every switch then has each entry that was written, by
// the GUIDs of its ends. Skipped, and said, where the packages are missing. WEFT_DRAWS=500 draws more.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { repairRoutes } from '../../src/app/routes/repair-routes.js';
import { InputError } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { brokenNet } from '../support/broken-net.js';
import { entriesByGuid } from '../support/infiniband.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { patientHost } from '../support/patient-host.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 6);

/** Serves a net file for as long as something is done with it. */
async function served<T>(net: string, use: (live: LiveFabric) => Promise<T>): Promise<T> {
  const host = /^Ca\t\d+ "([^"]+)"/m.exec(net)![1]!;
  // LIDs are given by OpenSM
  const live = await LiveFabric.start(net.replaceAll(/\blid \d+/g, 'lid 0'), host);
  try {
    return await use(live);
  } finally {
    live.stop();
  }
}

/** What a tool prints; on a busy machine packets of ibsim get lost, and it is asked again. */
function printed(live: LiveFabric, program: string): string {
  let { code, stdout, stderr } = live.tool(program);
  for (let tries = 1; (code !== 0 || stderr !== '') && tries < 5; tries++)
    ({ code, stdout, stderr } = live.tool(program));
  expect({ program, code, stderr }).toEqual({ program, code: 0, stderr: '' });
  return stdout;
}

/** Tables as dump_fts prints them: without the last LID where that is a multiple of 64. */
function asDumped(text: string): string {
  const last = Number(/^Unicast lids \[0-(\d+)\]/m.exec(text)![1]);
  const entry = `0x${last.toString(16).padStart(4, '0')} `;
  if (last % 64 !== 0) return text;
  return text
    .split('\n')
    .filter((line) => !line.startsWith(entry))
    .join('\n');
}

/** The fabric as the tools see it, and its tables, once an engine of OpenSM has routed it. */
function routed(live: LiveFabric, engine: string): { net: string; tables: string } {
  expect(live.sweep('-R', engine).engine).toBe(engine);
  return { net: printed(live, 'ibnetdiscover'), tables: printed(live, 'dump_fts') };
}

it.skipIf(missingPrograms().length > 0)(`${draws} random trees (WEFT_SEED=${seed})`, async () => {
  const seen = { loaded: 0, apart: 0, changed: 0, noTrees: 0 };
  for (const shape of fc.sample(treeShape, { seed, numRuns: draws })) {
    const random = new RandomStream(shape.draw, 'repair');
    const whole = writeIbnetdiscover(randomTree(shape, 0));
    const { tables: current } = await served(whole, (live) => Promise.resolve(routed(live, 'minhop')));
    await served(brokenNet(whole, random), async (live) => {
      const { net } = routed(live, 'minhop');
      let repaired: Awaited<ReturnType<typeof repairRoutes>>;
      try {
        repaired = await repairRoutes(
          { fabric: { text: net, name: 'broken' }, current: { text: current } },
          patientHost(),
        );
      } catch (error) {
        // what falls apart is refused by every command
        if (!(error instanceof InputError) || error.diagnostics[0]!.code !== 'unconnected')
          throw new Error(`${JSON.stringify(shape)}: ${String(error)}`, { cause: error });
        seen.apart++;
        return;
      }
      const text = [...lftTexts(repaired.source, repaired.made.tables)].join('');
      const { engine } = live.sweep('-R', 'file', '-U', live.file('new.lfts', text));
      const held = entriesByGuid(printed(live, 'dump_fts'));
      expect({ shape, engine, held }).toEqual({ shape, engine: 'file', held: entriesByGuid(asDumped(text)) });
      seen.loaded++;
      seen.changed += repaired.changedEntries === 0 ? 0 : 1;
      seen.noTrees += repaired.source.noTree === null ? 0 : 1;
    });
  }
  expect(seen.loaded).toBeGreaterThan(draws / 3);
  expect(seen.changed).toBeGreaterThan(0);
  console.log(seen);
});
