// What a group has on its fabric, as far as a cost model asks for it (build-schedule.ts reads it off a communicator).

/** What a group has on its fabric. */
export interface GroupFacts {
  readonly ranks: number;
  readonly servers: number;
  /** most ranks that a server has */
  readonly ranksPerServer: number;
  /** of one GPU, in one direction */
  readonly nvlinkBps: number;
  /** of all NICs of a server, in one direction */
  readonly networkBps: number;
  /** fewest ranks of a server that have a NIC; left out: all have */
  readonly nicsPerServer?: number;
  /** ranks on several servers, and not all of them have a NIC; left out: all have */
  readonly lacksNics?: boolean;
  /** of one GPU to the PCIe switch of its server, in one direction; left out: NVLink joins them, or their NICs do */
  readonly pcieBps?: number;
  /** rings without a common link over the GPUs of a server, which are cabled to each other; left out: they are not */
  readonly meshRings?: number;
}
