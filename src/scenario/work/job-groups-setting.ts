// Which ranks of a job form groups: the order of the dimensions (`layout`), or lists of ranks (`groups`).
// Invariant: what is returned has every rank in exactly one group of a kind; groups given by hand stay within a stage
// of the pipeline.

import { Section } from '../form/section.js';
import * as z from 'zod';
import {
  dimensions,
  explicitGroupProblems,
  parallelGroups,
  type Dimension,
  type ParallelSizes,
} from '../../collectives/parallel-groups.js';
import { parseRankList } from '../../fabric/rank-list.js';
import { explicitKinds, type ExplicitGroups, type ExplicitKind } from '../../jobs/job.js';
import { errorAt, plainOf } from '../form/located.js';
import { checked } from '../form/setting-schema.js';

const layoutForm = `the dimensions ${dimensions.join(', ')} in another order, each once`;

/** `layout: [tp, ep, dp_ep, pp]` */
export const layoutSchema = checked(
  (value) => {
    if (Array.isArray(value) && value.length === dimensions.length && dimensions.every((name) => value.includes(name)))
      return null;
    return { code: 'scenario-value', message: 'is no order of the dimensions', wanted: layoutForm };
  },
  {
    type: 'array',
    items: { enum: dimensions },
    minItems: 4,
    maxItems: 4,
    uniqueItems: true,
    default: dimensions,
    description: 'how ranks are numbered: the first dimension is the one in which neighbouring ranks differ',
  },
).optional();

const listSchema = checked(
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' || Number.isInteger(item))
      ? null
      : {
          code: 'scenario-type',
          message: 'is not a list of groups',
          wanted: "groups of ranks, such as ['0-3', '4-15']",
        },
  {
    type: 'array',
    items: { type: ['string', 'integer'] },
    minItems: 1,
  },
);

/** `groups: { tp: ['0-3', '4-15'] }` */
export const groupsSchema = z
  .strictObject(
    Object.fromEntries(
      explicitKinds.map((kind) => [
        kind,
        listSchema.optional().meta({ description: `the ${kind} groups, each as ranks of the job` }),
      ]),
    ),
  )
  .optional()
  .meta({ description: 'groups given as lists of ranks, of any sizes, in place of those that follow from the layout' });

/** The layout at a path, or undefined if there is none. The section must be free of errors. */
export function layoutAt(block: Section): readonly Dimension[] | undefined {
  const node = block.node('layout');
  return node === undefined ? undefined : (plainOf(node) as Dimension[]);
}

/**
 * The groups given at a path, or undefined if there are none.
 * @param sizes of the workload's groups, of which those of the pipeline count @param layout of the ranks
 * @returns null after at least one error
 */
export function groupsAt(
  block: Section,
  sizes: ParallelSizes,
  layout: readonly Dimension[] | undefined,
): ExplicitGroups | null | undefined {
  if (!block.has('groups')) return undefined;
  const errorsBefore = block.diagnostics.errorCount;
  const { context = 1 } = sizes;
  if (context > 1)
    block.keyError('groups', 'job-groups', 'groups given as lists do not say which ranks share a sequence', {
      got: `contextParallel: ${context}`,
      wanted: 'contextParallel: 1',
      hint: 'without groups they follow from the sizes; layout puts the ranks in another order',
    });
  const count = sizes.tensor * sizes.data * sizes.pipeline;
  const stageOf = new Int32Array(count);
  for (const ranks of parallelGroups('pp', sizes, layout)) ranks.forEach((rank, stage) => (stageOf[rank] = stage));
  const groups: Partial<Record<ExplicitKind, readonly Int32Array[]>> = {};
  for (const kind of explicitKinds) {
    const list = block.node('groups', kind);
    if (list?.kind !== 'list') continue;
    const lists: Int32Array[] = [];
    for (const item of list.items) {
      const ranks = parseRankList(String(plainOf(item)), count);
      if (!(ranks instanceof Int32Array)) {
        errorAt(block.diagnostics, 'job-groups', item.place, 'the group is not a list of ranks of the job', ranks);
        continue;
      }
      const stranger = ranks.find((rank) => stageOf[rank] !== stageOf[ranks[0]!]);
      if (stranger !== undefined)
        errorAt(
          block.diagnostics,
          'job-groups',
          item.place,
          `ranks ${ranks[0]!} and ${stranger} are in two stages of the pipeline`,
          { wanted: 'a group within a stage' },
        );
      lists.push(ranks.sort());
    }
    if (lists.length < list.items.length) continue;
    for (const { message, wanted } of explicitGroupProblems(
      kind,
      lists.map((ranks) => [...ranks]),
      count,
    ))
      errorAt(block.diagnostics, 'job-groups', list.place, message, wanted === undefined ? {} : { wanted });
    groups[kind] = lists;
  }
  return block.diagnostics.errorCount > errorsBefore ? null : groups;
}
