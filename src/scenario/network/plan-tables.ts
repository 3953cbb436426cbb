// `routing.algorithm` and `routing.tables` -> forwarding tables, in place of all equal-cost ways: made by name (ftree,
// random, d-mod-k), or read from a file that OpenSM or weft route wrote.
// Invariant: tables of a plan lead from every leaf with hosts to every LID of every host, without a circle.

import { shownName } from '../../fabric/port-identity.js';
import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import { type Diagnostics, InputError } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import { oneLevel, recogniseFatTree, type FatTree } from '../../fabric/fat-tree.js';
import { withColdStartLids, type FabricIdentity } from '../../fabric/identity.js';
import { levelIdentity } from '../../fabric/level-identity.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import { ForwardingTables, maxTablePorts } from '../../routing/forwarding-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { routeFtree } from '../../routing/ftree.js';
import { isEqualCost } from '../../routing/next-hop-choice.js';
import { routeRandom } from '../../routing/random-minimal.js';
import { walkTables, type TableFault } from '../../routing/table-walk.js';
import type { InputFiles } from '../input-files.js';
import { textOf } from '../form/located.js';
import type { Planned } from './plan-fabric.js';
import type { Scenario } from '../form/read-scenario.js';
import { valueAt, wordAt } from '../form/resolve.js';
import { runSettings } from '../form/schema.js';

/** A fabric and how its nodes are called, numbered and wired on InfiniBand; null: nobody says, so names are made up. */
export interface FabricToRoute {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity | null;
}

/**
 * Makes or reads them, one for each offset of a LID.
 * @returns the value empty where all equal-cost ways are in use; null after at least one error
 */
export async function planTables(
  scenario: Scenario,
  named: FabricToRoute,
  seed: number,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<readonly ForwardingTables[]> | null> {
  const { root, faulty } = scenario;
  const block = new Section(root, ['routing'], diagnostics);
  if (faulty.has('routing')) return null;
  const algorithm = block.value('algorithm', runSettings.routing.algorithm);
  const file = block.word('tables');
  if (file !== undefined && algorithm !== 'tables')
    block.noUse('tables', `routing.algorithm is ${algorithm}`, {
      hint: 'routing.algorithm: tables goes by it',
    });
  if (isEqualCost(algorithm)) return { value: [], resolved: {} };
  const steered = steeredElsewhere(scenario);
  if (steered !== null) {
    block.error('algorithm', 'tables', steered, {
      got: algorithm,
      wanted: 'routing.algorithm: ecmp, where ports choose among ways',
    });
    return null;
  }
  const known = recognised(scenario, named, algorithm, diagnostics);
  if (known === null) return null;
  if (algorithm !== 'tables') {
    const tables = made(algorithm, known, seed);
    if (tables instanceof ForwardingTables) {
      const { fault } = walkTables(tables);
      if (fault === null) return { value: [tables], resolved: {} };
      refuse(scenario, algorithm, faultText(fault, known.identity), diagnostics);
    } else refuse(scenario, algorithm, tables, diagnostics);
    return null;
  }
  if (file === undefined) {
    block.error('algorithm', 'tables', 'there are no tables to route by', {
      got: 'no routing.tables',
      wanted: 'routing.tables: FILE.lfts, which weft route compute or OpenSM writes',
    });
    return null;
  }
  return readNamed(block.at('tables'), 'file of tables', async () => {
    const tables = await readTables(file, known, files, diagnostics);
    if (tables === null || block.failed) return null;
    if (tables.length === 1 && block.has('lidOffset'))
      block.noUse('lidOffset', 'hosts have one LID each', { hint: 'weft route compute --lmc 1 writes tables for two' });
    const balancing = wordAt(root, ['routing', 'balancing']) ?? 'ecmp';
    const takesFirst = block.value('lidOffset', runSettings.routing.lidOffset) === 'first';
    if (tables.length > 1 && balancing !== 'ecmp' && !takesFirst)
      block.warning('tables', 'several-lids', `hosts have ${tables.length} LIDs each, and runs send to the first`, {
        got: `routing.balancing: ${balancing}`,
        hint: 'routing.balancing: ecmp takes all of them (routing.lidOffset)',
      });
    const isOne = takesFirst || balancing !== 'ecmp';
    return { value: isOne ? tables.slice(0, 1) : tables, resolved: { tables: file } };
  });
}

/** Why tables cannot be what says the ways: something steers by source ports; null if nothing does. */
function steeredElsewhere({ root, faulty }: Scenario): string | null {
  if (!faulty.has('controller') && valueAt(root, ['controller', 'enabled'], runSettings.controller.enabled))
    return 'the controller chooses among ways by source ports, and tables leave one';
  if (wordAt(root, ['routing', 'sourcePorts']) !== undefined)
    return 'routing.sourcePorts choose among ways, and tables leave one';
  return null;
}

interface Recognised {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity;
  readonly tree: FatTree;
}

function recognised(
  scenario: Scenario,
  { fabric, identity }: FabricToRoute,
  algorithm: string,
  diagnostics: Diagnostics,
): Recognised | null {
  const { tree, problem } = recogniseFatTree(fabric);
  const known = tree ?? (algorithm === 'tables' ? oneLevel(fabric) : null);
  if (known === null || mostPorts(fabric) > maxTablePorts) {
    const [reason, hint] =
      problem === null
        ? [`a switch has more than ${maxTablePorts} ports`, undefined]
        : [problem.reason, algorithm === 'tables' ? problem.hint : 'routing.algorithm: ecmp takes any fabric'];
    refuse(scenario, algorithm, `this is no fat tree: ${reason}`, diagnostics, hint);
    return null;
  }
  try {
    const own = identity ?? levelIdentity(fabric, scenario.file, known);
    const numbered = withColdStartLids(fabric, own);
    if (numbered !== null) return { fabric, tree: known, identity: numbered };
    refuse(scenario, algorithm, 'there are not enough LIDs for all end ports', diagnostics);
    return null;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    refuse(scenario, algorithm, error.diagnostics[0]!.message, diagnostics);
    return null;
  }
}

function mostPorts({ nodeCount, portOffset }: Fabric): number {
  let most = 0;
  for (let node = 0; node < nodeCount; node++) most = Math.max(most, portOffset[node + 1]! - portOffset[node]!);
  return most;
}

/** Tables by name. @returns why there are none, in words, if the algorithm does not route the fabric */
function made(algorithm: string, { fabric, identity, tree }: Recognised, seed: number): ForwardingTables | string {
  if (algorithm === 'random') return routeRandom(tree, seed);
  if (algorithm === 'dmodk') return routeDmodK(tree);
  const tables = routeFtree(fabric, identity, []);
  if (tables instanceof ForwardingTables) return tables;
  const again = routeFtree(fabric, identity, [...tree.switches[tree.levels - 1]!]);
  return again instanceof ForwardingTables ? again : tables.refusal;
}

function refuse(scenario: Scenario, algorithm: string, reason: string, diagnostics: Diagnostics, hint?: string): void {
  const { root } = scenario;
  const block = new Section(root, ['routing'], diagnostics);
  const written = block.node('algorithm');
  block.error('algorithm', 'tables', `${algorithm} does not route this fabric: ${reason}`, {
    ...(written === undefined ? {} : { got: textOf(written) }),
    ...(hint === undefined ? {} : { hint }),
  });
}

async function readTables(
  file: string,
  { fabric, identity }: Recognised,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<TablesByOffset | null> {
  const path = files.resolve(file);
  const reader = new LftReader({ fabric, identity }, path, diagnostics);
  for await (const piece of files.readBytes('tables', file)) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  if (reader.end() === null) return null;
  const { offsets } = reader;
  const faults = offsets.map((tables) => walkTables(tables).fault);
  const offset = faults.findIndex((found) => found !== null);
  const fault = faults[offset];
  if (fault === undefined || fault === null) return offsets;
  diagnostics.error(
    `tables-${fault.kind}`,
    path,
    { line: faultLine(reader, offset, fault), column: 1 },
    faultText(fault, identity),
    {
      ...(fault.kind === 'loop' ? { got: fault.circle.map((node) => shownName(identity, node)).join(' -> ') } : {}),
      wanted: `a way from every leaf with hosts to ${shownName(identity, fault.destination)}`,
      hint: 'are these tables of this fabric? weft route evaluate tells more',
    },
  );
  return null;
}

/** The line of the entry to blame; of one that is missing the head of its switch's table; else the first of the file. */
function faultLine({ tables, entryLines }: LftReader, offset: number, { node, destination }: TableFault): number {
  const row = tables.rowOf[node]!;
  return entryLines.line(offset, row, destination) || entryLines.head(row) || 1;
}

function faultText({ kind, node, destination }: TableFault, identity: FabricIdentity): string {
  if (kind === 'loop') return `packets for ${shownName(identity, destination)} go round in circles`;
  return kind === 'missing'
    ? `${shownName(identity, node)} has no way to ${shownName(identity, destination)}`
    : `${shownName(identity, node)} sends what is for ${shownName(identity, destination)} to another host`;
}
