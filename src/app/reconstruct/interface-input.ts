// Interface counters of RoCE fabrics as readings of ports.

import { wholeFile, type Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PortCounterReadings } from '../../formats/counter-poll.js';
import { readInterfaceCounters } from '../../formats/interface-counters.js';
import { readInterfaceList } from '../../formats/interface-ports.js';
import { readOwnKind, type GivenText, type NamedText } from '../routes/file-kinds.js';

/** Both ends of a link count the same, but for what is lost and what comes in between their readings. */
const tolerated = 0.05;
const toleratedBytes = 1e6;

/**
 * What interfaces counted between their first reading and the last.
 * @param texts readings, an earlier one first
 * @param interfaces a list of ports of interfaces; left out: their names say them
 * @throws InputError, HostFileError
 */
export async function readInterfaces(
  texts: readonly NamedText[],
  interfaces: string | GivenText | undefined,
  files: Host,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<PortCounterReadings> {
  const list = interfaces === undefined ? null : await readOwnKind(files, interfaces, 'interfaces');
  const listed = list === null ? null : readInterfaceList(list.text, list.name, source, diagnostics);
  diagnostics.throwIfErrors();
  const readings = readInterfaceCounters(texts, source, diagnostics, listed ?? undefined);
  diagnostics.throwIfErrors();
  const { transmitBytes, receiveBytes } = readings;
  const { portPeer } = source.fabric;
  const tell = (code: string, count: number, message: string, hint?: string): void => {
    if (count > 0)
      diagnostics.warning(
        code,
        texts.at(-1)!.name,
        wholeFile,
        `${count} ${message}`,
        hint === undefined ? {} : { hint },
      );
  };
  const ports = (is: (sent: number, received: number) => boolean): number =>
    transmitBytes.filter((sent, port) => is(sent, receiveBytes[portPeer[port]!]!)).length;
  tell(
    'unread-ports',
    ports((sent, received) => Number.isNaN(sent) && Number.isNaN(received)),
    `of ${transmitBytes.length} ports were read at neither end of their link: less is known`,
  );
  tell(
    'contradicting-ends',
    ports((sent, received) => Math.abs(sent - received) > tolerated * Math.max(sent, received) + toleratedBytes),
    'ports: what one end of the link sent is not what the other received',
    'is the file of this fabric, cabled like this, and were all read at about one time?',
  );
  return readings;
}
