// The options of `weft trace generate` as a request. What a pattern has no use for is refused, and so is what says the
// same thing twice.

import { type InputError, reading } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { maxTimePs, parseSizeBytes, parseTimePs } from '../../base/units.js';
import type { SizeDistribution } from '../../flows/size-distribution.js';
import { tracePatterns, type TracePattern, type TraceRequest } from '../../flows/trace-patterns.js';
import { maxTransferBytes } from '../../flows/work-source.js';
import { readSizeDistribution } from '../../formats/size-distribution.js';
import { type OptionValues, text, value } from '../options/declared-command.js';
import { numberFrom, optionMistake, rateFrom, readBy, timeFrom, wholeNumberFrom } from '../options/option-values.js';
import { settingOption } from '../options/setting-options.js';
import { topSettings } from '../../scenario/form/schema.js';
import { parseRanks } from '../options/rank-list.js';

const mostGpus = 10_000_000;
const mostTransfers = 1_000_000_000;
const defaultFlows = 1000;
const defaultSizeBytes = 10 * 2 ** 20;
const defaultIntervalPs = 100_000_000;
const server = wholeNumberFrom(0, mostGpus);
const transfers = wholeNumberFrom(1, mostTransfers);
const interval = readBy((given) => parseTimePs(given) || null, 'a time with its unit, such as 100us or 1.5ms.');
const size = readBy((given) => {
  const bytes = parseSizeBytes(given);
  return bytes !== null && bytes >= 1 && bytes <= maxTransferBytes ? bytes : null;
}, 'a size such as 10MiB or 64KB, up to 256GiB.');

/** What a trace is made of. */
export const traceOptions = [
  text('--arrival <pattern>', 'the pattern, in the words of gen_kv_trace.py'),
  value('--gpus <count>', 'hosts, numbered from 0', wholeNumberFrom(2, mostGpus), 128),
  value('--gpus-per-server <count>', 'of each server', wholeNumberFrom(1, mostGpus), 8),
  value('--flows <count>', 'ends the trace (default 1000, without --duration)', transfers),
  value('--duration <time>', 'ends the trace: no transfer starts later', timeFrom),
  value('--rounds <count>', 'of a server pair: each GPU sends so often (default 1)', transfers),
  value(
    '--interval <time>',
    'between two transfers, on average (default 100us);\nbetween two rounds of a server pair',
    interval,
  ),
  value('--interval-ns <number>', 'the same in nanoseconds', numberFrom(0.001, maxTimePs / 1000, 'nanoseconds')),
  value(
    '--rate <number>',
    'transfers per second, in place of the interval',
    numberFrom(1e-6, 1e12, 'transfers per second'),
  ),
  value(
    '--load <share>',
    'of the bandwidth of all senders, in place of the\ninterval; needs --bandwidth',
    numberFrom(1e-6, 100, 'shares of the bandwidth of all senders'),
  ),
  value('--bandwidth <rate>', 'of a sender, for --load: such as 100Gbps', rateFrom),
  value('--size <size>', 'of every transfer (default 10MiB)', size),
  value('--kv-mb <number>', 'the same in MiB', numberFrom(1 / 2 ** 20, maxTransferBytes / 2 ** 20, 'MiB')),
  text('--sizes <file>', 'a distribution of sizes: lines of bytes and\npercent, as those of HPCC and ConWeave'),
  text('--sources <list>', 'GPUs that send: 0-63, 0,8,16 or 0-127:8 (default all)'),
  text('--destinations <list>', 'GPUs that receive (default all)'),
  value('--src-server <number>', 'of a server pair and of a hotspot (default 0)', server),
  value('--dst-server <number>', 'of a server pair and of a hotspot (default 1)', server),
  value(
    '--hot-share <share>',
    'of transfers between the two servers of a hotspot\n(default 0.5)',
    numberFrom(0, 1, 'a share'),
  ),
  value('--burst-size <count>', 'transfers that start together (default those of a\nserver)', transfers),
  value('--src <gpu>', 'of one-to-one (default 0)', server),
  value('--dst <gpu>', 'of one-to-one (default the same GPU of the next server)', server),
  settingOption('--seed <number>', topSettings.seed, 'of pairs, arrivals and sizes (default 1)'),
] as const;
type TraceOptions = OptionValues<typeof traceOptions>;

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
  const { gpus, gpusPerServer, srcServer: sourceServer = 0, seed = 1 } = options;
  const { dstServer: destinationServer = sourceServer === 1 ? 0 : 1 } = options;
  if (gpus % gpusPerServer !== 0)
    throw mistake('gpus-per-server', 'servers would be of different sizes', `${gpusPerServer}`, `a divisor of ${gpus}`);
  const servers = gpus / gpusPerServer;
  refuseBeyond('src-server', options.srcServer, servers);
  refuseBeyond('dst-server', options.dstServer, servers);
  if (pairs.includes(pattern) && (sourceServer === destinationServer || servers < 2))
    throw mistake('dst-server', 'a server would send to itself', `${destinationServer}`, 'another server');
  const { src: source = 0, dst: destination = (source + gpusPerServer) % gpus } = options;
  refuseBeyond('src', source, gpus);
  refuseBeyond('dst', destination, gpus);
  if (pattern === 'one-to-one' && source === destination)
    throw mistake('dst', 'a GPU would send to itself', `${destination}`, 'another GPU');
  const sources = ranksOf('sources', options.sources, gpus);
  const destinations = ranksOf('destinations', options.destinations, gpus);
  if (random.includes(pattern)) refuseOneServer(sources, destinations, gpusPerServer);
  const size = await sizeOf(options, host);
  return {
    pattern,
    sources,
    destinations,
    gpusPerServer,
    sourceServer,
    destinationServer,
    source,
    destination,
    hotShare: options.hotShare ?? 0.5,
    burstSize: options.burstSize ?? gpusPerServer,
    intervalPs: intervalOf(options, size, sources.length),
    flows: flowsOf(pattern, options),
    durationPs: options.duration ?? maxTimePs,
    size,
    seed,
  };
}

function refuseBeyond(option: string, number: number | undefined, count: number): void {
  if (number !== undefined && number >= count)
    throw mistake(option, 'no number that fits', `${number}`, `a whole number from 0 to ${count - 1}`);
}

function patternOf(name: string | undefined, arrival: string | undefined): TracePattern {
  if (name !== undefined && arrival !== undefined)
    throw mistake('arrival', 'the pattern is named twice', `${name} and ${arrival}`, 'one of the two');
  const given = name ?? arrival;
  const pattern = tracePatterns.find((known) => known === given?.replaceAll('_', '-').toLowerCase());
  if (pattern === undefined)
    throw mistake(
      'arrival',
      given === undefined ? 'which pattern?' : 'there is no such pattern',
      given,
      tracePatterns.join(', '),
    );
  return pattern;
}

function refuseUseless(pattern: TracePattern, options: TraceOptions): void {
  for (const [name, patterns] of Object.entries(usedBy)) {
    if (options[name as keyof TraceOptions] === undefined || patterns.includes(pattern)) continue;
    const wanted = `one of its own options; this one is for ${patterns.join(', ')}`;
    throw mistake(dashed(name), `has no effect on the pattern ${pattern}`, undefined, wanted);
  }
  for (const names of alternatives) {
    const given = names.filter((name) => options[name] !== undefined);
    if (given.length > 1)
      throw mistake(dashed(given[1]!), `says the same as --${dashed(given[0]!)}`, undefined, 'one of the two');
  }
  if ((options.load === undefined) !== (options.bandwidth === undefined))
    throw mistake(
      options.load === undefined ? 'bandwidth' : 'load',
      'needs the other',
      undefined,
      '--load and --bandwidth, such as --load 0.6 --bandwidth 100Gbps',
    );
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
    throw mistake(
      'destinations',
      'all GPUs that send and receive are of one server',
      undefined,
      'GPUs of two servers or more',
    );
}

async function sizeOf({ size, kvMb, sizes }: TraceOptions, host: Host): Promise<number | SizeDistribution> {
  if (sizes === undefined)
    return kvMb === undefined ? (size ?? defaultSizeBytes) : Math.max(1, Math.round(kvMb * 2 ** 20));
  const read = await host.readText(sizes);
  return reading((diagnostics) => readSizeDistribution(read, sizes, diagnostics)).value;
}

function intervalOf(options: TraceOptions, size: number | SizeDistribution, senders: number): number {
  const { intervalNs, rate, load, bandwidth } = options;
  if (intervalNs !== undefined) return intervalNs * 1000;
  if (rate !== undefined) return 1e12 / rate;
  if (load === undefined) return options.interval ?? defaultIntervalPs;
  const meanBytes = typeof size === 'number' ? size : size.meanBytes;
  return (8e12 * meanBytes) / (load * bandwidth! * senders);
}

function flowsOf(pattern: TracePattern, { flows, rounds, duration, gpusPerServer }: TraceOptions): number {
  if (pattern !== 'server-pair') return flows ?? (duration === undefined ? defaultFlows : mostTransfers);
  if (rounds === undefined && duration !== undefined) return mostTransfers;
  refuseBeyond('rounds', rounds, mostTransfers / gpusPerServer + 1);
  return (rounds ?? 1) * gpusPerServer;
}

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function mistake(option: string, message: string, got: string | undefined, wanted: string): InputError {
  return optionMistake('trace', `--${option}`, message, got, wanted);
}
