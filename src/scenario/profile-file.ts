// A profile file (docs/formats/profile.md) -> the profile, and back.
// Invariant: what is written is read again as the same profile, to the digits that are written (times to the picosecond,
// shares and paces to six digits); a file with a mistake gives no profile.

import type { Diagnostics } from '../base/diagnostics.js';
import { resolveSetting, type Setting } from '../base/settings.js';
import { sizeText, timeText } from '../base/quantity-text.js';
import {
  type CalibratedProfile,
  type LinkShares,
  type Pace,
  type RowErrors,
  wholeLinks,
} from '../collectives/calibrated-profile.js';
import type { GpuGeneration } from '../collectives/gpu-generation.js';
import { type LatencyTable, ncclFigures, type NcclFigures, type NcclProfile } from '../collectives/nccl-figures.js';
import {
  type PathKind,
  type Protocol,
  protocols,
  type TunedAlgorithm,
  tunedAlgorithms,
} from '../collectives/protocols.js';
import { checkForm } from './form-problems.js';
import { errorAt, keyPlaceOf, type LocatedMap, nodeAt, type Path, plainOf } from './located.js';
import { type LinkName, linkNames, profileSchema, profileSettings } from './profile-form.js';
import { readYaml } from './read-yaml.js';
import { wordAt } from './resolve.js';

const linkEntries = Object.entries(linkNames) as [LinkName, PathKind][];

/**
 * Reads a profile file.
 * @param file its name, for messages
 * @param name what results call it; its path
 * @returns null after at least one error
 */
export function readProfile(
  text: string,
  file: string,
  diagnostics: Diagnostics,
  name = file,
): CalibratedProfile | null {
  const errorsBefore = diagnostics.errorCount;
  const root = readYaml(text, file, diagnostics);
  if (root === null) return null;
  if (root.kind !== 'map') {
    errorAt(diagnostics, 'profile-form', root.place, 'the profile is not made of keys and values', {
      wanted: 'a base and what differs from it, such as base: nccl-2.28',
    });
    return null;
  }
  if (!checkForm(root, profileSchema, 'profile', diagnostics)) return null;
  const base = wordAt(root, ['base']) as NcclProfile;
  const own = ncclFigures(base);
  const figures: NcclFigures = {
    ...own,
    baseUs: latencies(root, ['latency', 'base'], own.baseUs, base, diagnostics),
    hopUs: Object.fromEntries(
      linkEntries.map(([link, path]) => [
        path,
        latencies(root, ['latency', 'hop', link], own.hopUs[path], base, diagnostics),
      ]),
    ) as NcclFigures['hopUs'],
    nvlsLinkShare: nvlsShares(root, own.nvlsLinkShare),
  };
  const paces = pacesOf(root, diagnostics);
  const postPs = numberAt(root, ['latency', 'post'], profileSettings.post);
  if (diagnostics.errorCount > errorsBefore) return null;
  return {
    name,
    base,
    chosenBy: (wordAt(root, ['chosenBy']) ?? 'base') as CalibratedProfile['chosenBy'],
    figures,
    shares: sharesOf(root),
    transferLatencyPs: numberAt(root, ['latency', 'transfer'], profileSettings.transfer) ?? 0,
    rendezvous: rendezvousOf(root),
    sendsShare: numberAt(root, ['bandwidth', 'sends'], profileSettings.sends) ?? 1,
    ...(postPs === null ? {} : { postUs: postPs / 1e6 }),
    paces,
    heldOut: errorsAt(root, ['measured', 'heldOut']),
  };
}

function rendezvousOf(root: LocatedMap): CalibratedProfile['rendezvous'] {
  const latencyPs = numberAt(root, ['latency', 'rendezvous'], profileSettings.rendezvous) ?? 0;
  const aboveBytes = numberAt(root, ['latency', 'rendezvousAbove'], profileSettings.rendezvousAbove) ?? 0;
  return latencyPs === 0 ? null : { aboveBytes, latencyPs };
}

function numberAt(root: LocatedMap, path: Path, setting: Setting): number | null {
  const node = nodeAt(root, path);
  return node === undefined ? null : (resolveSetting(setting, plainOf(node)) as number);
}

/** A table with the latencies of a file in place of its own. */
function latencies(
  root: LocatedMap,
  path: Path,
  own: LatencyTable,
  base: NcclProfile,
  diagnostics: Diagnostics,
): LatencyTable {
  return Object.fromEntries(
    tunedAlgorithms.map((algorithm) => [
      algorithm,
      protocols.map((protocol, column) => {
        const at = [...path, algorithm, protocol];
        const timePs = numberAt(root, at, profileSettings.transfer);
        const ownUs = own[algorithm][column]!;
        if (timePs === null) return ownUs;
        if (ownUs === null)
          errorAt(
            diagnostics,
            'profile-latency',
            keyPlaceOf(root, at),
            `${base} has no ${algorithm} with ${protocol}`,
            {
              wanted: 'a combination that the base has',
            },
          );
        return timePs / 1e6;
      }),
    ]),
  ) as unknown as LatencyTable;
}

function nvlsShares(root: LocatedMap, own: NcclFigures['nvlsLinkShare']): NcclFigures['nvlsLinkShare'] {
  const share = numberAt(root, ['bandwidth', 'nvls'], profileSettings.nvls);
  if (share === null) return own;
  return Object.fromEntries(
    Object.entries(own).map(([generation, efficiency]) => [generation, efficiency === 0 ? 0 : share]),
  ) as Record<GpuGeneration, number>;
}

function sharesOf(root: LocatedMap): LinkShares {
  return Object.fromEntries(
    linkEntries.map(([link, path]) => [
      path,
      Object.fromEntries(
        protocols.map((protocol) => [
          protocol,
          numberAt(root, ['bandwidth', link, protocol], profileSettings.nvls) ?? wholeLinks[path][protocol],
        ]),
      ) as Record<Protocol, number>,
    ]),
  ) as Record<PathKind, Record<Protocol, number>>;
}

function pacesOf(root: LocatedMap, diagnostics: Diagnostics): Pace[] {
  const list = nodeAt(root, ['pace']);
  const paces: Pace[] = [];
  const known = new Set<string>();
  for (const [i, item] of (list?.kind === 'list' ? list.items : []).entries()) {
    const at = ['pace', i];
    const word = (key: string): string => wordAt(root, [...at, key])!;
    const numbers = (key: string, setting: Setting): number[] =>
      (plainOf(nodeAt(root, [...at, key])!) as unknown[]).map((value) => resolveSetting(setting, value) as number);
    const pace = {
      kind: word('kind'),
      servers: word('servers'),
      algorithm: word('algorithm'),
      protocol: word('protocol'),
      sizeBytes: numbers('sizes', profileSettings.size),
      factors: numbers('factors', profileSettings.pace),
    } as Pace;
    const { kind, servers, algorithm, protocol, sizeBytes, factors } = pace;
    const key = `${kind} ${servers} ${algorithm} ${protocol}`;
    const wrong = sizeBytes.findIndex((size, j) => j > 0 && size <= sizeBytes[j - 1]!);
    if (known.has(key))
      errorAt(diagnostics, 'profile-pace', item.place, `there is another pace for ${key}`, {
        wanted: 'one for each kind, servers, algorithm and protocol',
      });
    if (wrong >= 0)
      errorAt(diagnostics, 'profile-pace', nodeAt(root, [...at, 'sizes', wrong])!.place, 'the sizes do not ascend', {
        wanted: `more than ${sizeText(sizeBytes[wrong - 1]!)}`,
      });
    if (factors.length !== sizeBytes.length)
      errorAt(
        diagnostics,
        'profile-pace',
        keyPlaceOf(root, [...at, 'factors']),
        'as many factors as sizes are needed',
        {
          got: String(factors.length),
          wanted: String(sizeBytes.length),
        },
      );
    known.add(key);
    paces.push(pace);
  }
  return paces;
}

function errorsAt(root: LocatedMap, path: Path): RowErrors | null {
  const node = nodeAt(root, path);
  if (node === undefined) return null;
  const { rows, median, p90, worst } = plainOf(node) as Record<keyof RowErrors, number | string>;
  return { rows: Number(rows), median: Number(median), p90: Number(p90), worst: Number(worst) };
}

/**
 * A profile as its file: what differs from its base.
 * @param about a sentence for people @param fitted of the rows that it was fitted to
 */
export function profileText(profile: CalibratedProfile, about: string, fitted: RowErrors | null): string {
  const { base, chosenBy, figures, shares, transferLatencyPs, rendezvous, sendsShare, postUs, paces, heldOut } =
    profile;
  const own = ncclFigures(base);
  const lines = [
    '# A profile of collectives for Weft: docs/formats/profile.md says what its keys mean.',
    `base: ${base}`,
    `about: ${JSON.stringify(about)}`,
    ...(chosenBy === 'base' ? [] : [`chosenBy: ${chosenBy}`]),
  ];
  const bases = latencyLines(figures.baseUs, own.baseUs, '    ');
  const hops = linkEntries.flatMap(([link, path]) => {
    const table = latencyLines(figures.hopUs[path], own.hopUs[path], '      ');
    return table.length === 0 ? [] : [`    ${link}:`, ...table];
  });
  const transfer = [
    ...(transferLatencyPs === 0 ? [] : [`  transfer: ${timeText(transferLatencyPs)}`]),
    ...(postUs === undefined ? [] : [`  post: ${timeText(Math.round(postUs * 1e6))}`]),
    ...(rendezvous === null
      ? []
      : [`  rendezvous: ${timeText(rendezvous.latencyPs)}`, `  rendezvousAbove: ${sizeText(rendezvous.aboveBytes)}`]),
  ];
  if (bases.length + hops.length + transfer.length > 0)
    lines.push(
      'latency:',
      ...(bases.length === 0 ? [] : ['  base:', ...bases]),
      ...(hops.length === 0 ? [] : ['  hop:', ...hops]),
      ...transfer,
    );
  const bandwidths = [
    ...bandwidthLines(shares, figures, own),
    ...(sendsShare === 1 ? [] : [`  sends: ${sixDigits(sendsShare)}`]),
  ];
  if (bandwidths.length > 0) lines.push('bandwidth:', ...bandwidths);
  if (paces.length > 0) lines.push('pace:', ...paces.flatMap(paceLines));
  const found = [
    ...(fitted === null ? [] : [`  fitted: ${errorsText(fitted)}`]),
    ...(heldOut === null ? [] : [`  heldOut: ${errorsText(heldOut)}`]),
  ];
  if (found.length > 0) lines.push('measured:', ...found);
  return `${lines.join('\n')}\n`;
}

function latencyLines(table: LatencyTable, own: LatencyTable, indent: string): string[] {
  return tunedAlgorithms.flatMap((algorithm: TunedAlgorithm) => {
    const cells = protocols.flatMap((protocol, column) => {
      const us = table[algorithm][column]!;
      return us === null || us === own[algorithm][column] ? [] : [`${protocol}: ${timeText(Math.round(us * 1e6))}`];
    });
    return cells.length === 0 ? [] : [`${indent}${algorithm}: { ${cells.join(', ')} }`];
  });
}

function bandwidthLines(shares: LinkShares, figures: NcclFigures, own: NcclFigures): string[] {
  const lines = linkEntries.flatMap(([link, path]) => {
    const cells = protocols.flatMap((protocol) =>
      shares[path][protocol] === 1 ? [] : [`${protocol}: ${sixDigits(shares[path][protocol])}`],
    );
    return cells.length === 0 ? [] : [`  ${link}: { ${cells.join(', ')} }`];
  });
  const nvls = Object.entries(figures.nvlsLinkShare).find(
    ([generation, share]) => share !== own.nvlsLinkShare[generation as GpuGeneration],
  );
  return nvls === undefined ? lines : [...lines, `  nvls: ${sixDigits(nvls[1])}`];
}

function paceLines({ kind, servers, algorithm, protocol, sizeBytes, factors }: Pace): string[] {
  return [
    `  - kind: ${kind}`,
    `    servers: ${servers}`,
    `    algorithm: ${algorithm}`,
    `    protocol: ${protocol}`,
    `    sizes: [${sizeBytes.map(sizeText).join(', ')}]`,
    `    factors: [${factors.map(sixDigits).join(', ')}]`,
  ];
}

function errorsText({ rows, median, p90, worst }: RowErrors): string {
  return `{ rows: ${rows}, median: ${sixDigits(median)}, p90: ${sixDigits(p90)}, worst: ${sixDigits(worst)} }`;
}

/** Six significant digits, without exponent. */
function sixDigits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
