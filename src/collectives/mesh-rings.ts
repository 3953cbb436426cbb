// Rings over a full mesh of GPUs that share no link direction: n GPUs have n (n - 1) of them, so n - 1 rings at most.
// They exist for every n but 4 and 6 (T. W. Tillson, "A Hamiltonian decomposition of K*2m, 2m >= 8", Journal of
// Combinatorial Theory B 29, 1980), which have one less. RCCL runs its rings over all xGMI links of a server alike.
// Found by drawing rings from what is left, the nodes with the fewest links left first, until none is left; that is
// tried again until all links are used, at most mostTries times. The same n gives the same rings.

import { RandomStream } from '../base/random.js';

const mostTries = 200;
/** larger meshes are not looked at: nobody builds one */
const mostGpus = 32;
const mostSteps = 2000;

const found = new Map<number, readonly (readonly number[])[]>();

/** Rings over n GPUs that are all cabled to each other; none for fewer than 3 or more than 32. */
export function meshRings(n: number): readonly (readonly number[])[] {
  let rings = found.get(n);
  if (rings === undefined) {
    rings = n < 3 || n > mostGpus ? [] : drawRings(n);
    found.set(n, rings);
  }
  return rings;
}

function drawRings(n: number): number[][] {
  const random = new RandomStream(n, 'mesh rings');
  const most = n === 4 || n === 6 ? n - 2 : n - 1;
  let best: number[][] = [];
  for (let tries = 0; tries < mostTries && best.length < most; tries++) {
    const rings = drawUntilNone(n, random);
    if (rings.length > best.length) best = rings;
  }
  return best;
}

function drawUntilNone(n: number, random: RandomStream): number[][] {
  // by source n + destination: 1 while no ring has the link
  const isFree = new Uint8Array(n * n).fill(1);
  const rings: number[][] = [];
  for (let ring = drawRing(n, isFree, random); ring !== null; ring = drawRing(n, isFree, random)) {
    rings.push(ring);
    ring.forEach((place, i) => {
      isFree[place * n + ring[(i + 1) % n]!] = 0;
    });
  }
  return rings;
}

function drawRing(n: number, isFree: Uint8Array, random: RandomStream): number[] | null {
  const path = [0];
  const isUsed = new Uint8Array(n);
  isUsed[0] = 1;
  let steps = 0;
  const linksLeft = (place: number): number => {
    let links = 0;
    for (let other = 0; other < n; other++) if (other !== place) links += isFree[place * n + other]!;
    return links;
  };
  const goOn = (): boolean => {
    if (++steps > mostSteps) return false;
    const at = path.at(-1)!;
    if (path.length === n) return isFree[at * n] === 1;
    const next: { place: number; rank: number }[] = [];
    for (let place = 1; place < n; place++)
      if (isUsed[place] === 0 && isFree[at * n + place] === 1)
        next.push({ place, rank: random.nextFraction() * 0.9 - linksLeft(place) });
    next.sort((a, b) => a.rank - b.rank);
    for (const { place } of next) {
      isUsed[place] = 1;
      path.push(place);
      if (goOn()) return true;
      path.pop();
      isUsed[place] = 0;
    }
    return false;
  };
  return goOn() ? path : null;
}
