// A profile file (docs/formats/profile.md) -> the profile, and back.
// Invariant: what is written is read again as the same profile, to the digits that are written (times to the
// picosecond, shares and paces to six digits); a file with a mistake gives no profile.

import { Section } from './form/section.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { resolveSetting, type Setting } from '../base/settings.js';
import { sizeText, timeText } from '../base/quantity-text.js';
import type { CalibratedProfile, Pace, RowErrors } from '../collectives/calibrated-profile.js';
import type { HardwareFigures, OtherLatencies } from '../collectives/hardware-figures.js';
import { type LatencyTable, ncclFigures, type NcclProfile } from '../collectives/nccl-figures.js';
import {
  type PathKind,
  type Protocol,
  protocols,
  type TunedAlgorithm,
  tunedAlgorithms,
} from '../collectives/protocols.js';
import { checkForm } from './form/form-problems.js';
import { errorAt, keyPlaceOf, type LocatedMap, nodeAt, type Path, plainOf } from './form/located.js';
import { type LinkName, linkNames, profileSchema, profileSettings } from './profile-form.js';
import { readYaml } from './form/read-yaml.js';
import { wordAt } from './form/resolve.js';

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
  const figures = figuresOf(new Section(root, [], diagnostics), base);
  const paces = pacesOf(new Section(root, [], diagnostics));
  if (diagnostics.errorCount > errorsBefore) return null;
  return {
    name,
    base,
    chosenBy: (wordAt(root, ['chosenBy']) ?? 'base') as CalibratedProfile['chosenBy'],
    figures,
    paces,
    heldOut: errorsAt(root, ['measured', 'heldOut']),
  };
}

/** What the file says of the hardware: nothing but what it names. */
function figuresOf(block: Section, base: NcclProfile): HardwareFigures {
  const own = ncclFigures(base);
  const latency = (name: 'transfer' | 'post' | 'rendezvous' | 'rendezvousAbove'): number | null =>
    numberAt(block.root, ['latency', name], profileSettings[name]);
  const postPs = latency('post');
  return present<HardwareFigures>({
    baseUs: latencies(block.at('latency', 'base'), own.baseUs, base),
    hopUs: byLink((link, path) => latencies(block.at('latency', 'hop', link), own.hopUs[path], base)),
    transferLatencyPs: latency('transfer'),
    rendezvousPs: latency('rendezvous'),
    rendezvousAboveBytes: latency('rendezvousAbove'),
    postUs: postPs === null ? null : postPs / 1e6,
    shares: byLink((link) =>
      byProtocol((protocol) => numberAt(block.root, ['bandwidth', link, protocol], profileSettings.nvls)),
    ),
    sendsShare: numberAt(block.root, ['bandwidth', 'sends'], profileSettings.sends),
    nvlsLinkShare: numberAt(block.root, ['bandwidth', 'nvls'], profileSettings.nvls),
    // the GPU's: no file names it
    nvlsRoundUs: null,
  });
}

/** An object without the keys whose values are missing. */
function present<T extends object>(entries: { readonly [K in keyof T]-?: T[K] | null }): T {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null)) as T;
}

/** Null without any entry. */
function byLink<T>(of: (link: LinkName, path: PathKind) => T | null): { readonly [K in PathKind]?: T } | null {
  return orNull(linkEntries.map(([link, path]) => [path, of(link, path)]));
}

function byProtocol(of: (protocol: Protocol) => number | null): { readonly [P in Protocol]?: number } | null {
  return orNull(protocols.map((protocol) => [protocol, of(protocol)]));
}

function orNull<T>(entries: readonly (readonly [key: string, value: T | null])[]): Record<string, T> | null {
  const own = entries.filter(([, value]) => value !== null) as (readonly [string, T])[];
  return own.length === 0 ? null : Object.fromEntries(own);
}

function numberAt(root: LocatedMap, path: Path, setting: Setting): number | null {
  const node = nodeAt(root, path);
  return node === undefined ? null : (resolveSetting(setting, plainOf(node)) as number);
}

/** The latencies that a file names; null without any. */
function latencies(block: Section, own: LatencyTable, base: NcclProfile): OtherLatencies | null {
  return orNull(
    tunedAlgorithms.map((algorithm) => [
      algorithm,
      byProtocol((protocol) => {
        const at = [...block.path, algorithm, protocol];
        const timePs = numberAt(block.root, at, profileSettings.transfer);
        if (timePs === null) return null;
        if (own[algorithm][protocols.indexOf(protocol)] === null)
          errorAt(
            block.diagnostics,
            'profile-latency',
            keyPlaceOf(block.root, at),
            `${base} has no ${algorithm} with ${protocol}`,
            {
              wanted: 'a combination that the base has',
            },
          );
        return timePs / 1e6;
      }),
    ]),
  );
}

function pacesOf(block: Section): Pace[] {
  const list = block.node('pace');
  const paces: Pace[] = [];
  const known = new Set<string>();
  for (const [i, item] of (list?.kind === 'list' ? list.items : []).entries()) {
    const at = ['pace', i];
    const word = (key: string): string => block.word(...at, key)!;
    const numbers = (key: string, setting: Setting): number[] =>
      (plainOf(block.node(...at, key)!) as unknown[]).map((value) => resolveSetting(setting, value) as number);
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
      errorAt(block.diagnostics, 'profile-pace', item.place, `there is another pace for ${key}`, {
        wanted: 'one for each kind, servers, algorithm and protocol',
      });
    if (wrong >= 0)
      block.error([...at, 'sizes', wrong], 'profile-pace', 'the sizes do not ascend', {
        wanted: `more than ${sizeText(sizeBytes[wrong - 1]!)}`,
      });
    if (factors.length !== sizeBytes.length)
      block.keyError([...at, 'factors'], 'profile-pace', 'as many factors as sizes are needed', {
        got: String(factors.length),
        wanted: String(sizeBytes.length),
      });
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
 * A profile as its file: what it names.
 * @param about a sentence for people @param fitted of the rows that it was fitted to
 */
export function profileText(profile: CalibratedProfile, about: string, fitted: RowErrors | null): string {
  const { base, chosenBy, figures, paces, heldOut } = profile;
  const { baseUs, hopUs, transferLatencyPs, postUs, rendezvousPs, rendezvousAboveBytes } = figures;
  const lines = [
    '# A profile of collectives for Weft: docs/formats/profile.md says what its keys mean.',
    `base: ${base}`,
    `about: ${JSON.stringify(about)}`,
    ...(chosenBy === 'base' ? [] : [`chosenBy: ${chosenBy}`]),
  ];
  const bases = latencyLines(baseUs, '    ');
  const hops = linkEntries.flatMap(([link, path]) => {
    const table = latencyLines(hopUs?.[path], '      ');
    return table.length === 0 ? [] : [`    ${link}:`, ...table];
  });
  const transfer = [
    ...(transferLatencyPs === undefined ? [] : [`  transfer: ${timeText(transferLatencyPs)}`]),
    ...(postUs === undefined ? [] : [`  post: ${timeText(Math.round(postUs * 1e6))}`]),
    ...(rendezvousPs === undefined ? [] : [`  rendezvous: ${timeText(rendezvousPs)}`]),
    ...(rendezvousAboveBytes === undefined ? [] : [`  rendezvousAbove: ${sizeText(rendezvousAboveBytes)}`]),
  ];
  if (bases.length + hops.length + transfer.length > 0)
    lines.push(
      'latency:',
      ...(bases.length === 0 ? [] : ['  base:', ...bases]),
      ...(hops.length === 0 ? [] : ['  hop:', ...hops]),
      ...transfer,
    );
  const bandwidths = bandwidthLines(figures);
  if (bandwidths.length > 0) lines.push('bandwidth:', ...bandwidths);
  if (paces.length > 0) lines.push('pace:', ...paces.flatMap(paceLines));
  const found = [
    ...(fitted === null ? [] : [`  fitted: ${errorsText(fitted)}`]),
    ...(heldOut === null ? [] : [`  heldOut: ${errorsText(heldOut)}`]),
  ];
  if (found.length > 0) lines.push('measured:', ...found);
  return `${lines.join('\n')}\n`;
}

function latencyLines(table: OtherLatencies | undefined, indent: string): string[] {
  return tunedAlgorithms.flatMap((algorithm: TunedAlgorithm) => {
    const cells = protocols.flatMap((protocol) => {
      const us = table?.[algorithm]?.[protocol];
      return us === undefined ? [] : [`${protocol}: ${timeText(Math.round(us * 1e6))}`];
    });
    return cells.length === 0 ? [] : [`${indent}${algorithm}: { ${cells.join(', ')} }`];
  });
}

function bandwidthLines({ shares, sendsShare, nvlsLinkShare }: HardwareFigures): string[] {
  const lines = linkEntries.flatMap(([link, path]) => {
    const cells = protocols.flatMap((protocol) => {
      const share = shares?.[path]?.[protocol];
      return share === undefined ? [] : [`${protocol}: ${sixDigits(share)}`];
    });
    return cells.length === 0 ? [] : [`  ${link}: { ${cells.join(', ')} }`];
  });
  return [
    ...lines,
    ...(sendsShare === undefined ? [] : [`  sends: ${sixDigits(sendsShare)}`]),
    ...(nvlsLinkShare === undefined ? [] : [`  nvls: ${sixDigits(nvlsLinkShare)}`]),
  ];
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
