// Settings of the packet backend that cannot work together, or not on a fabric: packets that no buffer holds, headroom
// above the buffer, pauses that no frame can carry, rates above links, probes that would end before they begin.
// Invariant: without these problems the pool of every switch is above zero, and every pause has a number of quanta that
// a frame can carry.

import { sizeText, timeText } from '../../base/quantity-text.js';
import { formatRateBps, formatSizeBytes, formatTimePs } from '../../base/units.js';
import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import { switchRates } from '../../fabric/switch-rates.js';
import type { FoundProblem, SettingPath, SettingsInUse } from '../backend-declaration.js';
import { pollingProblems } from '../polling/polling-rules.js';
import { balancingProblems } from './balancing/balancing-problems.js';
import { lossProblems } from './loss/loss-problems.js';
import { mostPauseQuanta, pauseQuanta, quantaPs } from './flow-control/pause-timers.js';
import { probeTables } from './probes/probes.js';
import { longestPacketBytes, pausablePriorities, setApartBytes } from './switch/headroom.js';
import type { PacketSettings } from './settings.js';
import { ownSettings } from './mechanism.js';
import { mechanismNamed, type Mechanisms } from './mechanisms.js';
import { timeoutProblems } from './transport/timeout-problems.js';
import { windowProblems } from './window-problems.js';

/** What is wrong; a fabric with mistakes of its own is left out. */
export function packetProblems(use: SettingsInUse, catalogue: Mechanisms): FoundProblem[] {
  const { fabric, settings } = use;
  const problems = [
    bufferProblem(settings),
    probeProblem(use),
    fastForwardProblem(use),
    ...lossProblems(settings),
    ...balancingProblems(use),
    ...timeoutProblems(use),
    ...windowProblems(use, catalogue),
    ...pollingProblems(use),
  ];
  if (fabric !== null)
    problems.push(
      headroomProblem(fabric, settings),
      ...(settings.pfc.enabled && settings.pfc.pauseTime > 0 ? pauseProblems(fabric, settings) : []),
      rateProblem(fabric, settings, catalogue),
    );
  return problems.filter((problem) => problem !== null);
}

/** What is replayed sends nothing: nobody can look at it, and nothing else may be in its way. */
function fastForwardProblem({ given, settings, failures }: SettingsInUse): FoundProblem | null {
  if (!settings.fastForward.enabled || !(given.has(['workload']) || given.has(['jobs']))) return null;
  const reasons: readonly (readonly [boolean, SettingPath, string])[] = [
    [given.has(['traffic']), ['traffic'], 'traffic beside jobs, which is in the way of what they send'],
    [given.has(['inference']), ['inference'], 'requests beside jobs, which are in the way of what they send'],
    [given.has(['jobs', 1]), ['jobs'], 'several jobs, which are in the way of each other'],
    [(failures?.changes.count ?? 0) > 0, ['failures', 'events'], 'links that change during the run'],
    [isOn(given, ['controller', 'enabled']), ['controller', 'enabled'], 'a controller that knows of all flows'],
    [probeTables(settings.probes).length > 0, ['probes'], 'probes, which would see what is simulated alone'],
    [settings.polling.interval > 0, ['polling', 'interval'], 'counters that are read, of which most is not sent'],
    [settings.sampling.variant !== 'off', ['sampling', 'variant'], 'packets with samples, of which most are not sent'],
    [isOn(given, ['timeline', 'moves']), ['timeline', 'moves'], 'rows of moves, of which most are not sent'],
  ];
  const reason = reasons.find(([isSo]) => isSo);
  if (reason === undefined) return null;
  return {
    severity: 'error',
    code: 'fast-forward',
    at: [reason[1], ['fastForward', 'enabled']],
    message: `fastForward replays phases of one job that is alone; here are ${reason[2]}`,
    wanted: 'a workload alone, without probes and failures',
    hint: 'leave it out, or set fastForward.enabled to false',
  };
}

const isOn = (given: SettingsInUse['given'], path: SettingPath): boolean => given.text(path) === 'true';

function bufferProblem({ packet, switch: { buffer } }: PacketSettings): FoundProblem | null {
  const packetBytes = packet.payload + packet.header;
  if (packetBytes <= buffer) return null;
  return {
    severity: 'error',
    code: 'packet-above-buffer',
    at: [
      ['switch', 'buffer'],
      ['packet', 'payload'],
      ['packet', 'header'],
    ],
    message: `a packet of ${sizeText(packetBytes)} (payload and header) does not fit into a switch buffer of ${sizeText(buffer)}`,
    wanted: 'switch.buffer of at least one packet',
  };
}

/** Headroom and reserves are set apart from the buffer: something must remain. */
function headroomProblem(fabric: Fabric, settings: PacketSettings): FoundProblem | null {
  const { packet, pfc } = settings;
  const { buffer } = settings.switch;
  if (packet.payload + packet.header > buffer) return null;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] !== NodeKind.switch) continue;
    let setApart = 0;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
      setApart += setApartBytes(fabric, port, settings);
    if (setApart < buffer) continue;
    const ports = fabric.portOffset[node + 1]! - fabric.portOffset[node]!;
    return {
      severity: 'error',
      code: 'headroom-above-buffer',
      at: [
        ['switch', 'buffer'],
        ...(pfc.headroom === 'delays' ? [['pfc', 'headroomDelays']] : [['pfc', 'responseTime']]),
        ['pfc', 'reserve'],
        ['pfc', 'headroom'],
      ],
      message: `headroom and reserves of the ${ports} ports of node ${node} need ${formatSizeBytes(setApart)}, its buffer has ${formatSizeBytes(buffer)}`,
      wanted: 'a buffer larger than the headroom and reserves of all ports',
      hint:
        'raise ' +
        `switch.buffer${pfc.headroom === 'delays' ? ', or lower pfc.headroomDelays' : ', or lower pfc.responseTime'} ` +
        'or pfc.reserve (headroom grows with the rate and latency of the links)',
    };
  }
  return null;
}

/** A pause must fit into its frame, and last until it is repeated. */
function pauseProblems(fabric: Fabric, settings: PacketSettings): FoundProblem[] {
  const { pauseTime } = settings.pfc;
  const ratesBps = switchRates(fabric);
  const fastest = ratesBps[ratesBps.length - 1];
  const slowest = ratesBps[0];
  if (fastest === undefined || slowest === undefined) return [];
  const at = [['pfc', 'pauseTime']];
  const problems: FoundProblem[] = [];
  if (pauseQuanta(pauseTime, fastest) > mostPauseQuanta)
    problems.push({
      severity: 'error',
      code: 'pause-too-long',
      at,
      message:
        `a pause of ${formatTimePs(pauseTime)} has ${pauseQuanta(pauseTime, fastest)} quanta of 512 bit times at ` +
        `${formatRateBps(fastest)}; a frame carries up to ${mostPauseQuanta}`,
      got: formatTimePs(pauseTime),
      wanted: `at most ${quantaPs(mostPauseQuanta, fastest) / 1e6}us with links of ${formatRateBps(fastest)}, or 0us, which lasts until the port is resumed`,
    });
  // it is repeated after half of its time, behind a packet on the wire and the frames of other priorities
  const { gap, pauseFrame } = settings.packet;
  const waitPs =
    ((longestPacketBytes(settings) + gap + pausablePriorities(settings) * (pauseFrame + gap)) * 8e12) / slowest;
  if (pauseTime < 2 * waitPs)
    problems.push({
      severity: 'warning',
      code: 'pause-too-short',
      at,
      message:
        `a pause of ${formatTimePs(pauseTime)} can run out before it is repeated: the repetition waits up to ` +
        `${formatTimePs(Math.ceil(waitPs))} for a packet on a wire of ${formatRateBps(slowest)}`,
      wanted: `at least ${formatTimePs(Math.ceil(2 * waitPs))} to be lossless`,
    });
  return problems;
}

/** The chosen congestion control must leave a sender the rate of its link. */
function rateProblem(
  fabric: Fabric,
  settings: PacketSettings,
  { congestionControls }: Mechanisms,
): FoundProblem | null {
  const { settings: groups = {} } = mechanismNamed(
    'congestion control',
    congestionControls,
    settings.congestion.algorithm,
  );
  const [group, list] = Object.entries(groups).find(([, own]) => Object.hasOwn(own, 'minimumRate')) ?? [];
  if (group === undefined || list === undefined) return null;
  const minimumRate = Number(ownSettings(settings, group, list)['minimumRate']);
  let slowest = Infinity;
  for (const host of fabric.hosts) {
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++)
      slowest = Math.min(slowest, fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  if (minimumRate <= slowest) return null;
  return {
    severity: 'error',
    code: 'minimum-rate-above-link',
    at: [
      [group, 'minimumRate'],
      ['congestion', 'algorithm'],
    ],
    message: `${group}.minimumRate is above the rate of a host's link, ${formatRateBps(slowest)}`,
    got: formatRateBps(minimumRate),
    wanted: `at most ${formatRateBps(slowest)}`,
  };
}

/** Probes must end after they begin. */
function probeProblem({ given, settings: { probes } }: SettingsInUse): FoundProblem | null {
  const { start, end } = probes;
  if (end === 0 || end > start) return null;
  const path = ['probes', given.has(['probes', 'end']) ? 'end' : 'start'];
  const got = given.text(path);
  return {
    severity: 'error',
    code: 'probes-end',
    at: [path],
    message: `probes.end (${timeText(end)}) is not after probes.start (${timeText(start)})`,
    ...(got === undefined ? {} : { got }),
    wanted: 'an end after the start, or 0 for the end of the run',
  };
}
