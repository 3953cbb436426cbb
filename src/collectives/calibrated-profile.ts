// A profile of a user's own: what a cluster takes where it differs from what a version of NCCL reckons with. It chooses as
// its base does; what is chosen has the latencies, the shares of links' rates and the paces of the profile.
// - latencies: once per collective, per hop by kind of link, and per move over the network beside its hop;
// - shares: of a link's rate that a protocol reaches; so many more bytes are carried, on every backend alike;
// - pace: by kind, algorithm, protocol and size of the buffer, how many times as long all of it takes: latencies and
//   bytes alike. Between two sizes it goes geometrically with the (piecewise linear) logarithm of the size, beyond the
//   first and the last it stays. That latency and gap are functions of the message size is PLogP's idea: Kielmann, Bal,
//   Verstoep, "Fast measurement of LogP parameters for message passing platforms" (2000).
// Invariant: a profile that changes nothing gives its base's choices.
// Not modelled: paces by number of ranks beyond "one server or several"; other tables for the tuner than a version's.

import type { Choice, SelectionRequest } from './choice.js';
import type { GroupFacts } from './group-facts.js';
import { intraPath } from './nccl-cost.js';
import { ncclFigures, type NcclFigures, type NcclProfile } from './nccl-figures.js';
import { type PathKind, type Protocol, wireBytes } from './protocols.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';

/** How far rows lie from a profile: shares of the measured time, 0.05 is 5 %. */
export interface RowErrors {
  readonly rows: number;
  readonly median: number;
  /** nine of ten rows have at most that */
  readonly p90: number;
  readonly worst: number;
}

/** How many times as long collectives of one kind and choice take, by size. */
export interface Pace {
  readonly kind: CollectiveKind;
  /** ranks on one server, or on several */
  readonly servers: 'one' | 'several';
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  /** ascending; of the whole buffer of a rank */
  readonly sizeBytes: readonly number[];
  readonly factors: readonly number[];
}

export type LinkShares = Readonly<Record<PathKind, Readonly<Record<Protocol, number>>>>;

/** A profile from a file, or from `weft calibrate`. */
export interface CalibratedProfile {
  /** what results call it: the path of its file */
  readonly name: string;
  readonly base: NcclProfile;
  /** `base`: NCCL chooses by its own tables, whatever the hardware takes; `profile`: by these latencies */
  readonly chosenBy: 'base' | 'profile';
  /** the base's, with the profile's latencies and its share of NVLS */
  readonly figures: NcclFigures;
  /** share of a link's rate, above 0 and at most 1 */
  readonly shares: LinkShares;
  /** before every move over the network, beside its hop */
  readonly transferLatencyPs: number;
  /** before a move over the network of more bytes than that, beside all other: its two sides agree on it first; null: none */
  readonly rendezvous: { readonly aboveBytes: number; readonly latencyPs: number } | null;
  /** share of the network's rate that sends of a user's own reach (all-to-all, sendrecv), beside the link's */
  readonly sendsShare: number;
  /** microseconds that posting a send over the network takes; left out: not known (NCCL_NET_OVERHEAD) */
  readonly postUs?: number;
  readonly paces: readonly Pace[];
  /** of the rows that it was not fitted to; null: not measured */
  readonly heldOut: RowErrors | null;
}

const whole = { ll: 1, ll128: 1, simple: 1 };
/** Links that every protocol uses wholly. */
export const wholeLinks: LinkShares = { nvlink: whole, pci: whole, network: whole };

/** A profile that says nothing beside its base. */
export function plainProfile(name: string, base: NcclProfile): CalibratedProfile {
  return {
    name,
    base,
    chosenBy: 'base',
    figures: ncclFigures(base),
    shares: wholeLinks,
    transferLatencyPs: 0,
    rendezvous: null,
    sendsShare: 1,
    paces: [],
    heldOut: null,
  };
}

/** What a profile's choices are made by. */
export function tunerFigures(profile: NcclProfile | CalibratedProfile): NcclFigures {
  if (typeof profile === 'string') return ncclFigures(profile);
  return profile.chosenBy === 'base' ? ncclFigures(profile.base) : profile.figures;
}

/** What a collective takes under a profile, by whose figures. */
export function takenFigures(profile: NcclProfile | CalibratedProfile): NcclFigures {
  return typeof profile === 'string' ? ncclFigures(profile) : profile.figures;
}

/** A choice that was made with the latencies of the profile, with its shares and paces. */
export function underProfile(
  { name, shares, transferLatencyPs, rendezvous, sendsShare, paces }: CalibratedProfile,
  { kind, sizeBytes, facts }: SelectionRequest,
  choice: Choice,
): Choice {
  const { algorithm, protocol } = choice;
  const agreedPs =
    rendezvous !== null && moveBytes(choice, kind, sizeBytes, facts) > rendezvous.aboveBytes ? rendezvous.latencyPs : 0;
  const isSend = kind === 'alltoall' || kind === 'sendrecv';
  const servers = facts.servers === 1 ? 'one' : 'several';
  const pace = paces.find(
    (own) => own.kind === kind && own.servers === servers && own.algorithm === algorithm && own.protocol === protocol,
  );
  const factor = pace === undefined ? 1 : paceAt(pace, sizeBytes);
  return {
    ...choice,
    startDelayPs: Math.round(choice.startDelayPs * factor),
    intraServerDelayPs: Math.round(choice.intraServerDelayPs * factor),
    networkDelayPs: Math.round((choice.networkDelayPs + transferLatencyPs + agreedPs) * factor),
    nvswitchShare: choice.nvswitchShare * factor,
    serverShare: ((choice.serverShare ?? 1) * factor) / shares[intraPath(facts)][protocol],
    networkShare: ((choice.networkShare ?? 1) * factor) / (shares.network[protocol] * (isSend ? sendsShare : 1)),
    reason: `${choice.reason}; latencies and bandwidths of ${name}`,
  };
}

/** What a move between servers takes of its links, about. */
function moveBytes(
  { algorithm, protocol, channels, chunks }: Choice,
  kind: CollectiveKind,
  sizeBytes: number,
  { ranks }: GroupFacts,
): number {
  const isWhole = kind === 'sendrecv' || kind === 'broadcast' || kind === 'reduce';
  const parts = !isWhole && (algorithm === 'ring' || kind === 'alltoall') ? ranks : 1;
  return wireBytes(protocol, Math.ceil(sizeBytes / channels / chunks / parts));
}

/** How many times as long a size takes. */
export function paceAt({ sizeBytes: sizes, factors }: Pick<Pace, 'sizeBytes' | 'factors'>, sizeBytes: number): number {
  const next = sizes.findIndex((size) => size >= sizeBytes);
  if (next === -1) return factors.at(-1) ?? 1;
  if (next === 0 || sizes[next] === sizeBytes) return factors[next]!;
  const [from, to] = [logarithm(sizes[next - 1]!), logarithm(sizes[next]!)];
  return between(factors[next - 1]!, factors[next]!, (logarithm(sizeBytes) - from) / (to - from));
}

/** The base-2 logarithm, linear between powers of two. */
function logarithm(size: number): number {
  let [power, level] = [1, 0];
  for (; 2 * power <= size; power *= 2) level++;
  return level + size / power - 1;
}

/** low^(1 - share) x high^share by halving, which is exact to some 2^-20 of the way and the same on every engine. */
function between(low: number, high: number, share: number): number {
  let [from, to, rest] = [low, high, share];
  for (let step = 0; step < 20; step++) {
    const middle = Math.sqrt(from * to);
    if (rest < 0.5) [to, rest] = [middle, 2 * rest];
    else [from, rest] = [middle, 2 * rest - 1];
  }
  return from + (to - from) * rest;
}
