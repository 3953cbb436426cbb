// A path for each of several flows, of those that it may take, such that no two share a hop.
// Invariant: one is found if there is one, unless the search gives up at its budget.
// Source: backtracking, the flow with the fewest paths left first (R. Haralick, G. Elliott, Artificial Intelligence 14,
// 1980).

/** A path of a flow: the hops that it would hold, and the lowest source port that leads there. */
export interface PathChoice {
  readonly port: number;
  readonly hops: readonly number[];
}

/** Tries of a search before it gives up. */
const mostTries = 500;

/**
 * Chooses a path for each flow such that no hop is taken twice.
 * @param choices of each flow
 * @returns which, by flow; null if there is none, or none was found in time
 */
export function disjointChoices(choices: readonly (readonly PathChoice[])[]): readonly PathChoice[] | null {
  const taken = new Set<number>();
  const chosen: (PathChoice | null)[] = choices.map(() => null);
  let tries = 0;
  const isOpen = ({ hops }: PathChoice): boolean => hops.every((hop) => !taken.has(hop));
  const next = (): { flow: number; open: readonly PathChoice[] } | null => {
    let fewest: { flow: number; open: readonly PathChoice[] } | null = null;
    for (let flow = 0; flow < choices.length; flow++) {
      if (chosen[flow] !== null) continue;
      const open = choices[flow]!.filter(isOpen);
      if (fewest === null || open.length < fewest.open.length) fewest = { flow, open };
      if (open.length === 0) break;
    }
    return fewest;
  };
  const search = (): boolean => {
    const step = next();
    if (step === null) return true;
    for (const choice of step.open) {
      if (++tries > mostTries) return false;
      chosen[step.flow] = choice;
      for (const hop of choice.hops) taken.add(hop);
      if (search()) return true;
      for (const hop of choice.hops) taken.delete(hop);
      chosen[step.flow] = null;
    }
    return false;
  };
  return search() ? (chosen as PathChoice[]) : null;
}
