// Which port of a fabric an interface is, by what exporters call device and interface.
// A device is found by the name of its node (`leaf[2]`, or that of the fabric's file), by its id, GUID or LID, with or
// without a port number (`leaf[2]:9100`) or a domain behind it. An interface is the port of its number (`Ethernet5`,
// `swp5`, `5`, `leaf[2]:5`), counted from 1; the only interface of a node with one link is that link. A list says it
// for all others: device,interface,node,port.
// Invariant: nothing is guessed: devices whose interfaces count from 0, and numbers with parts (`xe-0/0/5`), need a list.

import { FileProblems, type Diagnostics, type Position } from '../base/diagnostics.js';
import { NodeNames } from '../fabric/node-names.js';
import { PortIndex } from '../fabric/port-identity.js';
import { csvFields } from './csv-fields.js';
import { eachLine } from './lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** The first line of a list of interfaces. */
const interfacesHeader = 'device,interface,node,port';

/** Interfaces that no cable is in: loopback, bridges, containers, tunnels. */
const withoutCable =
  /^(?:lo\d{0,3}|loopback\d{0,4}|docker\d{0,3}|veth\w{0,12}|br-?\w{0,12}|virbr\w{0,12}|cni\d{0,3}|tun\d{0,3})$/i;

/** The ports that a list gives to interfaces, by {@link interfaceKey}. */
export type ListedInterfaces = ReadonlyMap<string, number>;

/** Stands for an interface of a device. */
export function interfaceKey(device: string, name: string): string {
  return `${device}\n${name}`;
}

/** Reads a list of interfaces. @returns null if it has errors */
export function readInterfaceList(
  text: string,
  file: string,
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
): ListedInterfaces | null {
  const problems = new FileProblems(file, diagnostics);
  const ports = new InterfacePorts(source);
  const listed = new Map<string, number>();
  const keyOf = new Map<number, string>();
  eachLine(text, problems, (content, at) => {
    if (content.startsWith('#') || content.replaceAll(' ', '') === interfacesHeader) return;
    const fields = csvFields(content);
    if (fields?.length !== 4) {
      problems.error('bad-interface', at, 'the line does not give a port to an interface', {
        got: content.slice(0, 80),
        wanted: `${interfacesHeader}, such as leaf-a,Ethernet1/1,leaf[0],1`,
      });
      return;
    }
    const [device, name, node, number] = fields.map((field) => field.text);
    const port = ports.numbered(node!, Number(/^\d{1,5}$/.test(number!) ? number : NaN));
    if (port === null) {
      problems.error('bad-interface', at, 'the fabric has no such port with a link', {
        got: `${node},${number}`.slice(0, 80),
        wanted: 'a node, as weft topology names it, and the number of a port, from 1',
      });
      return;
    }
    const key = interfaceKey(device!, name!);
    if (keyOf.has(port) || listed.has(key))
      problems.error('bad-interface', at, 'the port or the interface stands in the list already', {
        got: content.slice(0, 80),
        wanted: 'each once',
      });
    keyOf.set(port, key);
    listed.set(key, port);
  });
  return problems.failed ? null : listed;
}

/** An interface that has been read of. */
export interface SeenInterface extends Position {
  readonly device: string;
  readonly name: string;
}

/** The ports of interfaces, and those that are none. */
export interface FoundInterfaces {
  /** by place in the list that was given; -1: none */
  readonly ports: Int32Array;
  /** devices that the fabric has not, and interfaces of others that are no port with a link */
  readonly strangers: readonly SeenInterface[];
  readonly unknown: readonly SeenInterface[];
  /** two interfaces that would be one port */
  readonly doubled: readonly (readonly [SeenInterface, SeenInterface])[];
}

export class InterfacePorts {
  private readonly index: PortIndex;
  private readonly names: NodeNames;

  constructor(
    private readonly source: IdentifiedFabric,
    private readonly listed: ListedInterfaces = new Map(),
  ) {
    this.index = new PortIndex(source);
    this.names = new NodeNames(source.fabric);
  }

  /** The port of a node by its number; null if there is none with a link. */
  numbered(node: string, number: number): number | null {
    const found = this.nodeOf(node);
    return found === null ? null : this.portOf(found, number);
  }

  /** Finds the ports of interfaces. */
  find(seen: readonly SeenInterface[]): FoundInterfaces {
    const ports = new Int32Array(seen.length).fill(-1);
    const strangers: SeenInterface[] = [];
    const unknown: SeenInterface[] = [];
    const doubled: (readonly [SeenInterface, SeenInterface])[] = [];
    const own = new Map<number, SeenInterface>();
    const wired = seen.filter(({ name }) => !withoutCable.test(name));
    const counts = new Map<string, number>();
    const fromZero = new Set<string>();
    for (const { device, name } of wired) {
      counts.set(device, (counts.get(device) ?? 0) + 1);
      if (numberOf(name) === 0) fromZero.add(device);
    }
    seen.forEach((one, i) => {
      const { device, name } = one;
      const listedPort = this.listed.get(interfaceKey(device, name));
      const node = listedPort === undefined ? this.nodeOf(device) : null;
      if (listedPort === undefined && node === null) {
        strangers.push(one);
        return;
      }
      const port = listedPort ?? this.unlistedPort(node!, name, counts.get(device) ?? 0, fromZero.has(device));
      if (port === null) {
        if (!withoutCable.test(name)) unknown.push(one);
        return;
      }
      const other = own.get(port);
      if (other !== undefined) doubled.push([other, one]);
      own.set(port, one);
      ports[i] = port;
    });
    return { ports, strangers, unknown, doubled };
  }

  private unlistedPort(node: number, name: string, interfaces: number, fromZero: boolean): number | null {
    const { portOffset } = this.source.fabric;
    if (withoutCable.test(name)) return null;
    const first = portOffset[node]!;
    if (portOffset[node + 1]! - first === 1 && interfaces === 1) return first;
    return fromZero ? null : this.portOf(node, numberOf(name));
  }

  private portOf(node: number, number: number): number | null {
    const { portOffset } = this.source.fabric;
    const { portNumber } = this.source.identity;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
      if (portNumber[port] === number) return port;
    return null;
  }

  private nodeOf(device: string): number | null {
    if (/^\d{1,7}$/.test(device)) return Number(device) < this.source.fabric.nodeCount ? Number(device) : null;
    for (const name of new Set([device, device.replace(/:\d{1,5}$/, ''), device.replace(/[.:].*$/, '')])) {
      const meant = this.index.meant(name);
      if (meant.length === 1) return meant[0]!;
      const found = this.names.find(name);
      if ('node' in found && found.port === -1) return found.node;
    }
    return null;
  }
}

/** `Ethernet5`, `swp5`, `5`, `leaf[2]:5` and `leaf02[5]` are number 5; NaN: no number, or one with parts. */
function numberOf(name: string): number {
  const digits = /^(?:[a-z][a-z_-]{0,30}|.{1,60}:|.{1,60}\[)?(\d{1,5})\]?$/i.exec(name)?.[1];
  return digits === undefined ? NaN : Number(digits);
}
