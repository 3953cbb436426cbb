// What other traffic puts on links anyhow, as counters of ports show it: what every port sent between two readings.
// Invariant: loads are bytes times base rate / rate of the link, like those of traffic in bytes; ports that were not
// read have none, and a warning says how many.
// Not modelled: that entries of the tables move what others send as well; headers, which counters have and matrices may
// not.

import { Diagnostics, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { PortCounterReadings } from '../../formats/counter-poll.js';
import { readPortCounters } from '../../formats/port-counters.js';
import type { RouteEvaluation } from '../../optimization/evaluate-routes.js';
import { interSwitchPorts, loadPerTraffic } from '../../optimization/table-loads.js';
import { sinceReading } from './route-counters.js';
import { readOwnKind, type GivenText } from './file-kinds.js';

/** Which counters: files, or their texts. */
export interface BackgroundRequest {
  /** counters of ports, for what other traffic puts on links, as perfquery and ibqueryerrors print them */
  readonly background?: string | GivenText;
  /** an earlier reading of them; without it they are taken to have begun at 0 */
  readonly backgroundBefore?: string | GivenText;
}

/** Loads of other traffic. */
export interface Background {
  /** what the counters are called */
  readonly name: string;
  /** by sending port of the fabric */
  readonly load: Float64Array;
  readonly warnings: readonly Diagnostic[];
}

/** Reads counters; null if there are none. @throws InputError, HostFileError */
export async function loadBackground(
  host: Host,
  { background, backgroundBefore }: BackgroundRequest,
  source: RoutedFabric,
  traffic: Traffic | null,
): Promise<Background | null> {
  if (background === undefined || traffic === null) return null;
  if (traffic.unit !== 'bytes')
    throw InputError.about('units-differ', '--background', 'counters are bytes, and this traffic has no unit', {
      got: traffic.name,
      hint: 'give --traffic FILE with a column of bytes, of the time between the readings',
    });
  const diagnostics = new Diagnostics();
  const read = async (from: string | GivenText): Promise<PortCounterReadings> => {
    const { text, name } = await readOwnKind(host, from, 'counters');
    return readPortCounters(text, name, source, diagnostics);
  };
  const name = typeof background === 'string' ? background : (background.name ?? 'counters');
  const after = await read(background);
  const before = backgroundBefore === undefined ? null : await read(backgroundBefore);
  diagnostics.throwIfErrors();
  const between = interSwitchPorts(source.tree);
  const worth = loadPerTraffic(source.fabric);
  let unread = 0;
  const load = worth.map((perByte, port) => {
    const bytes =
      before === null
        ? after.transmitBytes[port]!
        : sinceReading(after.transmitBytes[port]!, before.transmitBytes[port]!);
    if (between[port] === 1 && Number.isNaN(bytes)) unread++;
    return between[port] === 1 && bytes > 0 ? bytes * perByte : 0;
  });
  if (unread > 0)
    diagnostics.warning(
      'unread-port',
      name,
      wholeFile,
      `${unread} ports between switches were not read and count as free of other traffic`,
    );
  return { name, load, warnings: diagnostics.warnings };
}

/**
 * Largest load between switches with other traffic on the links, summed over phases; and that of the other traffic
 * alone.
 */
export function loadsWithBackground(
  evaluation: RouteEvaluation,
  { load }: Background,
): { maxLoad: number; backgroundMaxLoad: number } {
  const most = (own: Float64Array | null): number =>
    load.reduce(
      (largest, other, port) => Math.max(largest, other + (own === null || !(other > 0) ? 0 : own[port]!)),
      0,
    );
  return {
    maxLoad: evaluation.phases.reduce((sum, phase) => sum + Math.max(phase.loads.netMaxLoad, most(phase.load)), 0),
    backgroundMaxLoad: most(null),
  };
}
