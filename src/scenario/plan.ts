// A scenario with everything resolved: what is built, how it forwards, what is sent. The one thing that app runs.

import type { ControllerPolicy } from '../controller/central-controller.js';
import type { Backend } from '../backends/backend.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import type { Diagnostic } from '../base/diagnostics.js';
import type { GroupValues } from '../base/settings.js';
import type { Failures } from '../execution/failure-schedule.js';
import type { PartCosts } from '../fabric/bill-of-materials.js';
import type { Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import type { SenderPaces } from '../execution/sender-paces.js';
import type { TransferJob } from '../jobs/transfer-jobs.js';
import type { WorkSource } from '../flows/work-source.js';
import type { Inference } from '../inference/inference.js';
import type { CollectiveSettings, Job } from '../jobs/job.js';
import type { JobRecording } from '../jobs/job-recorder.js';
import type { PlacedProgram } from '../programs/placed-program.js';
import type { TableSchema } from '../records/schema.js';
import type { PortsOfPairs } from '../execution/given-ports.js';
import type { RoutingRules } from '../routing/equal-cost.js';
import type { LaneAssignment } from '../routing/lane-maps.js';
import type { Pin } from '../routing/pinned-paths.js';
import type { PlanInput } from './input-files.js';

/** The central controller of a run. */
export interface ControllerSettings {
  readonly enabled: boolean;
  readonly policy: ControllerPolicy;
  /** flows under way are placed anew when routes change */
  readonly reassign: boolean;
  /** from when a request is taken until its answer is there, in picoseconds */
  readonly delay: number;
  /** requests that it takes a second; 0: any number */
  readonly requestRate: number;
  /** share of the servers whose flows it places */
  readonly share: number;
  /** from one reading of port counters to the next, in picoseconds */
  readonly pollInterval: number;
}

/**
 * Everything that a run is made of. One flat list of its parts, as each is planned by itself (assemble-plan.ts), and
 * whoever works with a plan picks some by name. What is of packets alone stands in `packet`.
 */
export interface Plan {
  readonly name: string;
  readonly seed: number;
  /** level of detail: a backend of the catalogue */
  readonly backend: Backend;
  readonly fabric: Fabric;
  /** names, GUIDs and LIDs of a fabric that was read from InfiniBand's tools; null: it has none */
  readonly identity: FabricIdentity | null;
  /** transfers of their own: those of the scenario's traffic */
  readonly source: WorkSource;
  /** those of them whose senders have a rate of their own; null: none has one */
  readonly paces: SenderPaces | null;
  /** jobs that some of them are */
  readonly transferJobs: readonly TransferJob[];
  /** what transfers of each class ask of their paths; class n is pin n - 1, class 0 asks nothing */
  readonly pins: readonly Pin[];
  /** requests whose keys and values move from prefill to decode; null: none */
  readonly inference: Inference | null;
  /** what computes and communicates beside them; may be empty */
  readonly jobs: readonly Job[];
  /** programs whose ranks send messages, beside them; may be empty */
  readonly programs: readonly PlacedProgram[];
  readonly collectives: CollectiveSettings;
  /** what is recorded of jobs */
  readonly timeline: JobRecording;
  readonly routing: RoutingRules;
  /** source ports that a file gives to pairs of hosts; null: none */
  readonly sourcePorts: PortsOfPairs | null;
  /** service levels and lanes that files list; null: none */
  readonly lanes: Partial<LaneAssignment> | null;
  readonly controller: ControllerSettings;
  /** what happens to links during the run */
  readonly failures: Failures;
  /** software time between a transfer's start and the creation of its queue pair, in picoseconds */
  readonly sendLatencyPs: number;
  /** when the run ends, whatever is unfinished, in picoseconds; Infinity: when its work is done */
  readonly stopPs: number;
  /** of packets, whatever runs: every backend reads their sizes */
  readonly packet: PacketSettings;
  /** of every group that a backend of the catalogue brings, by name; `valuesOfGroup` gives them their types */
  readonly settings: Readonly<Record<string, GroupValues>>;
  /** what its fabric costs; null: the scenario prices nothing */
  readonly cost: PartCosts | null;
  /** what the run will record */
  readonly tables: readonly TableSchema[];
  /** the files that it was made from, in the order in which they were first read */
  readonly inputs: readonly PlanInput[];
  readonly warnings: readonly Diagnostic[];
  /**
   * paths of given settings that change nothing here, whatever their values; warnings pass over defaults, this does not
   */
  readonly withoutEffect: ReadonlySet<string>;
  /** paths of the settings that the scenario, --set or --seed gave; lists but `jobs` count as one */
  readonly given: ReadonlySet<string>;
  /** the scenario as resolved, plain JSON with units, for the manifest */
  readonly resolved: Readonly<Record<string, unknown>>;
}
