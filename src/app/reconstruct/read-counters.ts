// Counters of files as the routing matrix has them: what each port sent, on each lane, between two readings.
// Invariants: a counter that stopped at its largest value, or of 32 bits that counts less than before, is left out and
// told; one of 64 bits, or of a lane, that counts less is a mistake.

import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PortCounterReadings } from '../../formats/counter-poll.js';
import {
  bitOf,
  isAtLargest,
  lanesPerPort,
  type LaneCounterName,
  type PortCounterName,
} from '../../formats/port-counter-kinds.js';
import { looksLikeInterfaceCounters } from '../../formats/interface-counters.js';
import { readCounterPolls, readPortCounters } from '../../formats/port-counters.js';
import { readOwnKind } from '../routes/file-kinds.js';
import { mixed, usualMtuBytes } from './counter-mix.js';
import { readInterfaces } from './interface-input.js';
import { countingNodes, type Counted } from './made-counters.js';
import { checkEnds } from './plausible-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';

/** Lane of management, whose packets no pair of hosts sends each other as traffic. */
const managementLane = 15;
const bytesPerWord = 4;

/** What was read. */
interface CountersRead {
  readonly counted: Counted;
  /** by port that sends: ticks in which it had something to send and sent nothing; null: not asked for */
  readonly waits: Float64Array | null;
}

/** Reads what ports counted. @param request with counters @throws InputError, HostFileError */
export async function readCounters(
  request: ReconstructionRequest,
  files: Host,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<CountersRead> {
  const { counters, before, interfaces, lanes = 1 } = request;
  const after = await readOwnKind(files, counters!, 'counters');
  const earlier = before === undefined ? null : await readOwnKind(files, before, 'counters');
  let last: PortCounterReadings;
  let first: PortCounterReadings | null = null;
  if (looksLikeInterfaceCounters(after.text)) {
    last = await readInterfaces(earlier === null ? [after] : [earlier, after], interfaces, files, source, diagnostics);
  } else {
    if (interfaces !== undefined)
      throw InputError.about('unused-option', '--interfaces', 'the counters name ports by LID or GUID', {
        wanted: 'interface counters as CSV',
        hint: 'leave --interfaces out',
      });
    const polls = readCounterPolls(after.text, after.name, source, diagnostics);
    last = polls.last;
    if (earlier !== null) first = readPortCounters(earlier.text, earlier.name, source, diagnostics);
    else if (polls.rounds.length > 1) first = polls.rounds[0]!;
    diagnostics.throwIfErrors();
  }
  const between = new Between(last, first, after.name, source, diagnostics);
  const received = between.ofPorts(request, 'PortRcvData', 'PortRcvPkts');
  const isCounting = countingNodes(source.fabric, request.ports);
  const { portPeer, portNode } = source.fabric;
  const isRead = (port: number): boolean => isCounting[portNode[port]!]!;
  const receivedAt = received.map((_, port) => (isRead(portPeer[port]!) ? received[portPeer[port]!]! : NaN));
  const sent = lanes > 1 ? between.ofLanes(request, lanes) : between.ofPorts(request, 'PortXmitData', 'PortXmitPkts');
  const own = sent.map((count, row) => (isRead(Math.floor(row / lanes)) ? count : NaN));
  const waits = request.split === 'waits' ? between.waits() : null;
  between.tell();
  diagnostics.throwIfErrors();
  const { floor = 0 } = request;
  const aboveFloor = (count: number): number => (count <= floor ? 0 : count);
  const counted = { counters: own.map(aboveFloor), received: receivedAt.map(aboveFloor) };
  checkEnds(counted, request, after.name, source, diagnostics);
  return { counted, waits };
}

/** Reads what a port waited. */
function waitsOf({ counters }: PortCounterReadings, port: number): number {
  return counters.get('PortXmitWait')?.[port] ?? NaN;
}

/** What was counted between two readings. */
class Between {
  private readonly saturated = new Set<number>();
  private readonly anew = new Set<number>();
  private unread = 0;

  constructor(
    private readonly last: PortCounterReadings,
    private readonly first: PortCounterReadings | null,
    private readonly file: string,
    private readonly source: RoutedFabric,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** By port: the mix of two of its counters. @throws InputError if the file has not those that the mix takes */
  ofPorts(
    { mix = 'bytes', mtuBytes = usualMtuBytes }: ReconstructionRequest,
    data: 'PortXmitData' | 'PortRcvData',
    packets: 'PortXmitPkts' | 'PortRcvPkts',
  ): Float64Array {
    const { last, source } = this;
    const field = data === 'PortXmitData' ? 'transmitBytes' : 'receiveBytes';
    const bytesOf = ({ [field]: bytes }: PortCounterReadings, port: number): number => bytes[port]!;
    const packetsOf = ({ counters }: PortCounterReadings, port: number): number => counters.get(packets)?.[port] ?? NaN;
    if (mix !== 'bytes' && data === 'PortXmitData' && !last.counters.has(packets)) this.noPackets(packets);
    return Float64Array.from({ length: source.fabric.portCount }, (_, port) =>
      mixed(
        mix,
        mtuBytes,
        mix === 'packets' ? 0 : this.since(port, data, bytesOf, bitOf[data === 'PortXmitData' ? 'sent' : 'received']),
        mix === 'bytes' ? 0 : this.since(port, packets, packetsOf, bitOf.others),
      ),
    );
  }

  /** By port and lane. @throws InputError if the file has no counters of lanes, or lanes beyond counted */
  ofLanes({ mix = 'bytes', mtuBytes = usualMtuBytes }: ReconstructionRequest, lanes: number): Float64Array {
    const { last, source, file } = this;
    if (!last.laneCounters.has('PortVLXmitData'))
      throw InputError.about('no-lane-counters', file, 'the file has no counters by lane', {
        got: `--lanes ${lanes}`,
        wanted: 'tables PortVLXmitData, or no --lanes: port totals alone',
        hint: 'weft run writes them with polling.lanes, as perfquery-lanes.txt',
      });
    if (mix !== 'bytes' && !last.laneCounters.has('PortVLXmitPkts')) this.noPackets('PortVLXmitPkts');
    const count = (port: number, lane: number): number =>
      mixed(
        mix,
        mtuBytes,
        mix === 'packets'
          ? 0
          : bytesPerWord * this.since(port, 'PortVLXmitData', ofLane('PortVLXmitData', lane), bitOf.sent),
        mix === 'bytes' ? 0 : this.since(port, 'PortVLXmitPkts', ofLane('PortVLXmitPkts', lane), bitOf.others),
      );
    const { portCount } = source.fabric;
    for (let port = 0; port < portCount; port++)
      for (let lane = lanes; lane < managementLane; lane++)
        if (count(port, lane) > 0)
          throw InputError.about('lane-beyond', file, `lane ${lane} counted, and there are ${lanes} lanes`, {
            got: portText(source, port)!,
            wanted: `--lanes ${lane + 1} or more`,
            hint: 'give the maps of the fabric as well: --sl2vl and --path-records',
          });
    return Float64Array.from({ length: portCount * lanes }, (_, row) => count(Math.floor(row / lanes), row % lanes));
  }

  /** By port: ticks of waiting, 0 where that is not known. @throws InputError if the file has none */
  waits(): Float64Array {
    const { last, source, file } = this;
    if (!last.counters.has('PortXmitWait'))
      throw InputError.about('no-waits', file, 'the file has no PortXmitWait', {
        got: '--split waits',
        wanted: 'counters of waiting, which perfquery prints',
        hint: 'take --split equal where nobody counted waiting',
      });
    return Float64Array.from(
      { length: source.fabric.portCount },
      (_, port) => this.since(port, 'PortXmitWait', waitsOf, bitOf.others) || 0,
    );
  }

  /** Tells what was left out. */
  tell(): void {
    const { diagnostics, file, source, saturated, anew, unread } = this;
    const example = (ports: ReadonlySet<number>): string => portText(source, Math.min(...ports))!;
    if (saturated.size > 0)
      diagnostics.warning('left-out', file, wholeFile, `${saturated.size} ports stopped counting: they are left out`, {
        got: example(saturated),
      });
    if (anew.size > 0)
      diagnostics.warning(
        'counters-reset',
        file,
        wholeFile,
        `${anew.size} ports with counters of 32 bits counted less than before: they are left out`,
        { got: example(anew), hint: 'read those of 64 bits: perfquery -x' },
      );
    if (unread > 0)
      diagnostics.warning(
        'no-former-reading',
        file,
        wholeFile,
        `${unread} counters were read only afterwards: left out`,
      );
  }

  /** What a counter of a port counted; NaN if that is not known. @param bit of {@link bitOf} */
  private since(
    port: number,
    name: PortCounterName | LaneCounterName,
    of: (reading: PortCounterReadings, port: number) => number,
    bit: number,
  ): number {
    const { last, first, source, diagnostics, file } = this;
    const now = of(last, port);
    if (Number.isNaN(now)) return NaN;
    const isOfLane = name.startsWith('PortVL');
    const isWide = (last.wide[port]! & bit) !== 0;
    const stopped = bit === bitOf.others && !isOfLane && isAtLargest(name as PortCounterName, now, isWide);
    if ((last.saturated[port]! & bit) !== 0 || stopped) {
      this.saturated.add(port);
      return NaN;
    }
    if (first === null) return now;
    const then = of(first, port);
    if (Number.isNaN(then)) {
      this.unread++;
      return NaN;
    }
    if (now >= then) return now - then;
    if (isWide || isOfLane) {
      if (!diagnostics.full)
        diagnostics.error('counted-less', file, wholeFile, `${name} of ${portText(source, port)!} went down`, {
          got: `${now} after ${then}`,
          wanted: 'counters that only grow',
          hint: "are --before and --counters in each other's place? Counters that were reset have no --before",
        });
    } else this.anew.add(port);
    return NaN;
  }

  private noPackets(name: string): never {
    throw InputError.about('no-packets', this.file, `the file has no ${name}`, {
      wanted: 'counters of packets',
      hint: 'take --mix bytes, or leave --mix out',
    });
  }
}

/** Reads a counter of a lane. */
function ofLane(name: LaneCounterName, lane: number): (reading: PortCounterReadings, port: number) => number {
  return ({ laneCounters }, port) => laneCounters.get(name)?.[port * lanesPerPort + lane] ?? NaN;
}
