// What is known of the nodes of a fabric on an InfiniBand network, as columns; invariants, and what is done with them,
// stand in identity.ts.

/**
 * An end port that takes no part in traffic and is reached as its switch is, such as the aggregation node within a
 * switch.
 */
export interface AttachedPort {
  readonly name: string;
  readonly nodeGuid: bigint;
  readonly portGuid: bigint;
  /** 0 = none yet */
  readonly lid: number;
  /** number of the port on its adapter */
  readonly ownPort: number;
  readonly switchNode: number;
  /** number of the port of the switch that leads to it; no port of the fabric */
  readonly switchPort: number;
}

/** Names, GUIDs, LIDs and port numbers of the nodes of a fabric. */
export interface FabricIdentity {
  /** what each node is called: `leaf00`, `node028 HCA-1` */
  readonly nodeName: readonly string[];
  /** GUID of each node; two ports of one adapter have the same */
  readonly nodeGuid: BigUint64Array;
  /** GUID of each node's end port: port 0 of a switch (the GUID of the switch), the linked port of a host */
  readonly portGuid: BigUint64Array;
  /** LID of each node's end port, the first if it has several; 0 = none yet */
  readonly lid: Uint16Array;
  /** LMC of each node's end port: it has 2^LMC LIDs; 0 everywhere if left out */
  readonly lmc?: Uint8Array;
  /** LMC that end ports really have, where routes are for fewer of their LIDs; `lmc` if left out */
  readonly wholeLmc?: Uint8Array;
  /** ports of each node, linked or not: its radix */
  readonly radix: Uint8Array;
  /** number of each port of the fabric on its node, from 1 */
  readonly portNumber: Uint8Array;
  /** end ports that are no nodes of the fabric; none if left out */
  readonly attached?: readonly AttachedPort[];
}
