// How good samples in packets are: errors with fewer and fewer packets that carry one, as table 2.1 of Taffet's
// dissertation has them, beside theory; and run lengths of the one-bit hash beside those of MD5, as its figure 2.10 shows
// them. Tables and picture of docs/models/reservoir-sampling.md.

import { createHash } from 'node:crypto';
import { RandomStream } from '#weft/base/random.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { equalCostRoutes } from '#weft/routing/equal-cost.js';
import { linkMask, multipliers, parity } from '#weft/sampling/link-hash.js';
import { PossibleLinks } from '#weft/sampling/possible-links.js';
import { drawJourneys, sampleJourneys, truthOf } from '../sampling/journeys.js';
import { writeBlock, writeFile } from './pages.js';

const page = 'docs/models/reservoir-sampling.md';
const variants = ['standard', 'one-bit'] as const;
const rates = [1, 10, 100, 1000] as const;
/** Relative errors of the source in percent, by variant and rate: traffic, congested. */
const printed: Readonly<Record<(typeof variants)[number], readonly (readonly [number, number])[]>> = {
  standard: [
    [0.16, 1.71],
    [0.52, 1.81],
    [1.68, 2.97],
    [5.31, 7.85],
  ],
  'one-bit': [
    [0.73, 1.95],
    [2.27, 3.51],
    [7.5, 10.15],
    [23.63, 29.84],
  ],
};

/** Relative root mean square errors over links with traffic. */
export interface SamplingErrors {
  readonly variant: (typeof variants)[number];
  readonly every: number;
  readonly traffic: number;
  /** the least and the most that theory allows traffic */
  readonly theory: readonly [least: number, most: number];
  /** of links where at least a tenth of the packets met congestion */
  readonly congested: number;
}

/** Errors on a fat tree of 16 hosts, each of which sends to another. @param perHost packets @param seeds of samplers */
export function samplingErrors(perHost: number, seeds: number, seed = 1): SamplingErrors[] {
  const fabric = generateFabric('fat-tree', { k: 4 });
  const routes = equalCostRoutes(fabric, { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' });
  const journeys = drawJourneys(routes, perHost, seed);
  const links = new PossibleLinks(routes);
  const truth = truthOf(journeys, function* (source, destination) {
    yield fabric.portOffset[source]!;
    yield fabric.portPeer[fabric.portOffset[destination]!]!;
    for (const part of links.between(source, destination)) yield* part.links;
  });
  const used = [...truth.packets.keys()].filter((port) => truth.packets[port]! > 0);
  const congestedLinks = used.filter((port) => truth.congested[port]! >= truth.packets[port]! / 10);
  const relative = (square: (port: number) => number, over: readonly number[] = used): number =>
    Math.sqrt(over.reduce((sum, port) => sum + square(port), 0) / over.length);
  return variants.flatMap((variant) =>
    rates.map((every) => {
      const found = Array.from({ length: seeds }, (_, i) => sampleJourneys(journeys, { variant, every }, seed + i));
      const errorOf = (of: 'traffic' | 'congested', exact: Float64Array, links: readonly number[]): number =>
        relative(
          (port) => found.reduce((sum, each) => sum + (each[of][port]! / exact[port]! - 1) ** 2, 0) / seeds,
          links,
        );
      // sums over the packets of k (l - 1), if all of a host's go there, to k l - 1; one-bit: of k l^2 over Q, less N
      const { packets, lengths, possibleSquares } = truth;
      const variance = (most: boolean) => (port: number) =>
        (variant === 'one-bit'
          ? every * possibleSquares[port]! - packets[port]!
          : every * lengths[port]! - packets[port]! * (most ? 1 : every)) /
        packets[port]! ** 2;
      return {
        variant,
        every,
        traffic: errorOf('traffic', packets, used),
        theory: [relative(variance(false)), relative(variance(true))] as const,
        congested: errorOf('congested', truth.congested, congestedLinks),
      };
    }),
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** The table of errors. */
export function errorTable(errors: readonly SamplingErrors[]): string {
  const lines = errors.map(({ variant, every, traffic, theory: [least, most], congested }) => {
    const [t, c] = printed[variant][rates.indexOf(every as (typeof rates)[number])]!;
    const band = percent(least) === percent(most) ? percent(most) : `${percent(least)} to ${percent(most)}`;
    return `| ${variant} | ${every} | ${percent(traffic)} | ${band} | ${percent(congested)} | ${t} %, ${c} % |\n`;
  });
  return `
| variant | \`every\` | traffic | theory | congested | source: traffic, congested |
|---|---|---|---|---|---|
${lines.join('')}
`;
}

/** A hash of an identifier and a link. */
export type BitHash = (id: number, link: number) => number;

const maskedHash = (multiplier: number): BitHash => {
  const masks = Uint32Array.from({ length: mostLinks + 1 }, (_, link) => linkMask(link, multiplier, 32));
  return (id, link) => parity(id & masks[link]!);
};
const md5: BitHash = (id, link) => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(id, 0);
  bytes.writeUInt32BE(link, 4);
  return createHash('md5').update(bytes).digest()[15]! & 1;
};
const mostLinks = 1024;

/** How often runs of ones of each length occur among the links 1 to 1,024, over identifiers: lengths[n] of length n. */
export function runLengths(hash: BitHash, identifiers: readonly number[]): number[] {
  const lengths: number[] = [];
  for (const id of identifiers) {
    let length = 0;
    for (let link = 1; link <= mostLinks + 1; link++) {
      if (link <= mostLinks && hash(id, link) === 1) length++;
      else if (length > 0) {
        lengths[length] = (lengths[length] ?? 0) + 1;
        length = 0;
      }
    }
  }
  return Array.from(lengths, (count) => count ?? 0);
}

function runTable(hashes: readonly (readonly [string, BitHash])[], identifiers: readonly number[]): string {
  const bounds = [1, 2, 3, 4, 6, 8, 12, 16, Infinity];
  const rows = hashes.map(([name, hash]) => {
    const lengths = runLengths(hash, identifiers);
    const all = lengths.reduce((sum, count) => sum + count, 0);
    const cells = bounds.map((bound, i) => {
      const from = (bounds[i - 1] ?? 0) + 1;
      return percent(lengths.slice(from, bound === Infinity ? undefined : bound + 1).reduce((a, b) => a + b, 0) / all);
    });
    return `| ${name} | ${cells.join(' | ')} | ${lengths.length - 1} |\n`;
  });
  const ideal = bounds.map((bound, i) => percent(2 ** -(bounds[i - 1] ?? 0) - (bound === Infinity ? 0 : 2 ** -bound)));
  return `
| runs of ones of length | 1 | 2 | 3 | 4 | 5, 6 | 7, 8 | 9 to 12 | 13 to 16 | more | longest |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('')}| independent bits | ${ideal.join(' | ')} | |
`;
}

/** Squares of 32 x 32 links, side by side: dark where the hash is 1. */
function bitPicture(hashes: readonly (readonly [string, BitHash])[], id: number): string {
  const [cell, gap] = [6, 24];
  const side = 32 * cell;
  const squares = hashes.map(([name, hash], i) => {
    const left = gap + i * (side + gap);
    const bits = Array.from({ length: mostLinks }, (_, at) =>
      hash(id, at + 1) === 1 ? `M${left + (at % 32) * cell} ${40 + (at >> 5) * cell}h${cell}v${cell}h-${cell}z` : '',
    );
    return `<text x="${left}" y="28">${name}</text><rect x="${left}" y="40" width="${side}" height="${side}" fill="#eef2f6"/><path d="${bits.join('')}" fill="#1f3a5a"/>`;
  });
  const width = gap + hashes.length * (side + gap);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${side + 60}" width="${width}" height="${side + 60}" font-family="sans-serif" font-size="14"><rect width="100%" height="100%" fill="#ffffff"/>${squares.join('')}</svg>\n`;
}

/** Writes the tables of errors and of run lengths, and the picture of hashes. */
export function drawSampling(): void {
  writeBlock(page, 'sampling-errors', errorTable(samplingErrors(64_000, 3)));
  const random = new RandomStream(1, 'identifiers of a figure');
  const identifiers = Array.from({ length: 500 }, () => random.nextUint32());
  const hashes = [
    ...Object.entries(multipliers).map(([name, multiplier]) => [`g = ${name}`, maskedHash(multiplier)] as const),
    ['MD5', md5] as const,
  ];
  writeBlock(page, 'hash-runs', runTable(hashes, identifiers));
  writeFile('docs/models/hash-runs.svg', bitPicture(hashes, identifiers[0]!));
}
