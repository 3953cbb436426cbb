// What several rules of packet settings ask of a scenario before they say that a setting has no effect.

import { valuesOfGroup } from '../../../base/settings.js';
import type { Situation } from '../../backend-declaration.js';
import { sfcSettings } from '../flow-control/sfc/sfc-settings.js';
import { uecSettings } from '../transport/uec/uec-settings.js';

export const isUec = ({ settings }: Situation): boolean => settings.transport.algorithm === 'uec';
export const uecControl = (situation: Situation): string =>
  valuesOfGroup(situation.settings.own, 'uec', uecSettings).control;
/** The sender has a window by delay and marks (NSCC). */
export const hasUecWindow = (situation: Situation): boolean => ['nscc', 'both'].includes(uecControl(situation));
export const marksNothing = ({ settings }: Situation): boolean => !settings.ecn.enabled;
export const hasSfc = ({ settings }: Situation): boolean => settings.flowControl.includes('sfc');
const sfcReaction = ({ settings }: Situation): string => valuesOfGroup(settings.own, 'sfc', sfcSettings).reaction;
/** Proxies of source flow control send PFC frames of their own. */
export const hasProxies = (situation: Situation): boolean => hasSfc(situation) && sfcReaction(situation) === 'proxy';
export const pausesNothing = ({ settings }: Situation): boolean => !settings.pfc.enabled;
export const withoutPfc = ({ settings }: Situation): string =>
  settings.flowControl.includes('pfc') ? 'pfc.enabled is false' : 'flowControl has no pfc';
