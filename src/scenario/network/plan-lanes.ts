// `routing.serviceLevels` and `routing.sl2vl` -> the levels and lanes that files list: path records (weft route compute
// --lanes-out, OpenSM) and SL2VL tables.
// Invariant: every level in use has a lane that the backend has, between all ports of every switch; files are read only
// where packets take lanes.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import type { Backend } from '../../backends/backend.js';
import { drawnLevels } from '../../backends/credit/lane-assignment.js';
import { creditSettings } from '../../backends/credit/settings.js';
import type { SettingValues } from '../../base/settings.js';
import { FileProblems, type Diagnostics } from '../../base/diagnostics.js';
import { maxLid, maxRadix } from '../../fabric/identity.js';
import { knownIdentity } from '../../fabric/level-identity.js';
import { PathRecordReader } from '../../formats/opensm-path-records.js';
import { listedLanes } from '../../formats/listed-lanes.js';
import { readLaneTables } from '../../formats/opensm-sl2vl.js';
import type { IdentifiedFabric } from '../../formats/subnet-records.js';
import type { LaneAssignment, ListedLanes } from '../../routing/lane-maps.js';
import type { ServiceLevels } from '../../routing/service-levels.js';
import type { InputFiles } from '../input-files.js';
import { givenLevels, type GivenLevel } from './given-levels.js';
import type { Planned } from './plan-fabric.js';
import type { Scenario } from '../form/read-scenario.js';
import type { FabricToRoute } from './plan-tables.js';

const keys = ['serviceLevels', 'sl2vl'] as const;

/** Reads them. @returns the value null without a file; null after at least one error */
export async function planLanes(
  { root, faulty }: Scenario,
  named: FabricToRoute,
  backend: Backend,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<Partial<LaneAssignment> | null> | null> {
  const block = new Section(root, ['routing'], diagnostics);
  if (faulty.has('routing') || faulty.has('credit')) return null;
  const asked = givenLevels(root);
  if (backend.hasLanes !== true)
    for (const { path } of asked)
      new Section(root, path, diagnostics).noUse('serviceLevel', `the ${backend.name} backend has no virtual lanes`);
  const given = keys.filter((key) => block.word(key) !== undefined);
  const resolved = Object.fromEntries(given.map((key) => [key, block.word(key)]));
  const own = block.top.at('credit').group(creditSettings);
  if (given.length === 0) {
    if (backend.hasLanes === true) checkAsked(asked, root, own, diagnostics);
    return block.failed ? null : { value: null, resolved };
  }
  if (backend.hasLanes !== true) {
    for (const key of given) block.noUse(key, `the ${backend.name} backend has no virtual lanes`);
    return { value: null, resolved };
  }
  const { fabric } = named;
  const identity = knownIdentity(fabric, named.identity);
  if (identity === null) {
    block.error(given[0]!, 'too-large', 'the fabric does not fit an InfiniBand subnet', {
      got: `${fabric.nodeCount} end ports`,
      wanted: `at most ${maxLid} end ports, ${maxRadix} ports per switch`,
    });
    return null;
  }
  const site = { block, files, source: { fabric, identity } };
  const levels = await readLevels(site);
  const most = asked.reduce((count, { level }) => Math.max(count, level + 1), levels?.count ?? drawnLevels(own));
  const map = block.failed ? null : await readMap(site, most, own.lanes);
  if (map === null && !block.failed) checkAsked(asked, root, own, diagnostics);
  if (block.failed) return null;
  if (levels !== null && map === null && own.sl2vl === 'identity' && levels.count > own.lanes) {
    block.error(
      'serviceLevels',
      'level-without-lane',
      `service level ${levels.count - 1} of the file has no lane: credit.sl2vl is identity`,
      { got: `credit.lanes ${own.lanes}`, wanted: `${levels.count}, or credit.sl2vl: modulo or random` },
    );
    return null;
  }
  return { value: { ...(levels === null ? {} : { levels }), ...(map === null ? {} : { map }) }, resolved };
}

/** Levels that blocks ask for need lanes where level s has lane s. */
function checkAsked(
  asked: readonly GivenLevel[],
  root: Scenario['root'],
  { sl2vl, lanes }: SettingValues<typeof creditSettings>,
  diagnostics: Diagnostics,
): void {
  for (const { path, level } of asked)
    if (sl2vl === 'identity' && level >= lanes)
      new Section(root, path, diagnostics).error(
        'serviceLevel',
        'level-without-lane',
        `service level ${level} has no lane: credit.sl2vl is identity`,
        { got: `credit.lanes ${lanes}`, wanted: `${level + 1}, or credit.sl2vl: modulo or random` },
      );
}

interface LaneSite {
  readonly block: Section;
  readonly files: InputFiles;
  readonly source: IdentifiedFabric;
}

async function readLevels({ block, files, source }: LaneSite): Promise<ServiceLevels | null> {
  const named = block.word('serviceLevels');
  if (named === undefined) return null;
  const reader = new PathRecordReader(source, files.resolve(named), block.diagnostics, true);
  return readNamed(block.at('serviceLevels'), 'file of service levels', async () => {
    for await (const piece of files.readBytes('lanes', named)) {
      reader.push(piece);
      if (block.full) break;
    }
    return reader.end() === null ? null : reader.levelsOfPairs();
  });
}

/** @param levels in use @param most lanes that the backend has */
async function readMap({ block, files, source }: LaneSite, levels: number, most: number): Promise<ListedLanes | null> {
  const named = block.word('sl2vl');
  if (named === undefined) return null;
  const file = files.resolve(named);
  return readNamed(block.at('sl2vl'), 'file of SL2VL tables', async () => {
    const tables = readLaneTables(await files.readText('lanes', named), file, source, block.diagnostics);
    const problems = new FileProblems(file, block.diagnostics);
    const map = block.failed ? null : listedLanes(source, tables, { levels, most, setting: 'credit.lanes' }, problems);
    return block.failed ? null : map;
  });
}
