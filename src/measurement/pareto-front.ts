// Which of several choices nobody would rule out: no other is at least as good in every figure and better in one.
// Invariant: choices that are the same in all figures are in the front together, or not at all.

/**
 * The front of choices, less being better in every figure (turn the sign of others).
 * @param choices a number for each figure, each as many
 * @returns their places, by the first figure, then by the next
 */
export function paretoFront(choices: readonly (readonly number[])[]): number[] {
  const order = choices.map((_, i) => i);
  order.sort((i, j) => compared(choices[i]!, choices[j]!) || i - j);
  const front: number[] = [];
  // whoever rules out a choice stands before it
  for (const i of order) if (!front.some((other) => rulesOut(choices[other]!, choices[i]!))) front.push(i);
  return front;
}

function compared(a: readonly number[], b: readonly number[]): number {
  const k = a.findIndex((own, i) => own !== b[i]);
  return k < 0 ? 0 : a[k]! - b[k]!;
}

function rulesOut(a: readonly number[], b: readonly number[]): boolean {
  return a.every((own, k) => own <= b[k]!) && a.some((own, k) => own < b[k]!);
}
