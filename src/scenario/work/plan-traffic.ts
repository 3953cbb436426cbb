// The `traffic` block -> the work: a trace or a flow file, scanned completely before anything runs, or transfers
// written in the scenario.
// Invariant: every transfer of the returned source is between two different hosts that a path joins, or a host and an
// NVSwitch that is linked to it, and has at least one byte.

import { Section } from '../form/section.js';
import { readNamed } from '../form/named-file.js';
import { packetSettings } from '../../backends/packet/settings.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import { hostPairs } from '../../fabric/host-pairs.js';
import { nvswitchEndProblem } from '../../fabric/nvswitch-ends.js';
import { ClassedSource } from '../../flows/classed-source.js';
import type { SenderPaces } from '../../execution/sender-paces.js';
import type { TransferJob } from '../../jobs/transfer-jobs.js';
import { TransferList } from '../../flows/transfer-list.js';
import type { WorkSource } from '../../flows/work-source.js';
import { flowFileForm, type FlowFileFacts, noFlowFileFacts } from '../../formats/flow-file.js';
import type { RowForm } from '../../formats/row-form.js';
import { TransferSizes } from '../../flows/transfer-sizes.js';
import { hostsText, traceFormOf } from '../../formats/trace-csv.js';
import { loadTrace, type PairProblem, scanTrace, TraceSource } from '../../formats/trace-source.js';
import type { InputFiles } from '../input-files.js';
import { nodeAt, placeOf, warningAt } from '../form/located.js';
import { type Planned } from '../network/plan-fabric.js';
import { groupText } from '../../base/quantity-text.js';
import { SenderLines } from './plan-senders.js';
import type { Scenario } from '../form/read-scenario.js';
import { valueAt, wordAt } from '../form/resolve.js';
import { firstPinAt, pinsAt, type PinProblem, type PinTable } from '../network/plan-pins.js';
import { topSettings, transferSettings } from '../form/schema.js';

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
): Promise<Planned<PlannedTraffic> | null> {
  if (
    nodeAt(scenario.root, ['traffic']) === undefined &&
    (scenario.isSettingsOnly ||
      ['workload', 'jobs', 'inference'].some((name) => nodeAt(scenario.root, [name]) !== undefined))
  )
    return { value: { ...plainTraffic, source: new TransferList() }, resolved: {} };
  if (scenario.traffic === null) return null;
  if (scenario.traffic === 'transfers')
    return fromList(new Section(scenario.root, ['traffic'], diagnostics), fabric, pins);
  const sent = { scenario, fabric, pins, files, diagnostics };
  const stopPs = scenario.faulty.has('stopTime') ? 0 : valueAt(scenario.root, ['stopTime'], topSettings.stopTime);
  const sizes = new TransferSizes(fabric, stopPs === 0 ? Infinity : stopPs);
  const facts = noFlowFileFacts();
  const payloadBytes = scenario.faulty.has('packet')
    ? 1
    : valueAt(scenario.root, ['packet', 'payload'], packetSettings.packet.payload);
  const planned = await fromRows(
    sent,
    scenario.traffic === 'trace'
      ? { key: 'trace', role: 'trace', form: traceFormOf(sizes) }
      : { key: 'file', role: 'flows', form: flowFileForm(facts, { sizes, payloadBytes }) },
  );
  if (planned === null) return null;
  if (scenario.traffic === 'file') warnOfFlowFile(scenario, files, facts, stopPs, diagnostics);
  if (sizes.hasEndless)
    warningAt(
      diagnostics,
      'traffic-endless',
      placeOf(scenario.root, ['stopTime']),
      'flows of more than 256 GiB are sent as flows of 256 GiB: none of them can end before stopTime',
    );
  return planned;
}

/** What a scenario's traffic comes to. */
export interface PlannedTraffic {
  readonly source: WorkSource;
  /** senders with a rate of their own; null: none has one */
  readonly paces: SenderPaces | null;
  /** transfers that have names in common */
  readonly jobs: readonly TransferJob[];
}

const plainTraffic = { paces: null, jobs: [] } satisfies Partial<PlannedTraffic>;

/** What work from a file is planned from. */
interface SentParts {
  readonly scenario: Scenario;
  readonly fabric: Fabric;
  readonly pins: PinTable;
  readonly files: InputFiles;
  readonly diagnostics: Diagnostics;
}

/** Rows of a file of a form, which `traffic` names by a key. */
async function fromRows(
  { scenario, fabric, pins, files, diagnostics }: SentParts,
  { key, role, form }: { readonly key: 'trace' | 'file'; readonly role: 'trace' | 'flows'; readonly form: RowForm },
): Promise<Planned<PlannedTraffic> | null> {
  const block = new Section(scenario.root, ['traffic'], diagnostics);
  const named = block.word(key)!;
  const path = files.resolve(named);
  const open = (): AsyncIterable<Uint8Array> => files.readBytes(role, named);
  const trafficClass = pins.classAt(block);
  const problemOf: PairProblem = (source, destination) =>
    trafficClass === 0 ? null : pins.problem(trafficClass, source, destination);
  return readNamed(block.at(key), form.noun, async () => {
    const scan = await scanTrace(open(), path, fabric, diagnostics, hostPairs(fabric), problemOf, form);
    // With errors elsewhere nothing will run: an unsorted file need not be loaded.
    if (diagnostics.hasErrors) return null;
    const value = scan.sorted
      ? new TraceSource(open, path, fabric, scan, form)
      : await loadTrace(open, path, fabric, scan, form);
    return {
      value: { ...plainTraffic, source: trafficClass === 0 ? value : new ClassedSource(value, trafficClass) },
      resolved: { [key]: named, ...pinsAt(block) },
    };
  });
}

/** What stands in a flow file and is not kept. */
function warnOfFlowFile(
  { root, faulty }: Scenario,
  files: InputFiles,
  { priorities, portLine, firstEnd }: FlowFileFacts,
  stopPs: number,
  diagnostics: Diagnostics,
): void {
  const file = files.resolve(wordAt(root, ['traffic', 'file'])!);
  const priority = faulty.has('queuePair')
    ? null
    : valueAt(root, ['queuePair', 'priority'], packetSettings.queuePair.priority);
  const others = [...priorities].filter(([own]) => own !== priority);
  if (priority !== null && others.length > 0)
    diagnostics.warning(
      'flow-file-priority',
      file,
      { line: others[0]![1], column: 1 },
      `flows of priority ${others.map(([own]) => own).join(', ')} are sent with priority ${priority}: all flows of a run have queuePair.priority`,
    );
  if (firstEnd.line > 0 && !(stopPs > 0 && firstEnd.timePs >= stopPs))
    diagnostics.warning(
      'flow-file-end',
      file,
      { line: firstEnd.line, column: 1 },
      'the ends of the flows are not kept: every flow sends all of its packets, unless stopTime ends the run',
    );
  if (portLine > 0)
    diagnostics.warning(
      'flow-file-port',
      file,
      { line: portLine, column: 1 },
      'the ports of the flows are not kept: Weft gives every flow ports of its own',
    );
}

function fromList(block: Section, fabric: Fabric, pins: PinTable): Planned<PlannedTraffic> | null {
  const connected = hostPairs(fabric);
  const transfers = new TransferList();
  const senders = new SenderLines();
  const resolved: Record<string, unknown>[] = [];
  for (let i = 0; i < block.count('transfers') && !block.full; i++) {
    const line = block.at('transfers', i);
    const values = line.group(transferSettings);
    const ends = ['source', 'destination'] as const;
    const valid = ends.map((end) => checkEnd(line.at(end), values[end], fabric)).every(Boolean);
    const problem =
      valid && values.source !== values.destination
        ? nvswitchEndProblem(fabric, values.source, values.destination)
        : null;
    if (values.source === values.destination) {
      line.error('destination', 'transfer-self', 'the transfer goes from a host to itself', {
        got: String(values.destination),
        wanted: 'two different hosts',
      });
    } else if (problem !== null) {
      const { end, message, wanted } = problem;
      line.error(end, 'transfer-nvswitch-end', message, {
        got: String(values[end]),
        wanted,
      });
    } else if (valid && !connected(values.source, values.destination)) {
      line.error(
        'destination',
        'transfer-unconnected',
        `no path leads from host ${values.source} to host ${values.destination}`,
        { wanted: 'two hosts joined by links through switches (hosts do not forward)' },
      );
    }
    const trafficClass = pins.classAt(line);
    if (trafficClass > 0 && !block.failed)
      checkPin(line, pins.problem(trafficClass, values.source, values.destination));
    const startsPs = SenderLines.startsPs(line, values.start) ?? [];
    senders.add(transfers.total, line, values.size, startsPs);
    for (const startPs of startsPs)
      transfers.add(values.source, values.destination, values.size, startPs, trafficClass);
    resolved.push({ ...groupText(transferSettings, values), ...senders.resolved(line), ...pinsAt(line) });
  }
  return block.failed
    ? null
    : { value: { source: transfers, paces: senders.paces, jobs: senders.jobs }, resolved: { transfers: resolved } };
}

function checkEnd(block: Section, node: number, fabric: Fabric): boolean {
  const name = String(block.path[block.path.length - 1]);
  if (node >= fabric.nodeCount) {
    block.error([], 'transfer-unknown-host', `${name} is not in the fabric`, {
      got: String(node),
      wanted: hostsText(fabric.hosts),
    });
    return false;
  }
  if (fabric.nodeKind[node] !== NodeKind.switch) return true;
  block.error([], 'transfer-not-a-host', `${name} is a switch, not a host`, {
    got: String(node),
    wanted: hostsText(fabric.hosts),
  });
  return false;
}

function checkPin(block: Section, problem: PinProblem | null): void {
  if (problem !== null) block.error(firstPinAt(block), 'transfer-pin', problem.message, { wanted: problem.wanted });
}
