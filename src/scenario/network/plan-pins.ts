// Pins of a scenario -> traffic classes: which planes and NICs transfers are tied to, each combination once.
// Invariant: a pin that is accepted has an equal-cost path between the hosts it was asked for, while no link fails.

import { count, type SettingGroup } from '../../base/settings.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { EqualCostRoutes, RoutingRules } from '../../routing/equal-cost.js';
import { isTied, PinnedPaths, PinTargets, type Pin } from '../../routing/pinned-paths.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Section } from '../form/section.js';

const most = 4096;

/** What a transfer may be tied to; what is left out is left to the hash. */
export const pinSettings = {
  plane: count(1, 'plane that it takes: switches connected among themselves, planes counted from 1', {
    minimum: 1,
    maximum: most,
  }),
  nic: count(1, 'NIC of the sender that it leaves by, counted from 1 in the order of its links, NVLink not counted', {
    minimum: 1,
    maximum: most,
  }),
  destinationNic: count(1, 'NIC of the receiver that it arrives at', { minimum: 1, maximum: most }),
  serviceLevel: count(
    0,
    'service level of its packets on the credit backend, whose lanes follow by SL2VL; left out: that of their pair of hosts',
    { minimum: 0, maximum: 15 },
  ),
} as const satisfies SettingGroup;

/** Most different pins: classes are numbered in 8 bits, 0 is none. */
const mostPins = 255;

/** What is wrong with a pin between two hosts. */
export interface PinProblem {
  readonly message: string;
  readonly wanted: string;
}

export class PinTable {
  readonly pins: Pin[] = [];
  private readonly paths: PinnedPaths[] = [];
  private targets: PinTargets | null = null;
  private routes: EqualCostRoutes | null = null;
  private readonly known: Map<number, PinProblem | null>[] = [];

  constructor(
    private readonly fabric: Fabric,
    private readonly rules: RoutingRules,
  ) {}

  /**
   * The class of what a block of the scenario asks.
   * @returns 0 if nothing is pinned there, or after an error
   */
  classAt(block: Section): number {
    const value = (name: string): number => {
      const node = block.node(name);
      return node?.kind === 'scalar' ? Number(node.value) : 0;
    };
    const pin: Pin = {
      plane: value('plane'),
      nic: value('nic'),
      destinationNic: value('destinationNic'),
      serviceLevel: block.has('serviceLevel') ? value('serviceLevel') : -1,
    };
    if (!isTied(pin) && pin.serviceLevel < 0) return 0;
    this.targets ??= new PinTargets(this.fabric);
    const { planes } = this.targets;
    if (pin.plane > planes) {
      block.error('plane', 'pin-plane', 'the fabric has no such plane', {
        got: String(pin.plane),
        wanted:
          planes === 0
            ? 'a fabric with switches'
            : planes === 1
              ? 'plane 1, the only one'
              : `a plane from 1 to ${planes}`,
      });
      return 0;
    }
    const same = this.pins.findIndex(
      (other) =>
        other.plane === pin.plane &&
        other.nic === pin.nic &&
        other.destinationNic === pin.destinationNic &&
        other.serviceLevel === pin.serviceLevel,
    );
    if (same >= 0) return same + 1;
    if (this.pins.length === mostPins) {
      block.error([], 'pin-too-many', `there are more than ${mostPins} different pins`, {
        wanted: 'fewer combinations of plane, NICs and service level',
      });
      return 0;
    }
    this.paths.push(new PinnedPaths(this.targets, pin));
    this.known.push(new Map());
    return this.pins.push(pin);
  }

  /** Whether a class asks anything of paths. @param trafficClass from 1 */
  isTied(trafficClass: number): boolean {
    return isTied(this.pins[trafficClass - 1]!);
  }

  /** Why no path between two hosts meets a class; null if one does. @param trafficClass from 1 */
  problem(trafficClass: number, source: number, destination: number): PinProblem | null {
    if (!this.isTied(trafficClass)) return null;
    const known = this.known[trafficClass - 1]!;
    const pair = source * this.fabric.nodeCount + destination;
    let problem = known.get(pair);
    if (problem === undefined) {
      problem = this.find(trafficClass, source, destination);
      known.set(pair, problem);
    }
    return problem;
  }

  /** True if the pair's transfers stay on NVLink, where there is nothing to pin. */
  staysInServer(trafficClass: number, source: number, destination: number): boolean {
    this.routes ??= routesByRules(this.fabric, this.rules);
    return this.paths[trafficClass - 1]!.staysInServer(this.routes, source, destination);
  }

  private find(trafficClass: number, source: number, destination: number): PinProblem | null {
    this.routes ??= routesByRules(this.fabric, this.rules);
    const paths = this.paths[trafficClass - 1]!;
    if (this.staysInServer(trafficClass, source, destination))
      return {
        message: `from ${source} to ${destination} it goes by NVLink, which is no NIC`,
        wanted: 'hosts of two servers',
      };
    if (this.routes.lids > 1)
      return {
        message: 'tables have ways for several LIDs of a host, and a pin has to know which',
        wanted: 'routing.lidOffset: first',
      };
    if (paths.exists(this.routes, source, destination)) return null;
    return {
      message: `no shortest path from host ${source} to host ${destination} ${pinText(paths.pin)}`,
      wanted: this.possible(source, destination),
    };
  }

  /** What could be asked of a pair, in words. */
  private possible(source: number, destination: number): string {
    const { planeOf, nicOf } = this.targets!;
    const { portNode, portPeer, portOffset } = this.fabric;
    const ports = new Int32Array(portOffset[source + 1]! - portOffset[source]!);
    const count = this.routes!.sourcePorts(source, destination, ports);
    const first = [...ports.subarray(0, count)];
    return `plane ${list(first.map((port) => planeOf[portNode[portPeer[port]!]!]!))}, leaving by NIC ${list(first.map((port) => nicOf[port]!))}`;
  }
}

function list(numbers: readonly number[]): string {
  return [...new Set(numbers)].sort((a, b) => a - b).join(' or ');
}

/** A pin as the end of a sentence about a path. */
function pinText({ plane, nic, destinationNic }: Pin): string {
  return [
    ...(plane > 0 ? [`runs over plane ${plane}`] : []),
    ...(nic > 0 ? [`leaves by NIC ${nic}`] : []),
    ...(destinationNic > 0 ? [`arrives at NIC ${destinationNic}`] : []),
  ].join(' and ');
}

/** The first pin that stands in a block; the block must have one. */
export function firstPinAt(block: Section): string {
  return Object.keys(pinSettings).find((name) => block.has(name))!;
}

/** The pins that stand in a block, as they were written. */
export function pinsAt(block: Section): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(pinSettings).flatMap((name) => {
      const node = block.node(name);
      return node?.kind === 'scalar' ? [[name, node.value]] : [];
    }),
  );
}
