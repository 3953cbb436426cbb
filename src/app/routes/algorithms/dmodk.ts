// dmodk: destinations spread by their numbers (routing/d-mod-k.ts).

import { routeDmodK } from '../../../routing/d-mod-k.js';
import { eachOffset, type FabricAlgorithm } from '../route-algorithm.js';

export const dmodk = {
  kind: 'fabric',
  name: 'dmodk',
  about: 'by the digits of the destination',
  detours: true,
  make: (source) => eachOffset(source, (offset) => routeDmodK(source.tree, offset)),
} as const satisfies FabricAlgorithm;
