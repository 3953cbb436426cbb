// Sets of links that some flows have to cross, each on one of them: what leads up from a leaf or out of a pod, and what
// leads back in. Flows are put on their ways one after the other (flow-placement.ts); whether those that are left still
// fit shows before they are tried.
// Invariant: `leavesRoom` is false only if the flows from one on cannot all be put on the links of a cut.

/** Links, and by flow and one more: what this flow and all later ones bring to them. */
interface Cut {
  readonly ports: number[];
  readonly weight: Float64Array;
  readonly count: Int32Array;
  readonly lightest: Float64Array;
}

/** A kind of cut: leaves or pods, up or down. */
export interface CutKind {
  /** place of the cut that a port belongs to; -1 = none */
  readonly ofPort: (port: number) => number;
  /** place of the cut that a flow crosses; -1 = none */
  readonly ofFlow: (flow: number) => number;
}

export class CrossedCuts {
  /** by flow: the cuts that it crosses */
  private readonly crossed: readonly (readonly Cut[])[];

  /** @param weight of the flows, heaviest first @param slack what rounding may add to a sum, as a factor */
  constructor(
    kinds: readonly CutKind[],
    ports: readonly number[],
    weight: Float64Array,
    private readonly slack: number,
  ) {
    const flowCount = weight.length;
    const crossed: Cut[][] = Array.from({ length: flowCount }, () => []);
    for (const { ofPort, ofFlow } of kinds) {
      const cuts = new Map<number, Cut>();
      for (const port of ports) {
        const place = ofPort(port);
        if (place === -1) continue;
        const cut = cuts.get(place) ?? emptyCut(flowCount);
        cut.ports.push(port);
        cuts.set(place, cut);
      }
      for (let flow = flowCount - 1; flow >= 0; flow--) {
        const own = cuts.get(ofFlow(flow));
        for (const cut of cuts.values()) {
          cut.weight[flow] = cut.weight[flow + 1]! + (cut === own ? weight[flow]! : 0);
          cut.count[flow] = cut.count[flow + 1]! + (cut === own ? 1 : 0);
          // flows become lighter, so that the last one of a cut is its lightest
          cut.lightest[flow] = Math.min(cut.lightest[flow + 1]!, cut === own ? weight[flow]! : Infinity);
        }
        if (own !== undefined) crossed[flow]!.push(own);
      }
    }
    this.crossed = crossed;
  }

  /**
   * Whether what is left of a cut may be enough, for all cuts that one flow crosses.
   * @param next the first flow that is not placed yet @param room what each port can still take
   */
  leavesRoom(flow: number, next: number, room: (port: number) => number): boolean {
    for (const { ports, weight, count, lightest } of this.crossed[flow]!) {
      const least = lightest[next]!;
      if (least === Infinity) continue;
      let sum = 0;
      let places = 0;
      for (const port of ports) {
        const own = room(port) * this.slack;
        if (own < least) continue;
        sum += own;
        places += Math.floor(own / least);
      }
      if (sum < weight[next]! || places < count[next]!) return false;
    }
    return true;
  }
}

function emptyCut(flowCount: number): Cut {
  return {
    ports: [],
    weight: new Float64Array(flowCount + 1),
    count: new Int32Array(flowCount + 1),
    lightest: new Float64Array(flowCount + 1).fill(Infinity),
  };
}
