// What unfinished flows have come to, of all of them together and of the first of them.
// Invariant: rates are payload that has arrived over the time since a flow's start; a flow that starts now has none.

/** What is known of an unfinished flow (execution/unfinished-flows.ts). */
export interface UnfinishedFlowFigures {
  readonly id: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly deliveredBytes: number | null;
}

export interface UnfinishedFigures {
  readonly flows: number;
  readonly sizeBytes: number;
  /** null: the network does not tell */
  readonly deliveredBytes: number | null;
  /** bit/s of payload since their starts; null: none has started, or it is not known */
  readonly rateBps: { readonly least: number; readonly mean: number; readonly most: number } | null;
  /** the first of them in order of their numbers, at most mostListed */
  readonly first: readonly (UnfinishedFlowFigures & { readonly rateBps: number | null })[];
}

/** Flows that are listed one by one; the table `unfinished` has all. */
const mostListed = 100;

/** The rate of a flow's payload since its start, in bit/s; null: it has not started, or nobody knows. */
function sinceStartBps(
  { startPs, deliveredBytes }: Pick<UnfinishedFlowFigures, 'startPs' | 'deliveredBytes'>,
  nowPs: number,
): number | null {
  return deliveredBytes === null || nowPs <= startPs ? null : (deliveredBytes * 8e12) / (nowPs - startPs);
}

/** @returns null if there are none */
export function unfinishedFigures(flows: readonly UnfinishedFlowFigures[], nowPs: number): UnfinishedFigures | null {
  if (flows.length === 0) return null;
  let [sizeBytes, deliveredBytes, started, sumBps] = [0, 0, 0, 0];
  let [least, most] = [Infinity, 0];
  let isKnown = true;
  for (const flow of flows) {
    sizeBytes += flow.sizeBytes;
    deliveredBytes += flow.deliveredBytes ?? 0;
    isKnown &&= flow.deliveredBytes !== null;
    const rateBps = sinceStartBps(flow, nowPs);
    if (rateBps === null) continue;
    started++;
    sumBps += rateBps;
    least = Math.min(least, rateBps);
    most = Math.max(most, rateBps);
  }
  return {
    flows: flows.length,
    sizeBytes,
    deliveredBytes: isKnown ? deliveredBytes : null,
    rateBps: started === 0 ? null : { least, mean: sumBps / started, most },
    first: flows.slice(0, mostListed).map(({ id, source, destination, sizeBytes: bytes, startPs, ...arrived }) => ({
      id,
      source,
      destination,
      sizeBytes: bytes,
      startPs,
      deliveredBytes: arrived.deliveredBytes,
      rateBps: sinceStartBps({ startPs, deliveredBytes: arrived.deliveredBytes }, nowPs),
    })),
  };
}
