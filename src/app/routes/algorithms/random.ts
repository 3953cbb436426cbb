// random: a baseline (routing/random-minimal.ts).

import { routeRandom } from '../../../routing/random-minimal.js';
import { eachOffset, type FabricAlgorithm } from '../route-algorithm.js';

export const random = {
  kind: 'fabric',
  name: 'random',
  about: 'a random minimal port',
  detours: true,
  make: (source, seed) => eachOffset(source, (offset) => routeRandom(source.tree, seed, offset)),
} as const satisfies FabricAlgorithm;
