// The names of collectives in workload files: what is done, and behind an underscore over which ranks (ALLTOALL_EP).
// Source: SimAI 1.6. Its reader takes ALLREDUCEALLTOALL for ALLREDUCE and unknown suffixes for no group; here the first
// is what it says, and the second is an error. _TP and _DP, which SimAI does not know, name the two groups that else
// follow from the pass.

import type { GroupName } from '../workload/policies.js';
import type { CollectiveName } from '../workload/workload.js';

const words: Readonly<Record<string, CollectiveName>> = {
  NONE: 'none',
  ALLREDUCE: 'allreduce',
  ALLGATHER: 'allgather',
  REDUCESCATTER: 'reducescatter',
  ALLTOALL: 'alltoall',
  BROADCAST: 'broadcast',
  ALLREDUCEALLTOALL: 'allreduceThenAlltoall',
};

const suffixes: Readonly<Record<string, GroupName>> = { EP: 'ep', DP_EP: 'dp_ep', TP: 'tp', DP: 'dp' };

/** A collective and its group (null: the name does not say), or what is wrong with its name. */
export type DecodedCollective =
  | { readonly collective: CollectiveName; readonly group: GroupName | null }
  | {
      readonly problem: 'unknown-collective' | 'unknown-group';
      readonly message: string;
      readonly wanted: string;
      readonly hint?: string;
    };

/** What a name such as `ALLTOALL_EP` means. Lower case is not accepted: SimAI would take it for NONE. */
export function decodeCollective(name: string): DecodedCollective {
  const at = name.indexOf('_');
  const word = at < 0 ? name : name.slice(0, at);
  if (!Object.hasOwn(words, word)) {
    const upper = name.toUpperCase().replace(/^(ALL|REDUCE)[_-]/, '$1');
    const isMeant = upper !== name && !('problem' in decodeCollective(upper));
    return {
      problem: 'unknown-collective',
      message: 'the collective is not known',
      wanted: `one of ${Object.keys(words).join(', ')}`,
      ...(isMeant ? { hint: `did you mean ${upper}?` } : {}),
    };
  }
  const collective = words[word]!;
  if (at < 0) return { collective, group: null };
  const suffix = name.slice(at + 1);
  if (collective !== 'none' && Object.hasOwn(suffixes, suffix)) return { collective, group: suffixes[suffix]! };
  return {
    problem: 'unknown-group',
    message: `${word} has an unknown group of ranks`,
    wanted: `${word}${
      collective === 'none'
        ? ''
        : `, or with one of ${Object.keys(suffixes)
            .map((known) => `_${known}`)
            .join(', ')} behind it`
    }`,
  };
}

/**
 * The name of a collective over a group.
 * @param plain the group that a name without a suffix has at this place
 * @returns null if there is no name for the group
 */
export function encodeCollective(collective: CollectiveName, group: GroupName, plain: GroupName): string | null {
  const word = Object.keys(words).find((known) => words[known] === collective)!;
  if (collective === 'none' || group === plain) return word;
  const suffix = Object.keys(suffixes).find((known) => suffixes[known] === group);
  return suffix === undefined ? null : `${word}_${suffix}`;
}
