// Counters of ports as links: what each sent between two readings, for its rate, and where packets waited or were lost.
// Invariant: without a former reading of a port, what it sent in between is unknown and not what it ever sent.
// Not modelled: which packets; how long a tick of waiting is (makers of switches differ).

import { wholeFile, type Diagnostics } from '../../base/diagnostics.js';
import { portIdentity } from '../../fabric/port-identity.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PortCounterReadings } from '../../formats/counter-poll.js';
import { countsErrors, isAtLargest } from '../../formats/port-counter-kinds.js';
import { readCounterPolls, readPortCounters } from '../../formats/port-counters.js';
import type { Host } from '../../base/host.js';
import { readOwnKind } from './file-kinds.js';
import {
  remarkableLinks,
  type CountedLink,
  type CountedPort,
  type LinkCounters,
} from '../../report/routes/counter-text.js';

export interface CounterFiles {
  readonly counters?: string;
  readonly before?: string;
  /** seconds between the two readings */
  readonly interval?: number;
}

/**
 * Reads the counters that options name: what is remarkable, and every link by its sending port; null if they name none.
 * @throws InputError, HostFileError
 */
export async function loadCounters(
  host: Host,
  options: CounterFiles,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<{ report: LinkCounters; every: readonly CountedLink[] } | null> {
  const { counters, before, interval } = options;
  const missing = (option: string, message: string, hint: string): void => {
    diagnostics.error('missing-counters', option, wholeFile, message, { hint });
  };
  if (before !== undefined && counters === undefined)
    missing('--before', 'the counters from afterwards are missing', 'add --counters FILE');
  if (interval !== undefined && before === undefined)
    missing('--interval', 'between which readings?', 'add --before FILE, and --counters FILE');
  diagnostics.throwIfErrors();
  if (counters === undefined) return null;
  const textOf = async (file: string): Promise<string> => (await readOwnKind(host, file, 'counters')).text;
  const { rounds, last: after } = readCounterPolls(await textOf(counters), counters, source, diagnostics);
  // a file of several rounds is its own former reading
  const earlier =
    before !== undefined
      ? readPortCounters(await textOf(before), before, source, diagnostics)
      : rounds.length > 1
        ? rounds[0]!
        : null;
  diagnostics.throwIfErrors();
  const between = secondsBetween(after, earlier, interval);
  const links = countedLinks(source, after, earlier, between);
  if (earlier !== null) {
    const ports = (is: (now: number, then: number) => boolean): number =>
      after.transmitBytes.filter((now, port) => is(now, earlier.transmitBytes[port]!)).length;
    const unread = ports((now, then) => !Number.isNaN(now) && Number.isNaN(then));
    if (unread > 0)
      diagnostics.warning(
        'no-former-reading',
        before ?? counters,
        wholeFile,
        `${unread} ports were read only afterwards: what they sent in between is unknown`,
      );
    const less = ports((now, then) => now < then);
    if (less > ports((now, then) => now > then))
      diagnostics.warning(
        'counters-reset',
        counters,
        wholeFile,
        `${less} ports counted less than before: taken as reset in between`,
        { hint: "are --before and --counters in each other's place?" },
      );
  }
  const beyond = links.filter(({ utilisation }) => utilisation !== null && utilisation > 1);
  if (beyond.length > 0)
    diagnostics.warning(
      'beyond-rate',
      counters,
      wholeFile,
      `${beyond.length} links would have sent more than they can`,
      {
        got: `${beyond[0]!.from}: ${(100 * beyond[0]!.utilisation!).toFixed(1)} %`,
        hint: 'was the time between the readings longer than --interval?',
      },
    );
  return {
    report: {
      portsRead: after.portsRead,
      polls: rounds.length,
      intervalSeconds: longest(between),
      links: remarkableLinks(links),
      ports: readPorts(source, after),
    },
    every: links,
  };
}

/** By port: seconds between its two readings, as is said or as the files' times have it; NaN if nobody knows. */
function secondsBetween(
  after: PortCounterReadings,
  before: PortCounterReadings | null,
  said: number | undefined,
): Float64Array {
  if (said !== undefined) return new Float64Array(after.readAtPs.length).fill(said);
  return after.readAtPs.map((nowPs, port) => {
    const seconds = (nowPs - (before?.readAtPs[port] ?? NaN)) / 1e12;
    return seconds > 0 ? seconds : NaN;
  });
}

/** The longest of them; null without any. */
function longest(seconds: Float64Array): number | null {
  const most = seconds.reduce((longer, own) => Math.max(longer, own || 0), 0);
  return most === 0 ? null : most;
}

/**
 * What a counter counted since a former reading; one that is smaller now was reset in between. NaN where one was not
 * read.
 */
export function sinceReading(now: number, then: number): number {
  return now < then ? now : now - then;
}

function countedLinks(
  source: RoutedFabric,
  after: PortCounterReadings,
  before: PortCounterReadings | null,
  seconds: Float64Array,
): CountedLink[] {
  const { fabric } = source;
  return Array.from({ length: fabric.portCount }, (_, port) => {
    const wasRead = before === null || !Number.isNaN(before.transmitBytes[port]!);
    const sent =
      before === null
        ? after.transmitBytes[port]!
        : sinceReading(after.transmitBytes[port]!, before.transmitBytes[port]!);
    // ibqueryerrors lists waits and errors only where there are any
    const listed = (now: number, then: number | undefined): number =>
      sinceReading(now, then === undefined || Number.isNaN(then) ? 0 : then);
    const waits = wasRead ? listed(after.transmitWaitTicks[port]!, before?.transmitWaitTicks[port]) : NaN;
    const capacityBytes = (seconds[port]! * fabric.linkRateBps[fabric.portLink[port]!]!) / 8;
    const errorCounts = [...after.counters].flatMap(([name, now]) => {
      const count = countsErrors(name) ? listed(now[port]!, before?.counters.get(name)?.[port]) || 0 : 0;
      return count > 0 ? [{ name, count, isFull: after.saturated[port] !== 0 && isAtLargest(name, now[port]!) }] : [];
    });
    const peer = fabric.portPeer[port]!;
    return {
      from: portText(source, port)!,
      to: portText(source, peer)!,
      ends: [port, peer].map((end) => portIdentity(source, fabric.portNode[end]!, end)),
      sentBytes: orNull(sent),
      utilisation: orNull(sent / capacityBytes),
      waitTicks: orNull(waits),
      errors: errorCounts.reduce((sum, { count }) => sum + count, 0),
      errorCounts,
      saturated: after.saturated[port] !== 0,
    };
  });
}

/** Every port that was read, with its counters as they were printed. */
function readPorts(source: RoutedFabric, { counters, wasRead }: PortCounterReadings): CountedPort[] {
  return Array.from(wasRead.keys())
    .filter((port) => wasRead[port] === 1)
    .map((port) =>
      Object.assign(portIdentity(source, source.fabric.portNode[port]!, port), {
        counters: Object.fromEntries(
          [...counters].flatMap(([name, column]) => (Number.isNaN(column[port]) ? [] : [[name, column[port]!]])),
        ),
      }),
    );
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
