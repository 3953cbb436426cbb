/**
 * `@weft-sim/weft/collectives`: the time of one collective on an idle fabric, as nccl-tests measures it.
 *
 * ```ts
 * import { generateFabric } from '@weft-sim/weft';
 * import { timeCollective } from '@weft-sim/weft/collectives';
 * const measured = await timeCollective(generateFabric('spectrum-x', { gpus: 16 }), { kind: 'allreduce', size: '64MiB'
 * }); console.log(measured.timePs / 1e6, measured.busBandwidth / 1e9, measured.choice.algorithm);
 * ```
 *
 * @module @weft-sim/weft/collectives
 */

export type {
  CollectiveTask,
  GroupChoices,
  MeasuredCollective,
  PlannedCollective,
} from '../app/simulate-collective.js';
export { algorithmsFor, type CollectiveRequest } from '../collectives/build-schedule.js';
export { busFactor } from '../collectives/bus-bandwidth.js';
export { groupKinds, type GroupKind } from '../collectives/parallel-groups.js';
export { protocols, type Protocol } from '../collectives/protocols.js';
export { algorithmNames, type AlgorithmName, type CollectiveKind, collectiveKinds } from '../collectives/schedule.js';
export { type CalibratedProfile, type Pace, plainProfile, type RowErrors } from '../collectives/calibrated-profile.js';
export type { HardwareFigures, NvlsAlgorithm, OtherLatencies } from '../collectives/hardware-figures.js';
export { ncclProfiles, type NcclProfile } from '../collectives/nccl-figures.js';
export {
  type Choice,
  type Profile,
  selectionProfiles,
  type SelectionProfile,
  type Wish,
} from '../collectives/selection.js';
export { profileFromText } from './profile-from-text.js';
export { timeCollective, type CollectiveOptions } from './time-collective.js';
export type { GroupFacts } from '../collectives/group-facts.js';
