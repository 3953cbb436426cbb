// The options of `weft trace generate` as a request. What a pattern has no use for is refused, and so is what says the
// same thing twice.

import { Diagnostics, InputError, wholeFile, type DiagnosticDetail } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { maxTimePs, parseRateBps, parseSizeBytes, parseTimePs } from '../../base/units.js';
import type { SizeDistribution } from '../../flows/size-distribution.js';
import { tracePatterns, type TracePattern, type TraceRequest } from '../../flows/trace-patterns.js';
import { maxTransferBytes } from '../../flows/work-source.js';
import { readSizeDistribution } from '../../formats/size-distribution.js';
import { type OptionValues, text } from '../options/declared-command.js';
import { parseRanks } from '../options/rank-list.js';

/** What a trace is made of. */
export const traceOptions = [
  text('--arrival <pattern>', 'the pattern, in the words of gen_kv_trace.py'),
  text('--gpus <count>', 'hosts, numbered from 0', '128'),
  text('--gpus-per-server <count>', 'of each server', '8'),
  text('--flows <count>', 'ends the trace (default 1000, without --duration)'),
  text('--duration <time>', 'ends the trace: no transfer starts later'),
  text('--rounds <count>', 'of a server pair: each GPU sends so often (default 1)'),
  text('--interval <time>', 'between two transfers, on average (default 100us);\nbetween two rounds of a server pair'),
  text('--interval-ns <number>', 'the same in nanoseconds'),
  text('--rate <number>', 'transfers per second, in place of the interval'),
  text('--load <share>', 'of the bandwidth of all senders, in place of the\ninterval; needs --bandwidth'),
  text('--bandwidth <rate>', 'of a sender, for --load: such as 100Gbps'),
  text('--size <size>', 'of every transfer (default 10MiB)'),
  text('--kv-mb <number>', 'the same in MiB'),
  text('--sizes <file>', 'a distribution of sizes: lines of bytes and\npercent, as those of HPCC and ConWeave'),
  text('--sources <list>', 'GPUs that send: 0-63, 0,8,16 or 0-127:8 (default all)'),
  text('--destinations <list>', 'GPUs that receive (default all)'),
  text('--src-server <number>', 'of a server pair and of a hotspot (default 0)'),
  text('--dst-server <number>', 'of a server pair and of a hotspot (default 1)'),
  text('--hot-share <share>', 'of transfers between the two servers of a hotspot\n(default 0.5)'),
  text('--burst-size <count>', 'transfers that start together (default those of a\nserver)'),
  text('--src <gpu>', 'of one-to-one (default 0)'),
  text('--dst <gpu>', 'of one-to-one (default the same GPU of the next server)'),
  text('--seed <number>', 'of pairs, arrivals and sizes (default 1)'),
] as const;
type TraceOptions = OptionValues<typeof traceOptions>;

const mostGpus = 10_000_000;
const mostTransfers = 1_000_000_000;
const defaultFlows = 1000;
const defaultSizeBytes = 10 * 2 ** 20;
const defaultIntervalPs = 100_000_000;
const random: readonly TracePattern[] = ['constant', 'poisson', 'burst', 'hotspot'];
const pairs: readonly TracePattern[] = ['hotspot', 'server-pair'];

/** options that only some patterns have a use for */
const usedBy: { readonly [name in keyof TraceOptions]?: readonly TracePattern[] } = {
  sources: random,
  destinations: random,
  load: random,
  bandwidth: random,
  srcServer: pairs,
  dstServer: pairs,
  hotShare: ['hotspot'],
  burstSize: ['burst'],
  rounds: ['server-pair'],
  flows: [...random, 'one-to-one'],
  src: ['one-to-one'],
  dst: ['one-to-one'],
};

/** Of each group at most one may be given. */
const alternatives: readonly (readonly (keyof TraceOptions)[])[] = [
  ['interval', 'intervalNs', 'rate', 'load'],
  ['size', 'kvMb', 'sizes'],
];

/**
 * @param name of the pattern, in the source's spelling (server_pair), too
 * @throws InputError for what cannot be meant; HostFileError for a file of sizes that cannot be read
 */
export async function traceRequest(name: string | undefined, options: TraceOptions, host: Host): Promise<TraceRequest> {
  const pattern = patternOf(name, options.arrival);
  refuseUseless(pattern, options);
  const gpus = whole('gpus', options.gpus, 2, mostGpus);
  const gpusPerServer = whole('gpus-per-server', options.gpusPerServer, 1, gpus);
  if (gpus % gpusPerServer !== 0)
    throw mistake('gpus-per-server', 'servers would be of different sizes', {
      got: options.gpusPerServer,
      wanted: `a divisor of ${gpus}`,
    });
  const servers = gpus / gpusPerServer;
  const server = (option: string, text: string | undefined, otherwise: number): number =>
    text === undefined ? otherwise : whole(option, text, 0, servers - 1);
  const sourceServer = server('src-server', options.srcServer, 0);
  const destinationServer = server('dst-server', options.dstServer, sourceServer === 1 ? 0 : 1);
  if (pairs.includes(pattern) && (sourceServer === destinationServer || servers < 2))
    throw mistake('dst-server', 'a server would send to itself', {
      got: String(destinationServer),
      wanted: 'another server',
    });
  const [source, destination] = endsOf(pattern, options, gpus, gpusPerServer);
  const sources = ranksOf('sources', options.sources, gpus);
  const destinations = ranksOf('destinations', options.destinations, gpus);
  if (random.includes(pattern)) refuseOneServer(sources, destinations, gpusPerServer);
  const size = await sizeOf(options, host);
  const durationPs = options.duration === undefined ? maxTimePs : time('duration', options.duration, 0);
  return {
    pattern,
    sources,
    destinations,
    gpusPerServer,
    sourceServer,
    destinationServer,
    source,
    destination,
    hotShare: options.hotShare === undefined ? 0.5 : share('hot-share', options.hotShare),
    burstSize:
      options.burstSize === undefined ? gpusPerServer : whole('burst-size', options.burstSize, 1, mostTransfers),
    intervalPs: intervalOf(options, size, sources.length),
    flows: flowsOf(pattern, options, gpusPerServer),
    durationPs,
    size,
    seed: options.seed === undefined ? 1 : whole('seed', options.seed, 0, Number.MAX_SAFE_INTEGER),
  };
}

function patternOf(name: string | undefined, arrival: string | undefined): TracePattern {
  if (name !== undefined && arrival !== undefined)
    throw mistake('arrival', 'the pattern is named twice', { got: `${name} and ${arrival}`, wanted: 'one of the two' });
  const given = name ?? arrival;
  const pattern = tracePatterns.find((known) => known === given?.replaceAll('_', '-').toLowerCase());
  if (pattern === undefined)
    throw mistake('arrival', given === undefined ? 'which pattern?' : 'there is no such pattern', {
      got: given,
      wanted: tracePatterns.join(', '),
    });
  return pattern;
}

function refuseUseless(pattern: TracePattern, options: TraceOptions): void {
  for (const [name, patterns] of Object.entries(usedBy)) {
    if (options[name as keyof TraceOptions] === undefined || patterns.includes(pattern)) continue;
    throw mistake(dashed(name), `has no effect on the pattern ${pattern}`, {
      wanted: `one of its own options; this one is for ${patterns.join(', ')}`,
    });
  }
  for (const names of alternatives) {
    const given = names.filter((name) => options[name] !== undefined);
    if (given.length > 1)
      throw mistake(dashed(given[1]!), `says the same as --${dashed(given[0]!)}`, { wanted: 'one of the two' });
  }
  if ((options.load === undefined) !== (options.bandwidth === undefined))
    throw mistake(options.load === undefined ? 'bandwidth' : 'load', 'needs the other', {
      wanted: '--load and --bandwidth, such as --load 0.6 --bandwidth 100Gbps',
    });
}

function endsOf(
  pattern: TracePattern,
  { src, dst }: TraceOptions,
  gpus: number,
  gpusPerServer: number,
): [number, number] {
  const source = src === undefined ? 0 : whole('src', src, 0, gpus - 1);
  const destination = dst === undefined ? (source + gpusPerServer) % gpus : whole('dst', dst, 0, gpus - 1);
  if (pattern === 'one-to-one' && source === destination)
    throw mistake('dst', 'a GPU would send to itself', { got: String(destination), wanted: 'another GPU' });
  return [source, destination];
}

function ranksOf(option: string, text: string | undefined, gpus: number): Int32Array {
  return text === undefined
    ? Int32Array.from({ length: gpus }, (_, gpu) => gpu)
    : parseRanks(text, gpus, `--${option}`);
}

/** Pairs are of different servers: there must be one. */
function refuseOneServer(sources: Int32Array, destinations: Int32Array, gpusPerServer: number): void {
  const servers = new Set([...sources, ...destinations].map((gpu) => Math.floor(gpu / gpusPerServer)));
  if (servers.size < 2)
    throw mistake('destinations', 'all GPUs that send and receive are of one server', {
      wanted: 'GPUs of two servers or more',
    });
}

async function sizeOf({ size, kvMb, sizes }: TraceOptions, host: Host): Promise<number | SizeDistribution> {
  if (sizes !== undefined) {
    const diagnostics = new Diagnostics();
    const distribution = readSizeDistribution(await host.readText(sizes), sizes, diagnostics);
    diagnostics.throwIfErrors();
    return distribution!;
  }
  if (kvMb !== undefined)
    return Math.max(1, Math.round(number('kv-mb', kvMb, 1 / 2 ** 20, maxTransferBytes / 2 ** 20, 'MiB') * 2 ** 20));
  if (size === undefined) return defaultSizeBytes;
  const bytes = parseSizeBytes(size);
  if (bytes === null || bytes < 1 || bytes > maxTransferBytes)
    throw mistake('size', 'no size of a transfer', { got: size, wanted: 'such as 10MiB or 64KB, up to 256GiB' });
  return bytes;
}

function intervalOf(options: TraceOptions, size: number | SizeDistribution, senders: number): number {
  const { interval, intervalNs, rate, load, bandwidth } = options;
  if (interval !== undefined) return time('interval', interval, 1);
  if (intervalNs !== undefined) return number('interval-ns', intervalNs, 0.001, maxTimePs / 1000, 'nanoseconds') * 1000;
  if (rate !== undefined) return 1e12 / number('rate', rate, 1e-6, 1e12, 'transfers per second');
  if (load === undefined) return defaultIntervalPs;
  const rateBps = parseRateBps(bandwidth!);
  if (rateBps === null || rateBps <= 0)
    throw mistake('bandwidth', 'no rate of a link', { got: bandwidth!, wanted: 'such as 100Gbps' });
  const meanBytes = typeof size === 'number' ? size : size.meanBytes;
  return (
    (8e12 * meanBytes) / (number('load', load, 1e-6, 100, 'shares of the bandwidth of all senders') * rateBps * senders)
  );
}

function flowsOf(pattern: TracePattern, { flows, rounds, duration }: TraceOptions, gpusPerServer: number): number {
  if (pattern === 'server-pair')
    return rounds === undefined && duration !== undefined
      ? mostTransfers
      : whole('rounds', rounds ?? '1', 1, mostTransfers / gpusPerServer) * gpusPerServer;
  if (flows !== undefined) return whole('flows', flows, 1, mostTransfers);
  return duration === undefined ? defaultFlows : mostTransfers;
}

function time(option: string, text: string, leastPs: number): number {
  const timePs = parseTimePs(text);
  if (timePs === null || timePs < leastPs)
    throw mistake(option, 'no time', { got: text, wanted: 'such as 100us or 1.5ms' });
  return timePs;
}

function whole(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text.trim()) || value < least || value > most)
    throw mistake(option, 'no number that fits', { got: text, wanted: `a whole number from ${least} to ${most}` });
  return value;
}

function share(option: string, text: string): number {
  return number(option, text, 0, 1, 'a share');
}

function number(option: string, text: string, least: number, most: number, what: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most))
    throw mistake(option, 'no number that fits', { got: text, wanted: `${what}, from ${least} to ${most}` });
  return value;
}

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function mistake(option: string, message: string, detail: DiagnosticDetail): InputError {
  return InputError.at(`trace-${option}`, `--${option}`, wholeFile, message, detail);
}
