// Interface counters of RoCE fabrics as readings of ports.

import { wholeFile, type Diagnostics } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PortCounterReadings } from '../../formats/counter-poll.js';
import { readInterfaceCounters } from '../../formats/interface-counters.js';
import { readInterfaceList } from '../../formats/interface-ports.js';
import { readOwnKind, type GivenText, type NamedText } from '../routes/file-kinds.js';

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
  const unread = transmitBytes.filter(
    (sent, port) => Number.isNaN(sent) && Number.isNaN(receiveBytes[portPeer[port]!]!),
  );
  if (unread.length > 0)
    diagnostics.warning(
      'unread-ports',
      texts.at(-1)!.name,
      wholeFile,
      `${unread.length} of ${transmitBytes.length} ports were read at neither end of their link: less is known`,
    );
  return readings;
}
