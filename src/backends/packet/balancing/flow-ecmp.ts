// Equal-cost multipath as it suits a run: the same choices at different costs (ecmp.ts says which).

import { EcmpBalancing, type EcmpParts } from './ecmp.js';
import { HopByHopEcmp } from './ecmp-by-hop.js';
import { SourceRoutedEcmp } from './ecmp-source-routes.js';
import type { PacketParts } from '../parts.js';
import type { Balancing } from '../plug-ins.js';

/** ECMP by connection; a hash per hop only where routes or source ports change while packets are under way. */
export function flowEcmp(parts: EcmpParts & Pick<PacketParts, 'pathsMayChange'>): Balancing {
  if (parts.pathsMayChange) return new HopByHopEcmp(parts);
  return SourceRoutedEcmp.fits(parts.tracer) ? new SourceRoutedEcmp(parts) : new EcmpBalancing(parts);
}
