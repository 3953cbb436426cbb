// All checks, in the order of the table.

import type { Check } from './check.js';
import { agreement } from './checks/agreement.js';
import { balancers } from './checks/balancers.js';
import { busbw } from './checks/busbw.js';
import { credits } from './checks/credits.js';
import { dcqcn } from './checks/dcqcn.js';
import { dctcp } from './checks/dctcp.js';
import { diagnosis } from './checks/diagnosis.js';
import { fairness } from './checks/fairness.js';
import { fluid } from './checks/fluid.js';
import { goBackN } from './checks/go-back-n.js';
import { hpcc } from './checks/hpcc.js';
import { irnCheck } from './checks/irn.js';
import { longPaths } from './checks/long-paths.js';
import { lossless } from './checks/lossless.js';
import { lossy } from './checks/lossy.js';
import { pfc } from './checks/pfc.js';
import { queuePairs } from './checks/queue-pairs.js';
import { red } from './checks/red.js';
import { routeEnds } from './checks/route-ends.js';
import { routing } from './checks/routing.js';
import { sharedLink } from './checks/shared-link.js';
import { simai } from './checks/simai.js';
import { singleFlow } from './checks/single-flow.js';
import { slowReceiver } from './checks/slow-receiver.js';
import { smallTrees } from './checks/small-trees.js';
import { sourceFlowControl } from './checks/source-flow-control.js';
import { swift } from './checks/swift.js';
import { timely } from './checks/timely.js';
import { transportCases } from './checks/transport-cases.js';

export const checks: readonly Check[] = [
  singleFlow,
  sharedLink,
  queuePairs,
  goBackN,
  irnCheck,
  longPaths,
  transportCases,
  pfc,
  lossless,
  credits,
  lossy,
  red,
  fairness,
  dcqcn,
  dctcp,
  timely,
  swift,
  hpcc,
  routing,
  smallTrees,
  routeEnds,
  balancers,
  simai,
  slowReceiver,
  sourceFlowControl,
  fluid,
  diagnosis,
  agreement,
  busbw,
];
