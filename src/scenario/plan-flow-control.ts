// Checks of priority flow control against the fabric: what is set apart must leave something of the buffer, and a pause
// must fit into its frame and last until it is repeated.
// Invariant: after these checks the pool of every switch is above zero, and every pause has a number of quanta that a
// frame can carry.

import { mostPauseQuanta, pauseQuanta, quantaPs } from '../backends/packet/flow-control/pause-timers.js';
import { longestPacketBytes, pausablePriorities, setApartBytes } from '../backends/packet/headroom.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { formatRateBps, formatSizeBytes, formatTimePs } from '../base/units.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { givenPlace } from './cause-place.js';
import { errorAt, warningAt, type LocatedMap } from './located.js';
import { switchRates } from './plan-marking.js';

/** Checks the settings of `pfc` and the buffers against the links of a fabric. */
export function checkFlowControl(
  root: LocatedMap,
  fabric: Fabric,
  settings: PacketSettings,
  diagnostics: Diagnostics,
): void {
  checkBuffers(root, fabric, settings, diagnostics);
  if (settings.pfc.enabled && settings.pfc.pauseTime > 0) checkPauseTime(root, fabric, settings, diagnostics);
}

/** Headroom and reserves are set apart from the buffer: something must remain. */
function checkBuffers(root: LocatedMap, fabric: Fabric, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { packet, pfc } = settings;
  const { buffer } = settings.switch;
  if (packet.payload + packet.header > buffer) return;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] !== NodeKind.switch) continue;
    let setApart = 0;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
      setApart += setApartBytes(fabric, port, settings);
    if (setApart < buffer) continue;
    const ports = fabric.portOffset[node + 1]! - fabric.portOffset[node]!;
    errorAt(
      diagnostics,
      'headroom-above-buffer',
      givenPlace(root, [
        ['switch', 'buffer'],
        ...(pfc.headroom === 'delays' ? [['pfc', 'headroomDelays']] : [['pfc', 'responseTime']]),
        ['pfc', 'reserve'],
        ['pfc', 'headroom'],
      ]),
      `headroom and reserves of the ${ports} ports of node ${node} need ${formatSizeBytes(setApart)}, its buffer has ${formatSizeBytes(buffer)}`,
      {
        wanted: 'a buffer larger than what is set apart for the ports',
        hint: `raise switch.buffer${pfc.headroom === 'delays' ? ', or lower pfc.headroomDelays' : ', or lower pfc.responseTime'} or pfc.reserve (headroom grows with the rate and latency of the links)`,
      },
    );
    return;
  }
}

function checkPauseTime(root: LocatedMap, fabric: Fabric, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { pauseTime } = settings.pfc;
  const place = givenPlace(root, [['pfc', 'pauseTime']]);
  const ratesBps = switchRates(fabric);
  const fastest = ratesBps[ratesBps.length - 1];
  const slowest = ratesBps[0];
  if (fastest === undefined || slowest === undefined) return;
  if (pauseQuanta(pauseTime, fastest) > mostPauseQuanta) {
    errorAt(
      diagnostics,
      'pause-too-long',
      place,
      `a pause of ${formatTimePs(pauseTime)} has ${pauseQuanta(pauseTime, fastest)} quanta of 512 bit times at ${formatRateBps(fastest)}; a frame carries up to ${mostPauseQuanta}`,
      {
        got: formatTimePs(pauseTime),
        wanted: `at most ${quantaPs(mostPauseQuanta, fastest) / 1e6}us with links of ${formatRateBps(fastest)}, or 0us: until it is resumed`,
      },
    );
  }
  // it is repeated after half of its time, behind a packet on the wire and the frames of other priorities
  const { gap, pauseFrame } = settings.packet;
  const waitPs =
    ((longestPacketBytes(settings) + gap + pausablePriorities(settings) * (pauseFrame + gap)) * 8e12) / slowest;
  if (pauseTime >= 2 * waitPs) return;
  warningAt(
    diagnostics,
    'pause-too-short',
    place,
    `a pause of ${formatTimePs(pauseTime)} can run out before it is repeated: the repetition waits up to ${formatTimePs(Math.ceil(waitPs))} for a packet on a wire of ${formatRateBps(slowest)}`,
    { wanted: `at least ${formatTimePs(Math.ceil(2 * waitPs))} to be lossless` },
  );
}
