// The parallelism policies of ASTRA-sim's workload files: over which ranks the collectives of a pass run when their
// names do not say it.
// Source: the workload format of ASTRA-sim and SimAI 1.6. Its "dimensions" are groups here: the first dimension is a
// server, the others together are the GPUs that stand at the same place in their servers.
// Not known here: the order in which layers compute and communicate (docs/formats/simai-workload.md, "Order").

import { groupKinds } from '../collectives/parallel-groups.js';

/**
 * Which ranks take part in a collective. `all`: every rank; `server`: the ranks of one server; `acrossServers`: the
 * ranks at one place of every server.
 */
export const groupNames = ['none', ...groupKinds, 'all', 'server', 'acrossServers'] as const;
export type GroupName = (typeof groupNames)[number];

/** The passes of a layer, in the order of the file's fields. */
export const passNames = ['forward', 'inputGradient', 'weightGradient'] as const;
export type PassName = (typeof passNames)[number];

/** The policies, as the first word of a file names them. */
export const policyNames = [
  'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
  'HYBRID_TRANSFORMER',
  'DATA',
  'MODEL',
  'HYBRID_DATA_MODEL',
  'HYBRID_MODEL_DATA',
  'HYBRID_DLRM',
  'HYBRID_DLRM_ENHANCED',
  'HYBRID_CUSTOMIZED',
  'MICRO',
  'DISTRIBUTED_INFERENCE',
] as const;
export type PolicyName = (typeof policyNames)[number];

interface PolicyGroups {
  /** forward and input-gradient passes */
  readonly activations: GroupName;
  /** weight-gradient pass */
  readonly gradients: GroupName;
}

const groups: Readonly<Record<Exclude<PolicyName, 'HYBRID_CUSTOMIZED'>, PolicyGroups>> = {
  HYBRID_TRANSFORMER_FWD_IN_BCKWD: { activations: 'tp', gradients: 'dp' },
  HYBRID_TRANSFORMER: { activations: 'tp', gradients: 'dp' },
  DATA: { activations: 'none', gradients: 'all' },
  MODEL: { activations: 'all', gradients: 'none' },
  HYBRID_DATA_MODEL: { activations: 'server', gradients: 'acrossServers' },
  HYBRID_MODEL_DATA: { activations: 'acrossServers', gradients: 'server' },
  HYBRID_DLRM: { activations: 'none', gradients: 'all' },
  HYBRID_DLRM_ENHANCED: { activations: 'none', gradients: 'all' },
  MICRO: { activations: 'none', gradients: 'all' },
  DISTRIBUTED_INFERENCE: { activations: 'all', gradients: 'none' },
};

/** Whether a policy splits ranks into tensor, data and expert groups, so that a file under it needs their sizes. */
export function isTransformer(policy: PolicyName): boolean {
  return policy === 'HYBRID_TRANSFORMER' || policy === 'HYBRID_TRANSFORMER_FWD_IN_BCKWD';
}

/**
 * Whether a policy is one of the two for recommendation models, whose first layer (the embeddings) communicates among
 * all ranks.
 */
export function isRecommendation(policy: PolicyName): boolean {
  return policy === 'HYBRID_DLRM' || policy === 'HYBRID_DLRM_ENHANCED';
}

/**
 * The ranks of a collective whose name has no group.
 * @param policy of the file, or of the layer under HYBRID_CUSTOMIZED (which itself has none)
 * @param isFirstLayer whether it is the first layer of the file
 * @returns `none` if the policy gives the pass no ranks
 */
export function groupOfPolicy(policy: PolicyName, pass: PassName, isFirstLayer: boolean): GroupName {
  if (policy === 'HYBRID_CUSTOMIZED') return 'none';
  if (isFirstLayer && isRecommendation(policy)) return 'all';
  return pass === 'weightGradient' ? groups[policy].gradients : groups[policy].activations;
}
