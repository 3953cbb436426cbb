// Servers whose GPUs are cabled to each other instead of to switches: AMD's xGMI meshes, NVLink between four GPUs.

import { type Fabric, NodeKind } from './fabric.js';

/** Whether a port joins two GPUs of one server. */
export function isMeshPort({ nodeKind, nodeServer, portNode, portPeer }: Fabric, port: number): boolean {
  const [own, other] = [portNode[port]!, portNode[portPeer[port]!]!];
  return nodeKind[own] === NodeKind.host && nodeKind[other] === NodeKind.host && nodeServer[own] === nodeServer[other];
}

/** Whether each two of these hosts, of one server, are cabled to each other. */
export function isMesh(fabric: Fabric, hosts: readonly number[]): boolean {
  const { portOffset, portNode, portPeer } = fabric;
  if (hosts.length < 2) return false;
  return hosts.every((host) => {
    const reached = new Set<number>();
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      if (isMeshPort(fabric, port)) reached.add(portNode[portPeer[port]!]!);
    return hosts.every((other) => other === host || reached.has(other));
  });
}
