// Whether counters of files can be of this fabric and these tables: both ends of a link count the same, and what was
// counted lies on the way of some pair.
// Invariant: counters of which most cannot be so are a mistake, for any traffic found from them would be nonsense; a few
// are told, with the first of them.

import { InputError, wholeFile, type Diagnostic, type Diagnostics } from '../../base/diagnostics.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficColumn, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import { percentText } from '../../report/text-style.js';
import type { Counted } from './made-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';

/** What ends may differ by, for readings at slightly different times: shares of the larger one, and of the largest. */
const toleratedShare = 0.05;
const toleratedOfLargest = 0.001;
/** links that count this share of the largest, and ends that differ by this share, are enough to refuse a file */
const muchOfLargest = 0.01;
const manyTimes = 0.5;
/** share of what was counted, beyond which that no pair explains is told, and beyond which it is a mistake */
const fewUnexplained = 0.001;
const mostUnexplained = 0.5;
/** beyond which hosts are told to have sent other traffic than what is said */
const fewOfTruth = 0.1;

/**
 * Compares what ports sent with what was received at the other end of their links.
 * @param counted as read; lanes of a port are added up
 * @throws InputError if most links contradict themselves: the counters are of another fabric
 */
export function checkEnds(
  { counters, received }: Counted,
  { noise = 0 }: Pick<ReconstructionRequest, 'noise'>,
  file: string,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): void {
  const lanes = counters.length / received.length;
  const sent = received.map((_, port) =>
    counters.subarray(port * lanes, (port + 1) * lanes).reduce((sum, own) => sum + own, 0),
  );
  const largest = sent.reduce((most, own, port) => Math.max(most, own || 0, received[port]! || 0), 0);
  const odd: number[] = [];
  let much = 0;
  let far = 0;
  sent.forEach((own, port) => {
    const other = received[port]!;
    const more = Math.max(own, other);
    const difference = Math.abs(own - other);
    if (difference > (toleratedShare + 5 * noise) * more + toleratedOfLargest * largest) odd.push(port);
    if (!(more > muchOfLargest * largest)) return;
    much++;
    if (difference > manyTimes * more) far++;
  });
  if (odd.length === 0) return;
  const [first] = odd;
  const detail = {
    got: `${portText(source, first!)!} sent ${sent[first!]!}; received: ${received[first!]!}`,
    hint: 'are they of this fabric, cabled like this, and were all ports read at about one time?',
  };
  if (2 * far > much)
    throw InputError.about('other-fabric', file, `${far} of ${much} links that count have ends that contradict`, {
      ...detail,
      wanted: 'counters of this fabric: what one end sends the other one receives',
      hint: 'read counters and ibnetdiscover of one fabric, at about one time',
    });
  diagnostics.warning('contradicting-ends', file, wholeFile, `${odd.length} links have ends that contradict`, detail);
}

/**
 * Compares what hosts sent and received with the sums of traffic that is said to have been sent. These do not depend on ways.
 * @param counted by port and lane @param what names the traffic
 * @throws InputError if most of what was counted is not of that traffic
 */
export function checkTruth(
  truth: TrafficMatrix,
  { counters, received }: Counted,
  { fabric }: RoutedFabric,
  what: string,
  diagnostics: Diagnostics,
): void {
  const { hostCount } = truth;
  const lanes = counters.length / received.length;
  const made = new Float64Array(2 * hostCount);
  const column = new TrafficColumn(hostCount);
  for (let to = 0; to < hostCount; to++) {
    truth.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      made[column.sources[i]!]! += column.weights[i]!;
      made[hostCount + to]! += column.weights[i]!;
    }
  }
  let [all, apart] = [0, 0];
  fabric.hosts.forEach((host, rank) => {
    let [out, into] = [0, 0];
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++)
      for (let lane = 0; lane < lanes; lane++) {
        out += counters[port * lanes + lane]!;
        into += counters[fabric.portPeer[port]! * lanes + lane]!;
      }
    for (const [own, at] of [
      [out, rank],
      [into, hostCount + rank],
    ] as const)
      if (!Number.isNaN(own)) {
        all += own * own;
        apart += (own - made[at]!) * (own - made[at]!);
      }
  });
  const share = all > 0 ? Math.sqrt(apart / all) : 0;
  if (share <= fewOfTruth) return;
  const message = `what hosts sent and received differs by ${percentText(share)} from this traffic`;
  const hint = 'is it what was sent between the readings, in bytes?';
  if (share > mostUnexplained)
    throw InputError.about('other-traffic', what, message, { wanted: 'the traffic that was counted', hint });
  diagnostics.warning('contradicting-traffic', what, wholeFile, message, { hint });
}

/** What of the counters no pair can have moved. */
export interface Unexplained {
  /** |counters|, of those that are known */
  readonly counted: number;
  /** |counters that no pair moves| / |counters| */
  readonly share: number;
  /** the row of the largest of them; -1: there is none */
  readonly row: number;
}

/**
 * What to say of counters that no pair explains, and of those that counted nothing.
 * @param ranks hosts that took part
 * @throws InputError if that is most of what was counted
 */
export function explainedOrTold(
  { counted, share, row }: Unexplained,
  ranks: number,
  { counters, lanes = 1 }: Pick<ReconstructionRequest, 'counters' | 'lanes'>,
  source: RoutedFabric,
): readonly Diagnostic[] {
  if (counters === undefined) return [];
  const file = typeof counters === 'string' ? counters : (counters.name ?? 'counters');
  const about = { severity: 'warning', file, ...wholeFile } as const;
  if (ranks === 0)
    return [
      {
        ...about,
        code: 'nothing-counted',
        message: 'no host sent or received anything',
        hint: 'are --before and --counters two readings, with traffic in between?',
      },
    ];
  if (counted === 0)
    throw InputError.about('unknown-counters', file, 'no counter that is left has counted, and others are not known', {
      got: `${ranks} hosts that may have sent or received`,
      wanted: 'counters of the ports of hosts at least',
      hint: 'read those of 64 bits: perfquery -x',
    });
  if (share <= fewUnexplained) return [];
  const message = `${percentText(share)} of what was counted is on the way of no pair that can have sent`;
  const got = row === -1 ? {} : { got: portText(source, Math.floor(row / lanes))! };
  const hint = 'are counters, tables, lanes and fabric of one moment?';
  if (share > mostUnexplained)
    throw InputError.about('other-tables', file, message, { ...got, wanted: 'counters under these tables', hint });
  return [{ ...about, code: 'unexplained-counters', message, ...got, hint }];
}
