// What a choice takes under a profile: the profile's latencies and shares of links' rates, and its paces.
// - latencies: before every move over the network beside its hop, and of larger moves their rendezvous;
// - shares: of a link's rate that a protocol reaches; so many more bytes are carried, on every backend alike;
// - pace: by kind, algorithm, protocol and size of the buffer, how many times as long all of it takes: latencies and
//   bytes alike. Between two sizes it goes geometrically with the (piecewise linear) logarithm of the size, beyond the
//   first and the last it stays. That latency and gap are functions of the message size is PLogP's idea: Kielmann, Bal,
//   Verstoep, "Fast measurement of LogP parameters for message passing platforms" (2000).
// Invariant: figures that differ in nothing leave a choice what it takes.

import { type CalibratedProfile, type Pace, profileOf } from './calibrated-profile.js';
import type { Choice, SelectionRequest } from './choice.js';
import type { GroupFacts } from './group-facts.js';
import { intraPath } from './nccl-cost.js';
import { ncclNetwork, type NcclProfile } from './nccl-figures.js';
import { wireBytes } from './protocols.js';
import type { CollectiveKind } from './schedule.js';
import { takenFigures } from './taken-figures.js';

/** A choice that was made with the latencies of the profile, with its shares and paces. */
export function underProfile(
  profile: NcclProfile | CalibratedProfile,
  { kind, sizeBytes, facts, gpuType }: SelectionRequest,
  choice: Choice,
): Choice {
  const { paces } = profileOf(profile);
  const { shares, transferLatencyPs, rendezvous, sendsShare } = takenFigures(profile, gpuType);
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
    postPs: Math.round(choice.postPs * factor),
    postHidingBytes: Math.ceil(choice.postHidingBytes * factor),
    nvswitchShare: choice.nvswitchShare * factor,
    serverShare: ((choice.serverShare ?? 1) * factor) / shares[intraPath(facts)][protocol],
    networkShare: ((choice.networkShare ?? 1) * factor) / (shares.network[protocol] * (isSend ? sendsShare : 1)),
    reason: isPlain(profile)
      ? choice.reason
      : `${choice.reason}; latencies and bandwidths of ${profileOf(profile).name}`,
  };
}

/** Whether a profile is that of a version alone. */
function isPlain(profile: NcclProfile | CalibratedProfile): boolean {
  return typeof profile === 'string' && ncclNetwork(profile) === 'infiniband';
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
