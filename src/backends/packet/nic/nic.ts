// What a NIC is to the rest of the network. Today's NIC takes turns among its queue pairs (turn-taking-nic.ts); a NIC
// with a model of its DMA, or another order of service, is another class behind this interface.

/** What a transport asks of the host that it runs on. */
export interface TransportHost {
  /** Sends a packet, already filled in, from the receiving host back to the sender. */
  reply(packet: number, pair: number): void;
  /** The queue pair may have become able to send. */
  canSendAgain(pair: number): void;
  /** All bytes are acknowledged. */
  finished(pair: number): void;
}

/**
 * Says which queue pairs may send, besides transport, rate and pauses of a port: by flow, by destination, by whatever
 * the gate knows. A gate that opens says so with canSendAgain for each queue pair that it lets go.
 */
export interface SendGate {
  isOpen(pair: number): boolean;
}

export interface Nic extends TransportHost {
  /** Closes gates: a queue pair sends only while all of them are open for it. Call it before the first flow starts. */
  addGate(gate: SendGate): void;
  /** A data or acknowledgement packet has reached its destination; it is the NIC's. */
  receive(packet: number): void;
  /** Sends the next packet of an idle port of a host. */
  serve(port: number): void;
  /** A paused queue of a port may send again. */
  resume(port: number): void;
  /** Queue pairs may have moved to other ports of their hosts. */
  regroup(): void;
  /** The packet sent last has left a port that the NIC shares with a switch (an NVSwitch's). */
  rejoin(port: number): void;
  /** Sends data of the port's own queue pairs, with nothing on the wire. @returns false if none may send */
  sendData(port: number): boolean;
  /** True if a queue pair waits for its turn at a port. */
  wantsTurn(port: number): boolean;
}
