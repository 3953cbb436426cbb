// Large groups are looked at in part by closed forms: their edges are alike.

/** So many moves of a step stand for all of them, about. */
export const mostMoves = 4096;

/** An odd stride that looks at about mostMoves of so many. */
export function strideOver(count: number): number {
  const stride = Math.ceil(count / mostMoves);
  return stride <= 1 ? 1 : stride | 1;
}
