// CollNet beside published bandwidths, flow by flow.

import { it } from 'vitest';
import { expectSharpBandwidth } from '../support/collnet-bandwidth.js';

it('an allreduce by CollNet over 64 H100 is as fast as with SHARP, and faster than without: fluid', () =>
  expectSharpBandwidth('fluid'));
