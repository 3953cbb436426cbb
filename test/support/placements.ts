// Communicators for tests of collectives: servers of any number of GPUs with NVSwitches, some GPUs without a NIC, one
// leaf switch.

import { Communicator } from '../../src/collectives/communicator.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';

export interface ServerRecipe {
  /** GPUs of every server of the fabric */
  readonly gpus: number;
  readonly servers: number;
  readonly nvswitches?: number;
  /** which GPUs of a server have a NIC; all if left out */
  readonly nics?: readonly number[];
}

/** Servers under one switch. */
export function serverFabric({ gpus, servers, nvswitches = 1, nics }: ServerRecipe): Fabric {
  const builder = new FabricBuilder(gpus, 'H100');
  const hosts = builder.addNodes(NodeKind.host, gpus * servers);
  const first = nvswitches > 0 ? builder.addNodes(NodeKind.nvswitch, nvswitches * servers) : 0;
  const leaf = builder.addNode(NodeKind.switch);
  for (let rank = 0; rank < gpus * servers; rank++) {
    const server = Math.floor(rank / gpus);
    for (let i = 0; i < nvswitches; i++) builder.addLink(hosts + rank, first + server * nvswitches + i, 2.4e12, 25_000);
    if (nics === undefined || nics.includes(rank % gpus)) builder.addLink(hosts + rank, leaf, 100e9, 500_000);
  }
  return builder.build();
}

/** A communicator of given ranks; all of them if left out. */
export function communicatorOf(recipe: ServerRecipe, ranks?: readonly number[]): Communicator {
  const fabric = serverFabric(recipe);
  return new Communicator(fabric, Int32Array.from(ranks ?? fabric.hosts.map((_, rank) => rank)));
}

/** `count` ranks on servers of `gpus`, the last server with fewer if it does not divide. */
export function placementOf(
  count: number,
  gpus: number,
  recipe: Omit<ServerRecipe, 'gpus' | 'servers'> = {},
): Communicator {
  return communicatorOf(
    { ...recipe, gpus, servers: Math.ceil(count / gpus) },
    Array.from({ length: count }, (_, rank) => rank),
  );
}
