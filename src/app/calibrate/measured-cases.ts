// What `weft calibrate` is asked for -> what is calibrated: the plan, and the cases that files of measurements hold:
// which GPUs of the fabric each table is of, which rows count, which are held out.
// Invariant: a row that does not count is named in a warning; a table that fits no GPUs of the fabric is an error.

import { builtInBackends } from '../../backends/catalogue.js';
import { type Diagnostic, Diagnostics, InputError } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { busFactor } from '../../collectives/bus-bandwidth.js';
import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';
import { Communicator } from '../../collectives/communicator.js';
import type { NcclProfile } from '../../collectives/nccl-figures.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import { profileOn } from '../../collectives/taken-figures.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { MeasuredTable } from '../../formats/measured-rows.js';
import { readMeasurements } from '../../formats/measurements.js';
import type { PerftestTable } from '../../formats/perftest.js';
import { otherBusFactor, timeOfRow } from '../../report/measured-comparison.js';
import { linkBytes } from '../../routing/base-delay.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import { lastArrivalPs, narrowestBps } from '../../routing/lone-transfer.js';
import { PathTracer } from '../../routing/path.js';
import type { Plan } from '../../scenario/plan.js';
import { type FabricPlanOptions, planOnFabric } from '../../scenario/plan-on-fabric.js';
import { packetShape } from '../make-network.js';
import type { NamedText } from '../routes/file-kinds.js';
import { type CollectiveSetup, type GroupSetup, planCollective } from '../simulate-collective.js';
import { isHeldOut, type CollectiveCase, type TransferCase } from './calibration-cases.js';

/** Groups of more ranks are calibrated on closed forms unless a backend is named. */
export const mostSimulatedRanks = 64;
export const simulatedOn = 'fluid';
export const closedForms = builtInBackends.find(({ collectives }) => collectives.kind === 'closed-form')!.name;

/** What is to be calibrated. */
export interface MeasuredRequest {
  /** what the profile will be called */
  readonly name: string;
  /** whose figures count where measurements say nothing */
  readonly base: NcclProfile;
  /** what nccl-tests, NCCL Inspector or perftest printed; of tables that do not say their collective it is `kind` */
  readonly files: readonly NamedText[];
  readonly kind?: CollectiveKind | undefined;
  /** GPUs that were measured; null: as the tables say, else all */
  readonly ranks: Int32Array | null;
  /** share of the sizes that is not fitted */
  readonly holdOut: number;
  /** left out: simulated up to so many ranks, by closed forms beyond */
  readonly backend?: string | undefined;
  readonly overrides: readonly string[];
  /** how collectives were carried out, under the base */
  readonly setupOf: (base: CalibratedProfile) => GroupSetup;
}

/** What is ready to be calibrated. */
export interface PreparedCalibration {
  readonly plan: Plan;
  readonly planOptions: Omit<FabricPlanOptions, 'host' | 'catalogues'>;
  readonly backend: string;
  readonly base: CalibratedProfile;
  readonly collectives: readonly CollectiveCase[];
  readonly transfers: readonly TransferCase[];
  readonly warnings: readonly Diagnostic[];
}

/** Reads measurements, and makes the plan and the cases of a calibration. @throws InputError */
export async function prepareCalibration(
  fabric: Fabric,
  request: MeasuredRequest,
  host: Host,
): Promise<PreparedCalibration> {
  const { name, files, ranks, holdOut, overrides } = request;
  const diagnostics = new Diagnostics();
  const tables = measuredTables(files, request.kind, diagnostics);
  const counts = tables.collectives.map(({ table }) => ranks?.length ?? table.ranks ?? fabric.hosts.length);
  const backend = request.backend ?? (Math.max(0, ...counts) <= mostSimulatedRanks ? simulatedOn : closedForms);
  const settings = [{ path: 'backend', value: backend, option: '--backend' }];
  const planOptions = { name: 'calibrate', settings, overrides };
  const plan = await planOnFabric(fabric, { ...planOptions, host });
  const base = profileOn(name, request.base, plan.fabric.gpuType);
  const parts = { plan, setup: request.setupOf(base), ranks, holdOut };
  const collectives = collectiveCases(tables, parts, diagnostics);
  const transfers = transferCases(tables, parts, diagnostics);
  if (![...collectives, ...transfers].some((one) => !one.isHeldOut))
    throw InputError.about('measured-nothing', files[0]!.name, 'no row of the files counts', {
      wanted: 'rows with bytes and a time',
    });
  const warnings = [...plan.warnings, ...diagnostics.warnings];
  return { plan, planOptions, backend, base, collectives, transfers, warnings };
}

/** Messages of at least so many bytes show a bandwidth; smaller ones how many of them a NIC can send. */
const leastBandwidthBytes = 65_536;
/** any ports: paths of equal cost count as alike */
const [sourcePort, destinationPort] = [10_000, 100];

/** All that was measured, read. */
interface MeasuredTables {
  readonly collectives: readonly {
    readonly file: string;
    readonly table: MeasuredTable;
    readonly kind: CollectiveKind;
  }[];
  readonly transfers: readonly { readonly file: string; readonly table: PerftestTable }[];
}

/** What stands for itself in every case. */
interface CaseParts {
  readonly plan: Plan;
  /** without its communicator */
  readonly setup: GroupSetup;
  /** of every table; null: by what a table says */
  readonly ranks: Int32Array | null;
  readonly holdOut: number;
}

/** rows of all tables together: each counts in every step of a fit */
const mostRows = 5000;

/** Warns of a table whose bandwidths are not those of a collective, if it does not name it or all of its ranks. */
export function doubtKind(
  file: string,
  table: MeasuredTable,
  kind: CollectiveKind,
  ranks: number,
  diagnostics: Diagnostics,
): void {
  const wanted = busFactor(kind, ranks);
  const factor = otherBusFactor(table.rows, wanted);
  if (factor === null) return;
  const [what, doubt] =
    table.test === null ? ['its collective', `is it of ${kind}`] : ['all of its ranks', `are they ${ranks}`];
  diagnostics.warning('measured-kind', file, table, `the table does not name ${what}; ${doubt}?`, {
    got: `busbw is ${factor.toFixed(3)} times algbw`,
    wanted: `${wanted.toFixed(3)} times, for ${kind} over ${ranks} ranks`,
  });
}

/** Reads files. @param kind of tables that do not say theirs @throws InputError */
function measuredTables(
  files: readonly NamedText[],
  kind: CollectiveKind | undefined,
  diagnostics: Diagnostics,
): MeasuredTables {
  const collectives: { file: string; table: MeasuredTable; kind: CollectiveKind }[] = [];
  const transfers: { file: string; table: PerftestTable }[] = [];
  for (const { name: file, text } of files) {
    const measurements = readMeasurements(text, file, diagnostics);
    if (measurements === null) continue;
    for (const table of measurements.transfers) transfers.push({ file, table });
    for (const table of measurements.collectives) {
      const own = table.kind ?? (table.test === null ? kind : undefined);
      if (own !== undefined) collectives.push({ file, table, kind: own });
      else if (table.test !== null)
        diagnostics.warning('measured-kind', file, table, `a table of ${table.test}, which Weft does not simulate`);
      else
        diagnostics.error('measured-kind', file, table, 'the table does not say which collective it is of', {
          hint: 'say it with --kind, such as --kind allreduce',
        });
    }
  }
  diagnostics.throwIfErrors();
  if (collectives.length + transfers.length === 0)
    throw InputError.about('measured-nothing', files[0]!.name, 'nothing in the files is of what Weft simulates');
  return { collectives, transfers };
}

/** The cases of all tables. @throws InputError */
function collectiveCases(
  { collectives }: MeasuredTables,
  { plan, setup, ranks: given, holdOut }: CaseParts,
  diagnostics: Diagnostics,
): CollectiveCase[] {
  const groups = new Map<
    string,
    {
      readonly communicator: Communicator;
      readonly kind: CollectiveKind;
      readonly rows: { sizeBytes: number; timeUs: number }[];
    }
  >();
  for (const { file, table, kind } of collectives) {
    const ranks = ranksOf(file, table, plan.fabric, given, diagnostics);
    if (ranks === null) continue;
    if (table.test === null) doubtKind(file, table, kind, ranks.length, diagnostics);
    const key = `${kind} ${ranks.join()}`;
    let group = groups.get(key);
    if (group === undefined)
      groups.set(key, (group = { communicator: new Communicator(plan.fabric, ranks), kind, rows: [] }));
    for (const row of table.rows) {
      const time = timeOfRow(row);
      if (time === null)
        diagnostics.warning('measured-nothing', file, row, 'a row without bytes or without a time does not count');
      else if (row.sizeBytes > maxCollectiveBytes)
        diagnostics.warning('measured-size', file, row, 'a size beyond what is simulated does not count');
      else group.rows.push({ sizeBytes: row.sizeBytes, timeUs: time.timeUs });
    }
  }
  diagnostics.throwIfErrors();
  const count = [...groups.values()].reduce((sum, { rows }) => sum + rows.length, 0);
  if (count > mostRows)
    throw InputError.about('measured-many', collectives[0]!.file, 'more rows than a calibration takes', {
      got: `${count} rows`,
      wanted: `at most ${mostRows}`,
      hint: 'the table of one run, or the median of each size',
    });
  return [...groups.values()].flatMap(({ communicator, kind, rows }) => {
    const sizes = [...new Set(rows.map(({ sizeBytes }) => sizeBytes))].sort((a, b) => a - b);
    const own: CollectiveSetup = { ...setup, communicator };
    return rows
      .sort((a, b) => a.sizeBytes - b.sizeBytes)
      .map(({ sizeBytes, timeUs }) => {
        const task = { kind, sizeBytes, root: 0 };
        const planned = planCollective(own, task);
        if (typeof planned === 'string')
          throw InputError.about('calibrate-choice', '--algorithm', planned, {
            wanted: 'an algorithm and a protocol that every table can be done by',
          });
        return { setup: own, task, measuredUs: timeUs, isHeldOut: isHeldOut(sizes.indexOf(sizeBytes), holdOut) };
      });
  });
}

/** The cases of tables of perftest, between the first GPUs of two servers. @throws InputError */
function transferCases(
  { transfers }: MeasuredTables,
  { plan, holdOut }: CaseParts,
  diagnostics: Diagnostics,
): TransferCase[] {
  if (transfers.length === 0) return [];
  const { fabric } = plan;
  const other = fabric.hosts[fabric.gpusPerServer];
  if (other === undefined)
    throw InputError.about('calibrate-servers', '--fabric', 'a transfer of perftest needs two servers', {
      got: `${fabric.hosts.length} GPUs on one`,
      wanted: 'a fabric of several servers',
    });
  const tracer = new PathTracer(new EqualCostRoutes(fabric, plan.routing.nextHopOrder));
  const path = new Int32Array(tracer.maxLength);
  const length = tracer.trace(fabric.hosts[0]!, other, sourcePort, destinationPort, path);
  const shape = packetShape(plan.packet);
  return transfers.flatMap(({ file, table: { measures, rows } }) => {
    const counted = rows.flatMap((row): Omit<TransferCase, 'isHeldOut'>[] => {
      const { sizeBytes } = row;
      if (measures === 'latency') {
        const measuredUs = row.typicalUs ?? row.meanUs;
        const idealUs = lastArrivalPs(fabric, path, length, Math.max(1, sizeBytes), shape) / 1e6;
        return measuredUs === null || measuredUs <= 0 ? [] : [{ measures, sizeBytes, measuredUs, idealUs }];
      }
      if (row.meanBps === null || row.meanBps <= 0 || sizeBytes < leastBandwidthBytes) return [];
      const bits = 8 * linkBytes(sizeBytes, shape.payloadBytes, shape.overheadBytes);
      return [
        {
          measures,
          sizeBytes,
          measuredUs: (sizeBytes * 8e6) / row.meanBps,
          idealUs: (bits * 1e6) / narrowestBps(fabric, path, length),
        },
      ];
    });
    if (counted.length < rows.length)
      diagnostics.warning(
        'measured-nothing',
        file,
        rows[0]!,
        `${rows.length - counted.length} of ${rows.length} rows do not count: bandwidths below 64 KiB say how many messages a NIC can send`,
      );
    return counted.map((one, i) => Object.assign(one, { isHeldOut: isHeldOut(i, holdOut) }));
  });
}

/** Which GPUs a table is of; null after an error. */
function ranksOf(
  file: string,
  table: MeasuredTable,
  { hosts, gpusPerServer }: Fabric,
  given: Int32Array | null,
  diagnostics: Diagnostics,
): Int32Array | null {
  const { ranks, servers } = table;
  const own = given ?? Int32Array.from(hosts, (_, rank) => rank);
  if (ranks === null || ranks === own.length) return own;
  const detail = {
    got: `${ranks} ranks${servers === null ? '' : ` on ${servers} servers`}`,
    wanted:
      given === null ? `at most the ${hosts.length} GPUs of the fabric` : `${given.length} ranks, as --ranks names`,
  };
  if (given === null && ranks >= 2 && servers !== null && servers > 0 && ranks % servers === 0) {
    const perServer = ranks / servers;
    if (perServer <= gpusPerServer && (servers - 1) * gpusPerServer + perServer <= hosts.length)
      return Int32Array.from(
        { length: ranks },
        (_, rank) => Math.floor(rank / perServer) * gpusPerServer + (rank % perServer),
      );
  } else if (given === null && ranks >= 2 && ranks <= hosts.length) return own.slice(0, ranks);
  diagnostics.error('measured-ranks', file, table, 'the fabric has no such GPUs as the table is of', {
    ...detail,
    hint: 'a fabric of their number (--gpus), or --ranks with those that were measured',
  });
  return null;
}
