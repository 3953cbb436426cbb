// Collectives on an idle fabric from what is asked for: the plan, the group, and each size with how it is done.
// Invariant: what comes out can run; a mistake names what was asked wrongly, in the words of whoever asks.

import { InputError } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import { algorithmsFor } from '../collectives/build-schedule.js';
import { Communicator } from '../collectives/communicator.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import type { Plan } from '../scenario/plan.js';
import { type FabricPlanOptions, planOnFabric } from '../scenario/plan-on-fabric.js';
import {
  type CollectiveSetup,
  type GroupSetup,
  planCollective,
  type PlannedCollective,
  unconnectedRanks,
} from './simulate-collective.js';

/** What is asked for. */
export interface CollectivesRequest {
  readonly kind: CollectiveKind;
  /** the whole buffer of a rank, each */
  readonly sizesBytes: readonly number[];
  /** hosts of the fabric by their number, each once, in the order of the group */
  readonly ranks: Int32Array;
  /** place of the root of a broadcast or reduce in the group */
  readonly root: number;
  readonly setup: GroupSetup;
  readonly planOptions: Omit<FabricPlanOptions, 'host'>;
}

export interface PreparedCollectives {
  readonly plan: Plan;
  readonly setup: CollectiveSetup;
  /** in the order of the sizes */
  readonly collectives: readonly PlannedCollective[];
}

/**
 * Plans collectives.
 * @param option what a mistake calls one of `algorithm`, `protocol`, `fabric` and `pxn`, such as `--algorithm`
 * @throws InputError
 */
export async function prepareCollectives(
  fabric: Fabric,
  { kind, sizesBytes, ranks, root, setup: group, planOptions }: CollectivesRequest,
  host: Host,
  option: (name: string) => string,
): Promise<PreparedCollectives> {
  const plan = await planOnFabric(fabric, { ...planOptions, host });
  const setup: CollectiveSetup = { ...group, communicator: new Communicator(plan.fabric, ranks) };
  const { algorithm, protocol } = group.wish;
  const collectives = sizesBytes.map((sizeBytes) => {
    const planned = planCollective(setup, { kind, sizeBytes, root });
    if (typeof planned !== 'string') return planned;
    const [name, got, wanted] =
      algorithm === 'auto'
        ? ['protocol', protocol, 'auto, or a protocol of the algorithm']
        : ['algorithm', algorithm, `auto, ${algorithmsFor(kind).join(', ')}`];
    throw InputError.about(`collective-${name}`, option(name), planned, { got, wanted });
  });
  // on a fabric of which not every host reaches every other, whoever sends must reach whom it sends to
  const apart = unconnectedRanks(setup.communicator, collectives);
  if (apart === null) return { plan, setup, collectives };
  const { source, destination, withoutNic } = apart;
  const why = withoutNic === null ? '' : `: rank ${withoutNic} has no NIC`;
  throw InputError.about(
    'collective-unconnected',
    option('fabric'),
    `no path leads from rank ${source} to rank ${destination}${why}`,
    {
      wanted: 'ranks that reach each other through switches',
      hint:
        withoutNic === null
          ? undefined
          : `${option('pxn')} sends over the NICs of other GPUs of the server (rings, alltoall)`,
    },
  );
}
