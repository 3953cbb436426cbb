// Every transport of the catalogue, variants that settings make of one, and one that is added from outside pass the
// suite of transports.

import { settingDefaults } from '../../src/base/settings.js';
import { mechanisms, type Mechanisms } from '../../src/backends/packet/mechanisms.js';
import { irnSettings } from '../../src/backends/packet/transport/irn.js';
import { deliversInOrder } from '../../validation/watched-transport.js';
import { selectiveRepeat } from '../seams/selective-repeat.js';
import { checkTransport } from './transport-suite.js';

const irn = settingDefaults(irnSettings);

for (const [name, mechanism] of Object.entries((mechanisms as Mechanisms).transports))
  checkTransport(name, { mechanism, inOrder: deliversInOrder.includes(name) });

checkTransport('irn that rewinds', {
  mechanism: mechanisms.transports.irn,
  inOrder: false,
  own: { irn: { ...irn, recovery: 'rewind' } },
});
checkTransport('irn that waits for a few NACKs', {
  mechanism: mechanisms.transports.irn,
  inOrder: false,
  own: { irn: { ...irn, nackThreshold: 8 } },
});
checkTransport('selective repeat from outside', { mechanism: selectiveRepeat, inOrder: false });
