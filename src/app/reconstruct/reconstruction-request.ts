// What a reconstruction is asked for.

import type { LidUse } from '../../optimization/lid-use.js';
import type { FabricRequest } from '../routes/fabric-input.js';
import type { GivenText } from '../routes/file-kinds.js';
import type { TablesRequest } from '../routes/tables-input.js';
import type { TrafficRequest } from '../routes/traffic-input.js';

/** How levels and lanes are given to pairs. */
export type LaneStrategy = 'random' | 'separated' | 'pairs' | 'galois' | 'steady';

/** How the shortest traffic is searched: by first-order steps, or exactly as a linear programme. */
export const searchMethods = ['first-order', 'exact'] as const;
type SearchMethod = (typeof searchMethods)[number];

/** How switches split traffic over ports: alike, or less to those that had to wait. */
export const portSplits = ['equal', 'waits'] as const;
type PortSplit = (typeof portSplits)[number];

/** What is counted: bytes, packets, or (packets x MTU + bytes) / 2 (Taffet's dissertation, docs/SOURCES.md, 5.4.2). */
export const counterMixes = ['bytes', 'packets', 'mixed'] as const;
export type CounterMix = (typeof counterMixes)[number];

/** Whose counters are read: of all nodes, of switches, or of hosts. */
export type CountingNodes = 'all' | 'switches' | 'hosts';

/** Which counters, and how they came about. */
export interface ReconstructionRequest extends Pick<FabricRequest, 'fabric' | 'guid2lid' | 'roots' | 'lmc'> {
  /** `ftree`, `dmodk`, `ecmp` (switches hash over equal-cost paths), or tables as {@link readTables} takes them */
  readonly tables: TablesRequest;
  /** which LIDs of a host pairs send to, where tables have several; spread if left out */
  readonly lidOffset?: LidUse;
  /** with `ecmp`: switches split what pairs send over equal-cost ports by fixed fractions; left out: nobody knows how */
  readonly split?: PortSplit;
  /** each switch takes so many of the ports to each destination, drawn by the seed; left out: all */
  readonly splitPorts?: number;
  /** what is sent: it makes the counters, and is compared with what is found */
  readonly traffic?: TrafficRequest['traffic'];
  /** as of {@link TrafficRequest}; `alone` if left out */
  readonly allocation?: string;
  /** traffic that the result is compared with where counters are read */
  readonly truth?: TrafficRequest['traffic'];
  /** whether the matrix is drawn; not if left out */
  readonly figure?: boolean;
  /** whether that picture shows what each basis tells as well; not if left out */
  readonly drawBases?: boolean;
  /** whether the course of a first-order search is drawn; not if left out */
  readonly traceFigure?: boolean;
  /** what ports counted, as perfquery and ibqueryerrors print it, or interface counters as CSV; and an earlier reading */
  readonly counters?: string | GivenText;
  readonly before?: string | GivenText;
  /** ports of the interfaces of CSV: device,interface,node,port; left out: their names say them */
  readonly interfaces?: string | GivenText;
  /** file of a list of jobs, as squeue or sacct prints it: only hosts of one job send to each other */
  readonly jobs?: string;
  /** virtual lanes that counters tell apart; 1 if left out */
  readonly lanes?: number;
  /** service levels of pairs; as many as lanes if left out */
  readonly serviceLevels?: number;
  /** classes of service with levels of their own; phases of traffic belong to them in turn. 1 if left out */
  readonly classes?: number;
  /** `random` if left out, and without `sl2vl` */
  readonly strategy?: LaneStrategy;
  /** levels of pairs as path records list them; drawn if left out */
  readonly pathRecords?: string | GivenText;
  /** lanes of levels as SL2VL tables list them, in place of a strategy */
  readonly sl2vl?: string | GivenText;
  /** bytes if left out */
  readonly mix?: CounterMix;
  /** bytes that a packet of a large message has; 4096 if left out */
  readonly mtuBytes?: number;
  /** all if left out */
  readonly ports?: CountingNodes;
  /** standard deviation of what a counter says, as a share of it; made counters are disturbed so */
  readonly noise?: number;
  /** share of ports of which made counters are not read */
  readonly missing?: number;
  /** a reading of a node comes up to this share of the interval early or late; made counters are disturbed so */
  readonly skew?: number;
  /** counters of files that count no more than this count as 0: management sends a little by every port; 0 if left out */
  readonly floor?: number;
  /** the result is wanted from port totals alone as well */
  readonly portTotals?: boolean;
  /** a basis (i, s, cd, scd, cs, scs), several joined by +, or od, if left out */
  readonly dictionary?: string;
  /** first-order if left out */
  readonly method?: SearchMethod;
  /** how often entries are weighed anew by what was found, and searched again; 0 if left out */
  readonly reweight?: number;
  /** traffic to begin with, such as the matrix of a time before: as of {@link TrafficRequest}; with first-order alone */
  readonly start?: TrafficRequest['traffic'];
  /** of levels, lanes and random traffic; 1 if left out */
  readonly seed?: number;
  /** limits of the search: wall-clock seconds, and steps */
  readonly seconds?: number;
  readonly mostWork?: number;
}
