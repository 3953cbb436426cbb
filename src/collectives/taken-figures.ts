// The figures that count on a GPU under a profile: NCCL's tables of a version, over them what the GPUs and the network
// take (hardware-figures.ts), over them what the profile itself says.
// Invariants: profiles that come with Weft and those of files go one way; a figure that nobody names is NCCL's, and a
// link that nobody measured is used wholly. What NCCL chooses by are its tables alone, unless a profile says otherwise;
// what posting a send takes is known to it (NCCL_NET_OVERHEAD), and a variable goes before every profile.

import { type CalibratedProfile, plainProfile, profileOf } from './calibrated-profile.js';
import { hardwareFigures, type HardwareFigures, type OtherLatencies } from './hardware-figures.js';
import type { GroupFacts } from './group-facts.js';
import { type TunedGroup, tunedGroup } from './nccl-cost.js';
import { type LatencyTable, ncclFigures, type NcclFigures, ncclNetwork, type NcclProfile } from './nccl-figures.js';
import type { NvlsTimes } from './nvls-chunks.js';
import { type PathKind, type Protocol, protocols, tunedAlgorithms } from './protocols.js';

/** what NCCL reckons that posting a send takes where it does not know the processor */
const unknownPostUs = 1;

type LinkShares = Readonly<Record<PathKind, Readonly<Record<Protocol, number>>>>;

/** What collectives take on one kind of GPU under a profile: the version's tables, the hardware's figures, its own. */
export interface TakenFigures {
  /** the version's, with other latencies in their place */
  readonly tables: NcclFigures;
  readonly shares: LinkShares;
  readonly transferLatencyPs: number;
  /** null: none */
  readonly rendezvous: { readonly aboveBytes: number; readonly latencyPs: number } | null;
  readonly sendsShare: number;
  /** share 0: GPUs without NVLS */
  readonly nvls: NvlsTimes;
  /** left out: not known */
  readonly postUs?: number;
}

/** As `plainProfile`, with the figures that its base takes on a GPU as its own: it stays what it is on any other. */
export function profileOn(name: string, base: NcclProfile, gpuType: string): CalibratedProfile {
  return { ...plainProfile(name, base), figures: merged(hardwareFigures(ncclNetwork(base), gpuType)) };
}

/** A profile that names further figures; they go before those that it names already. */
export function withFigures(profile: CalibratedProfile, figures: HardwareFigures): CalibratedProfile {
  return { ...profile, figures: merged([profile.figures, figures]) };
}

/** What a profile's choices are made by. @param gpuType as the topology names it */
function tunerFigures(profile: NcclProfile | CalibratedProfile, gpuType: string): NcclFigures {
  const { base, chosenBy } = profileOf(profile);
  return chosenBy === 'base' ? ncclFigures(base) : takenFigures(profile, gpuType).tables;
}

/** by profile and GPU: a run asks for the same ones again and again */
const taken = new WeakMap<CalibratedProfile, Map<string, TakenFigures>>();

/** What a collective takes under a profile. @param gpuType as the topology names it; "" if unknown */
export function takenFigures(profile: NcclProfile | CalibratedProfile, gpuType: string): TakenFigures {
  const own = profileOf(profile);
  let byGpu = taken.get(own);
  if (byGpu === undefined) taken.set(own, (byGpu = new Map()));
  let figures = byGpu.get(gpuType);
  if (figures === undefined) byGpu.set(gpuType, (figures = takenOn(own, gpuType)));
  return figures;
}

function takenOn({ base, figures: own }: CalibratedProfile, gpuType: string): TakenFigures {
  const { baseUs, hopUs, shares, transferLatencyPs, rendezvousPs, rendezvousAboveBytes, sendsShare, ...rest } = merged([
    ...hardwareFigures(ncclNetwork(base), gpuType),
    own,
  ]);
  const tables = ncclFigures(base);
  const share = (path: PathKind): LinkShares[PathKind] => ({ ll: 1, ll128: 1, simple: 1, ...shares?.[path] });
  return {
    tables: {
      ...tables,
      baseUs: withLatencies(tables.baseUs, baseUs),
      hopUs: {
        nvlink: withLatencies(tables.hopUs.nvlink, hopUs?.nvlink),
        pci: withLatencies(tables.hopUs.pci, hopUs?.pci),
        network: withLatencies(tables.hopUs.network, hopUs?.network),
      },
    },
    shares: { nvlink: share('nvlink'), pci: share('pci'), network: share('network') },
    transferLatencyPs: transferLatencyPs ?? 0,
    rendezvous: (rendezvousPs ?? 0) === 0 ? null : { aboveBytes: rendezvousAboveBytes ?? 0, latencyPs: rendezvousPs! },
    sendsShare: sendsShare ?? 1,
    nvls: { linkShare: rest.nvlsLinkShare ?? 0, roundUs: { nvls: 0, 'nvls-tree': 0, ...rest.nvlsRoundUs } },
    ...(rest.postUs === undefined ? {} : { postUs: rest.postUs }),
  };
}

/** Figures of which the later ones go before the earlier. */
function merged(layers: readonly HardwareFigures[]): HardwareFigures {
  return layers.reduce((under, over) => deeply(under, over) as HardwareFigures, {});
}

type Layer = { readonly [key: string]: number | Layer | undefined };

function deeply(under: object, over: object): object {
  const result: { [key: string]: number | Layer | undefined } = { ...(under as Layer) };
  for (const [key, value] of Object.entries(over as Layer)) {
    const below = result[key];
    result[key] =
      typeof value === 'object' && typeof below === 'object' ? (deeply(below, value) as Layer) : (value ?? below);
  }
  return result;
}

/** A table with other latencies in place of its own, where it has any. */
function withLatencies(table: LatencyTable, others: OtherLatencies | undefined): LatencyTable {
  if (others === undefined) return table;
  return Object.fromEntries(
    tunedAlgorithms.map((algorithm) => [
      algorithm,
      protocols.map((protocol, column) =>
        table[algorithm][column] === null ? null : (others[algorithm]?.[protocol] ?? table[algorithm][column]),
      ),
    ]),
  ) as unknown as LatencyTable;
}

/**
 * A group as NCCL's tuner sees it under a profile.
 * @param postOverheadUs what a variable says that posting a send takes, microseconds; it goes before the profile
 */
export function groupUnder(
  profile: NcclProfile | CalibratedProfile,
  { facts, gpuType }: { readonly facts: GroupFacts; readonly gpuType: string },
  postOverheadUs?: number,
): TunedGroup {
  const postUs = postOverheadUs ?? takenFigures(profile, gpuType).postUs ?? unknownPostUs;
  return tunedGroup(tunerFigures(profile, gpuType), facts, gpuType, postUs);
}
