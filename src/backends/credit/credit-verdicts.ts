// What a credit run checks about itself.

import type { RunState, Verdict } from '../../execution/network.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Chunks } from './chunks.js';
import { creditLoopText, findCreditLoop } from './credit-loops.js';
import type { OutputPorts } from './output-ports.js';

/** What the checks look at. */
export interface CreditState {
  readonly fabric: Fabric;
  readonly ports: OutputPorts;
  readonly chunks: Chunks;
  readonly lanes: number;
  /** packets that have left their senders, and those that have arrived */
  readonly sent: number;
  readonly delivered: number;
}

/** Verdicts on a network at rest or stopped. */
export function creditVerdicts(network: CreditState, state: RunState): Verdict[] {
  return [
    conservation(network),
    ...(state === 'finished' ? [allCreditsBack(network)] : []),
    ...(state === 'blocked' ? [noLoop(network)] : []),
  ];
}

function conservation({ sent, delivered, chunks }: CreditState): Verdict {
  return {
    name: 'conservation',
    ok: sent === delivered + chunks.live,
    detail: `${sent} packets sent = ${delivered} delivered + ${chunks.live} under way; none is ever dropped`,
  };
}

/** Of a finished run every credit is at hand or on its way back. */
function allCreditsBack({ ports: { credits } }: CreditState): Verdict {
  let wrong = 0;
  for (let pool = 0; pool < credits.count; pool++) if (!credits.isWhole(pool)) wrong++;
  return {
    name: 'credits are back',
    ok: wrong === 0,
    detail: `${wrong} of ${credits.count} lanes of ports have not the credits that they began with`,
  };
}

function noLoop({ fabric, ports, chunks, lanes }: CreditState): Verdict {
  const loop = findCreditLoop(fabric, ports, chunks, lanes);
  return {
    name: 'no deadlock by credits',
    ok: loop === null,
    detail: loop === null ? 'no lane waits for itself' : creditLoopText(fabric, loop, lanes),
  };
}
