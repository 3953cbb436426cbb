// When settings of congestion controls cannot change what a run does, and what settings of marks need to know of them.

import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import type { CongestionMechanism } from '../mechanism.js';
import { mechanismNamed, type Mechanisms } from '../mechanisms.js';
import { isUec, marksNothing } from './situations.js';
import { patternsOf } from './unchosen.js';

type Controls = Mechanisms['congestionControls'];

/** The congestion control that a scenario chooses. */
export const controlOf = (controls: Controls, { settings }: Situation): CongestionMechanism =>
  mechanismNamed('congestion control', controls, settings.congestion.algorithm);

/** Nothing that a queue pair does follows its rate, which is that of its NIC with a transport of its own window. */
export const ignoresRate = (controls: Controls, situation: Situation): boolean =>
  !isUec(situation) && controlOf(controls, situation).sets !== 'window' && ignoresRateOfControl(situation);
const ignoresRateOfControl = ({ settings: { queuePair } }: Situation): boolean =>
  !queuePair.rateBound && (!queuePair.variableWindow || queuePair.window === 'unlimited');

/** The rules that hold for congestion controls by what their entries say. */
export function congestionRules(controls: Controls): NoEffectRule[] {
  const ofThose = (isMeant: (control: CongestionMechanism) => boolean): string[] =>
    patternsOf(Object.fromEntries(Object.entries(controls).filter(([, control]) => isMeant(control))));
  return [
    {
      settings: ['congestion.algorithm', ...patternsOf(controls)],
      causes: ['transport.algorithm'],
      when: isUec,
      because: 'the transport uec has a congestion control of its own (uec.control)',
    },
    ...Object.values(controls).flatMap(({ noEffect = [] }) => noEffect),
    {
      settings: ofThose(({ readsMarks = false }) => readsMarks),
      causes: ['ecn.enabled'],
      when: marksNothing,
      because: 'without ECN no packet is marked and no rate changes',
    },
    {
      settings: ['congestion.algorithm', ...ofThose(({ sets }) => sets === 'rate')],
      causes: ['queuePair.rateBound', 'queuePair.variableWindow', 'queuePair.window'],
      when: (situation) => ignoresRate(controls, situation),
      because: 'neither pacing nor the window follows the rate',
    },
  ];
}
