// The `traffic` block -> the work: a trace, scanned completely before anything runs, or transfers written in the
// scenario.
// Invariant: every transfer of the returned source is between two different hosts that a path joins, or a host and an
// NVSwitch that is linked to it, and has at least one byte.

import type { Diagnostics } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { hostPairs } from '../fabric/host-pairs.js';
import { nvswitchEndProblem } from '../fabric/nvswitch-ends.js';
import { ClassedSource } from '../flows/classed-source.js';
import { TransferList } from '../flows/transfer-list.js';
import type { WorkSource } from '../flows/work-source.js';
import { hostsText } from '../formats/trace-csv.js';
import { loadTrace, type PairProblem, scanTrace, TraceSource } from '../formats/trace-source.js';
import type { InputFiles } from './input-files.js';
import { errorAt, nodeAt, placeOf, type LocatedMap, type Path } from './located.js';
import { reportFile, type Planned } from './plan-fabric.js';
import { groupText } from '../base/quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, wordAt } from './resolve.js';
import { pinsAt, pinSettings, type PinProblem, type PinTable } from './plan-pins.js';
import { transferSettings } from './schema.js';

/**
 * Prepares the transfers of a scenario; none if it has a workload or inference alone, or settings only.
 * @returns null after at least one error
 */
export async function planTraffic(
  scenario: Scenario,
  fabric: Fabric,
  pins: PinTable,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<WorkSource> | null> {
  if (
    nodeAt(scenario.root, ['traffic']) === undefined &&
    (scenario.isSettingsOnly ||
      ['workload', 'jobs', 'inference'].some((name) => nodeAt(scenario.root, [name]) !== undefined))
  )
    return { value: new TransferList(), resolved: {} };
  if (scenario.traffic === null) return null;
  return scenario.traffic === 'trace'
    ? fromTrace(scenario, fabric, pins, files, diagnostics)
    : fromList(scenario.root, fabric, pins, diagnostics);
}

async function fromTrace(
  scenario: Scenario,
  fabric: Fabric,
  pins: PinTable,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Planned<WorkSource> | null> {
  const trace = wordAt(scenario.root, ['traffic', 'trace'])!;
  const path = files.resolve(trace);
  const open = (): AsyncIterable<Uint8Array> => files.readBytes('trace', trace);
  const trafficClass = pins.classAt(scenario.root, ['traffic'], diagnostics);
  const problemOf: PairProblem = (source, destination) =>
    trafficClass === 0 ? null : pins.problem(trafficClass, source, destination);
  try {
    const scan = await scanTrace(open(), path, fabric, diagnostics, hostPairs(fabric), problemOf);
    // With errors elsewhere nothing will run: an unsorted trace need not be loaded.
    if (diagnostics.hasErrors) return null;
    const value = scan.sorted ? new TraceSource(open, path, fabric, scan) : await loadTrace(open, path, fabric, scan);
    return {
      value: trafficClass === 0 ? value : new ClassedSource(value, trafficClass),
      resolved: { trace, ...pinsAt(scenario.root, ['traffic']) },
    };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(scenario.root, ['traffic', 'trace'], 'trace', error, diagnostics);
    return null;
  }
}

function fromList(
  root: LocatedMap,
  fabric: Fabric,
  pins: PinTable,
  diagnostics: Diagnostics,
): Planned<WorkSource> | null {
  const errorsBefore = diagnostics.errorCount;
  const list = nodeAt(root, ['traffic', 'transfers']);
  const connected = hostPairs(fabric);
  const transfers = new TransferList();
  const resolved: Record<string, unknown>[] = [];
  const count = list?.kind === 'list' ? list.items.length : 0;
  for (let i = 0; i < count && !diagnostics.full; i++) {
    const path = ['traffic', 'transfers', i];
    const values = groupAt(root, path, transferSettings);
    const ends = ['source', 'destination'] as const;
    const valid = ends.map((end) => checkEnd(root, [...path, end], values[end], fabric, diagnostics)).every(Boolean);
    const place = nodeAt(root, [...path, 'destination'])!.place;
    const problem =
      valid && values.source !== values.destination
        ? nvswitchEndProblem(fabric, values.source, values.destination)
        : null;
    if (values.source === values.destination) {
      errorAt(diagnostics, 'transfer-self', place, 'the transfer goes from a host to itself', {
        got: String(values.destination),
        wanted: 'two different hosts',
      });
    } else if (problem !== null) {
      const { end, message, wanted } = problem;
      errorAt(diagnostics, 'transfer-nvswitch-end', nodeAt(root, [...path, end])!.place, message, {
        got: String(values[end]),
        wanted,
      });
    } else if (valid && !connected(values.source, values.destination)) {
      errorAt(
        diagnostics,
        'transfer-unconnected',
        place,
        `no path leads from host ${values.source} to host ${values.destination}`,
        { wanted: 'two hosts joined by links through switches (hosts do not forward)' },
      );
    }
    const trafficClass = pins.classAt(root, path, diagnostics);
    if (trafficClass > 0 && diagnostics.errorCount === errorsBefore)
      checkPin(root, path, pins.problem(trafficClass, values.source, values.destination), diagnostics);
    transfers.add(values.source, values.destination, values.size, values.start, trafficClass);
    resolved.push({ ...groupText(transferSettings, values), ...pinsAt(root, path) });
  }
  return diagnostics.errorCount > errorsBefore ? null : { value: transfers, resolved: { transfers: resolved } };
}

function checkEnd(
  root: LocatedMap,
  path: (string | number)[],
  node: number,
  fabric: Fabric,
  diagnostics: Diagnostics,
): boolean {
  const name = String(path[path.length - 1]);
  const { place } = nodeAt(root, path)!;
  if (node >= fabric.nodeCount) {
    errorAt(diagnostics, 'transfer-unknown-host', place, `${name} is not in the fabric`, {
      got: String(node),
      wanted: hostsText(fabric.hosts),
    });
    return false;
  }
  if (fabric.nodeKind[node] !== NodeKind.switch) return true;
  errorAt(diagnostics, 'transfer-not-a-host', place, `${name} is a switch, not a host`, {
    got: String(node),
    wanted: hostsText(fabric.hosts),
  });
  return false;
}

function checkPin(root: LocatedMap, path: Path, problem: PinProblem | null, diagnostics: Diagnostics): void {
  const named = Object.keys(pinSettings).find((name) => nodeAt(root, [...path, name]) !== undefined)!;
  if (problem !== null)
    errorAt(diagnostics, 'transfer-pin', placeOf(root, [...path, named]), problem.message, { wanted: problem.wanted });
}
