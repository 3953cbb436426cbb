// The environment variables of NCCL that choose algorithms, protocols, channels and buffers: read from texts, and kept
// as what they ask for.
// Invariant: a variable is honoured, refused with the reason, or unknown; none is passed over.
// Source: NCCL's manual (Environment Variables). NCCL_NET_OVERHEAD is not in it: nanoseconds that posting a send takes,
// which the tuner knows by itself as 1,000 with processors of Intel and 2,000 with those of AMD.

import type { Protocol, TunedAlgorithm } from './protocols.js';
import type { CollectiveKind } from './schedule.js';

/** Words of NCCL_ALGO or NCCL_PROTO, for one kind of collective or for all. */
interface Choices<T> {
  readonly kind: CollectiveKind | null;
  /** all but these */
  readonly isExclusion: boolean;
  readonly words: readonly T[];
}

/** What the variables ask for; left out: nothing. */
export interface NcclEnvironment {
  /** as they were given, in their order: `NCCL_ALGO=Ring` */
  readonly given: readonly string[];
  readonly algorithms?: readonly Choices<TunedAlgorithm>[] | undefined;
  readonly protocols?: readonly Choices<Protocol>[] | undefined;
  readonly minChannels?: number | undefined;
  readonly maxChannels?: number | undefined;
  readonly nvls?: boolean | undefined;
  readonly collnet?: boolean | undefined;
  readonly pxn?: boolean | undefined;
  /** of Simple: by channel and peer */
  readonly bufferBytes?: number | undefined;
  /** of sends between servers that are not part of a collective's ring or tree */
  readonly p2pChunkBytes?: number | undefined;
  readonly postOverheadUs?: number | undefined;
  /** of a connection over the network, for each port of its NIC */
  readonly queuePairs?: number | undefined;
  /** every message is split over all of them; else messages take them in turn */
  readonly splitsData?: boolean | undefined;
}

type Asked = { -readonly [K in keyof NcclEnvironment]: NcclEnvironment[K] };

/** Why a variable is not taken, in words. */
export interface VariableProblem {
  readonly message: string;
  readonly wanted: string;
  readonly hint?: string;
}

interface Variable {
  /** one line for people */
  readonly description: string;
  /** what it looks like */
  readonly wanted: string;
  /** Takes its value; false: it is none. Left out: the variable is refused. */
  readonly take?: (text: string, into: Asked) => boolean;
  /** what to do in place of a refused one */
  readonly instead?: string;
}

const algorithmWords: Readonly<Record<string, TunedAlgorithm>> = {
  tree: 'tree',
  ring: 'ring',
  collnetdirect: 'collnet-direct',
  collnetchain: 'collnet-chain',
  nvls: 'nvls',
  nvlstree: 'nvls-tree',
  pat: 'pat',
};
const protocolWords: Readonly<Record<string, Protocol>> = { ll: 'll', ll128: 'll128', simple: 'simple' };
const kindWords: Readonly<Record<string, CollectiveKind>> = {
  broadcast: 'broadcast',
  reduce: 'reduce',
  allgather: 'allgather',
  reducescatter: 'reducescatter',
  allreduce: 'allreduce',
};
const mostChannels = 64;
const mostQueuePairs = 64;

const variables: Readonly<Record<string, Variable>> = {
  NCCL_ALGO: {
    description: 'the algorithms that may be chosen; ^ before the list: all others',
    wanted: 'such as Ring, Ring,Tree, ^NVLS or allreduce:Tree;allgather:Ring',
    take: (text, into) => (into.algorithms = choicesOf(text, algorithmWords)) !== undefined,
  },
  NCCL_PROTO: {
    description: 'the protocols that may be chosen; ^ before the list: all others',
    wanted: 'such as Simple, LL,LL128 or ^LL128',
    take: (text, into) => (into.protocols = choicesOf(text, protocolWords)) !== undefined,
  },
  NCCL_MIN_NCHANNELS: {
    description: 'the fewest channels',
    wanted: `a whole number from 1 to ${mostChannels}`,
    take: (text, into) => (into.minChannels = countOf(text, 1, mostChannels)) !== undefined,
  },
  NCCL_MAX_NCHANNELS: {
    description: 'the most channels',
    wanted: `a whole number from 1 to ${mostChannels}`,
    take: (text, into) => (into.maxChannels = countOf(text, 1, mostChannels)) !== undefined,
  },
  NCCL_NVLS_ENABLE: {
    description: '0: no reductions in NVSwitches; 1 and 2: where there can be',
    wanted: '0, 1 or 2',
    take: (text, into) => {
      const value = countOf(text, 0, 2);
      into.nvls = value !== 0;
      return value !== undefined;
    },
  },
  NCCL_COLLNET_ENABLE: {
    description: '1: reductions between servers in switches may be chosen',
    wanted: '0 or 1',
    take: (text, into) => (into.collnet = flagOf(text)) !== undefined,
  },
  NCCL_PXN_DISABLE: {
    description: '0: sends over NICs of other GPUs of the server, by NVLink; 1: none',
    wanted: '0 or 1',
    take: (text, into) => {
      const value = flagOf(text);
      into.pxn = value === false;
      return value !== undefined;
    },
  },
  NCCL_BUFFSIZE: {
    description: 'bytes of the buffer between two ranks of a channel, with Simple',
    wanted: 'a whole number of bytes from 4096 to 2147483647, such as 4194304',
    take: (text, into) => (into.bufferBytes = countOf(text, 4096, 2 ** 31 - 1)) !== undefined,
  },
  NCCL_P2P_NET_CHUNKSIZE: {
    description: 'bytes of a piece of a send between servers (all-to-all, sendrecv)',
    wanted: 'a whole number of bytes from 1024 to 2147483647, such as 131072',
    take: (text, into) => (into.p2pChunkBytes = countOf(text, 1024, 2 ** 31 - 1)) !== undefined,
  },
  NCCL_NET_OVERHEAD: {
    description: 'nanoseconds that posting a send takes, as the cost model counts them',
    wanted: 'a whole number of nanoseconds from 0 to 1000000',
    take: (text, into) => {
      const value = countOf(text, 0, 1_000_000);
      into.postOverheadUs = (value ?? 0) / 1000;
      return value !== undefined;
    },
  },
  NCCL_IB_QPS_PER_CONNECTION: {
    description: 'queue pairs of a connection between servers, for each port of its NIC',
    wanted: `a whole number from 1 to ${mostQueuePairs}`,
    take: (text, into) => (into.queuePairs = countOf(text, 1, mostQueuePairs)) !== undefined,
  },
  NCCL_IB_SPLIT_DATA_ON_QPS: {
    description: '1: every message is split over them; 0: messages take them in turn',
    wanted: '0 or 1',
    take: (text, into) => (into.splitsData = flagOf(text)) !== undefined,
  },
  NCCL_TOPO_FILE: {
    description: "refused: NVLinks and NICs are the fabric's",
    wanted: 'a fabric',
    instead: 'describe the server in the fabric: its GPUs, NVSwitches, NICs and their rates',
  },
};

/** The names of all variables that are known, with a line on each. */
export const ncclVariables: readonly { readonly name: string; readonly description: string }[] = Object.entries(
  variables,
).map(([name, { description }]) => ({ name, description }));

/** What is wrong with a variable, in words; null: it can be honoured. @param text number or text, as it was written */
export function variableProblem(name: string, text: string): VariableProblem | null {
  const variable = Object.hasOwn(variables, name) ? variables[name]! : null;
  if (variable === null)
    return {
      message: 'is no environment variable of NCCL that Weft knows',
      wanted: ncclVariables.map((one) => one.name).join(', '),
    };
  if (variable.take === undefined)
    return {
      message: `cannot be honoured: ${variable.description.replace(/^refused: /, '')}`,
      wanted: variable.wanted,
      hint: variable.instead!,
    };
  return variable.take(text, { given: [] }) ? null : { message: 'is no value of it', wanted: variable.wanted };
}

/** What variables ask for. `variableProblem` must have nothing to say of any. @param values by name */
export function ncclEnvironment(values: Readonly<Record<string, string>>): NcclEnvironment {
  const asked: Asked = { given: Object.entries(values).map(([name, text]) => `${name}=${text}`) };
  for (const [name, text] of Object.entries(values)) variables[name]?.take?.(text, asked);
  return asked;
}

/** Whether NCCL_ALGO or NCCL_PROTO leave a word for a kind of collective. */
export function isLeft<T>(lists: readonly Choices<T>[] | undefined, kind: CollectiveKind, word: T): boolean {
  // a list for the kind goes before one for all
  const list = lists?.find((one) => one.kind === kind) ?? lists?.find((one) => one.kind === null);
  return list === undefined || list.words.includes(word) !== list.isExclusion;
}

/** `Ring,Tree`, `^NVLS`, `allreduce:Tree;allgather:Ring`; undefined if it is none of these. */
function choicesOf<T>(text: string, words: Readonly<Record<string, T>>): readonly Choices<T>[] | undefined {
  const lists = text
    .trim()
    .toLowerCase()
    .split(';')
    .map((part): Choices<T> | null => {
      const [, kindWord, list] = /^(?:([a-z]+):)?(.*)$/.exec(part)!;
      const isExclusion = list!.startsWith('^');
      const names = (isExclusion ? list!.slice(1) : list!).split(',').map((name) => name.trim());
      const isKnown =
        names.every((name) => Object.hasOwn(words, name)) &&
        (kindWord === undefined || Object.hasOwn(kindWords, kindWord));
      return isKnown
        ? {
            kind: kindWord === undefined ? null : kindWords[kindWord]!,
            isExclusion,
            words: names.map((name) => words[name]!),
          }
        : null;
    });
  return lists.includes(null) ? undefined : (lists as readonly Choices<T>[]);
}

function countOf(text: string, minimum: number, maximum: number): number | undefined {
  const value = Number(text);
  return /^\s*\d+\s*$/.test(text) && value >= minimum && value <= maximum ? value : undefined;
}

function flagOf(text: string): boolean | undefined {
  const value = countOf(text, 0, 1);
  return value === undefined ? undefined : value === 1;
}
