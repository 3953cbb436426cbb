// Fabric and identity -> the text that ibnetdiscover prints and ibsim reads.
// Invariant: read again, it gives the same fabric up to the order of nodes (hosts and switches come back in the order
// of their names).

import { addTo } from '../base/lists-by-key.js';
import { NodeKind } from '../fabric/fabric.js';
import type { IdentifiedFabric } from './subnet-records.js';
import { InputError } from '../base/diagnostics.js';
import { formatRateBps } from '../base/units.js';
import { linkRateName, usualRates } from './ibnetdiscover-lines.js';

/**
 * Writes a fabric: leaves with their hosts first, so that ibsim begins at a host.
 * @throws InputError if a link has a rate that no InfiniBand link has
 */
export function writeIbnetdiscover({ fabric, identity }: IdentifiedFabric): string {
  const { nodeName, nodeGuid, portGuid, lid, radix, portNumber } = identity;
  const isHost = (node: number): boolean => fabric.nodeKind[node] === NodeKind.host;
  const reference = (node: number): string => `"${isHost(node) ? 'H' : 'S'}-${long(nodeGuid[node]!)}"`;
  const adapters = new Map<bigint, number[]>();
  for (const host of fabric.hosts) addTo(adapters, nodeGuid[host]!, host);
  const attached = identity.attached ?? [];
  const hostLmc = identity.lmc?.[fabric.hosts[0]!] ?? 0;
  const records: string[] = [];
  const portLines = (node: number): string[] => {
    const lines: string[] = [];
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const peerPort = fabric.portPeer[port]!;
      const peer = fabric.portNode[peerPort]!;
      const own = isHost(node) ? `[${portNumber[port]}](${hex(portGuid[node]!)})` : `[${portNumber[port]}]`;
      const other = `${reference(peer)}[${portNumber[peerPort]}]${isHost(peer) ? `(${hex(portGuid[peer]!)})` : ''}`;
      const before = isHost(node) ? `lid ${lid[node]} lmc ${identity.lmc?.[node] ?? 0} ` : '';
      const rate = rateName(fabric.linkRateBps[fabric.portLink[port]!]!);
      lines.push(`${own} \t${other}\t\t# ${before}"${nodeName[peer]}" lid ${lid[peer]} ${rate}`);
    }
    for (const port of attached.filter(({ switchNode }) => switchNode === node))
      lines.push(
        `[${port.switchPort}] \t"H-${long(port.nodeGuid)}"[${port.ownPort}](${hex(port.portGuid)})\t\t# "${port.name}" lid ${port.lid} 4xEDR`,
      );
    return lines;
  };
  for (const [guid, ports] of adapters) {
    const linked = ports.flatMap((host) => portLines(host));
    const count = Math.max(...ports.map((host) => radix[host]!));
    records.push(
      `vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x${long(guid)}\ncaguid=0x${long(guid)}\nCa\t${count} ` +
        `${reference(ports[0]!)}\t\t# "${nodeName[ports[0]!]}"\n${linked.join('\n')}\n`,
    );
  }
  for (const { name, nodeGuid: guid, portGuid: own, lid: ownLid, ownPort, switchNode, switchPort } of attached) {
    records.push(
      `vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x${long(guid)}\ncaguid=0x${long(guid)}\nCa\t${ownPort} ` +
        `"H-${long(guid)}"\t\t# "${name}"\n[${ownPort}](${hex(own)}) ` +
        `\t${reference(switchNode)}[${switchPort}]\t\t# lid ${ownLid} lmc ${hostLmc} "${nodeName[switchNode]}" ` +
        `lid ${lid[switchNode]} 4xEDR\n`,
    );
  }
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (isHost(node)) continue;
    const guid = nodeGuid[node]!;
    records.push(
      `vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x${long(guid)}\nswitchguid=0x${long(guid)}(${hex(portGuid[node]!)})\nSwitch\t${radix[node]} ` +
        `${reference(node)}\t\t# "${nodeName[node]}" base port 0 lid ${lid[node]} lmc ` +
        `${identity.lmc?.[node] ?? 0}\n${portLines(node).join('\n')}\n`,
    );
  }
  return records.join('\n');
}

/** @throws InputError: the form has widths and speeds in place of rates */
function rateName(rateBps: number): string {
  const name = linkRateName(rateBps);
  if (name !== null) return name;
  throw InputError.about('no-such-rate', 'ibnetdiscover', 'no InfiniBand link has this rate', {
    got: formatRateBps(rateBps),
    wanted: usualRates(),
    hint: 'what is sold as 56 Gb/s carries 54.545; a topology file (--format topology) takes every rate',
  });
}

function hex(guid: bigint): string {
  return guid.toString(16);
}

function long(guid: bigint): string {
  return hex(guid).padStart(16, '0');
}
