// The `failures` block -> changes of links in order of time: failed and repaired links, switches and planes, flaps,
// degraded links.
// Invariants: every down has at most one up, after it; degradations of one link do not overlap; a degraded link is
// never faster than built.

import { Section } from '../form/section.js';
import type { DiagnosticDetail, Diagnostics } from '../../base/diagnostics.js';
import { formatRateBps } from '../../base/units.js';
import type { Failures } from '../../execution/failure-schedule.js';
import type { Fabric } from '../../fabric/fabric.js';
import { LinkChangeKind } from '../../fabric/link-states.js';
import { NodeNames } from '../../fabric/node-names.js';
import { linksNamed, linksOfPlane, linksOfSwitch, type Target } from './failure-targets.js';
import type { Planned } from './plan-fabric.js';
import { nodeNameDetail } from './node-references.js';
import { groupText } from '../../base/quantity-text.js';
import type { Scenario } from '../form/read-scenario.js';
import { failureEventSettings, failureTargets, runSettings } from '../form/schema.js';

/** changes of links in one plan: flapping planes multiply */
const mostChanges = 1_000_000;

interface Change {
  readonly timePs: number;
  readonly link: number;
  readonly kind: number;
  readonly value: number;
}

/** A time in which a link is degraded. */
interface Degradation {
  readonly fromPs: number;
  readonly untilPs: number;
}

/** Resolves the failures of a scenario. @returns null after at least one error */
export function planFailures(scenario: Scenario, fabric: Fabric, diagnostics: Diagnostics): Planned<Failures> | null {
  const { root, faulty } = scenario;
  const block = new Section(root, ['failures'], diagnostics);
  if (faulty.has('failures')) return null;
  const errorsBefore = diagnostics.errorCount;
  const { convergenceTime } = block.group(runSettings.failures);
  const list = block.node('events');
  const count = list?.kind === 'list' ? list.items.length : 0;
  const changes: Change[] = [];
  const degraded = new Map<string, Degradation[]>();
  const names = new NodeNames(fabric);
  const resolved: Record<string, unknown>[] = [];
  let tooMany = false;
  for (let i = 0; i < count && !diagnostics.full && !tooMany; i++) {
    const event = readEvent(block.at('events', i), fabric, names, changes, degraded);
    if (event === null) tooMany = true;
    else resolved.push(event);
  }
  if (tooMany)
    block.keyError('events', 'failure-too-many', `the failures come to more than ${mostChanges} changes of links`, {
      wanted: 'fewer repetitions or smaller targets',
    });
  if (diagnostics.errorCount > errorsBefore) return null;
  changes.sort((a, b) => a.timePs - b.timePs);
  return {
    value: { convergencePs: convergenceTime, changes: inColumns(changes) },
    resolved: {
      ...groupText(runSettings.failures, { convergenceTime }),
      ...(resolved.length === 0 ? {} : { events: resolved }),
    },
  };
}

function inColumns(changes: readonly Change[]): Failures['changes'] {
  return {
    count: changes.length,
    timePs: Float64Array.from(changes, ({ timePs }) => timePs),
    link: Int32Array.from(changes, ({ link }) => link),
    kind: Uint8Array.from(changes, ({ kind }) => kind),
    value: Float64Array.from(changes, ({ value }) => value),
  };
}

/** Adds what an event changes. @returns the event as it was resolved; null if it comes to too many changes */
function readEvent(
  block: Section,
  fabric: Fabric,
  names: NodeNames,
  changes: Change[],
  degraded: Map<string, Degradation[]>,
): Record<string, unknown> | null {
  const values = block.group(failureEventSettings);
  const given = (name: string): boolean => block.has(name);
  const wrong = (name: string, code: string, message: string, detail: DiagnosticDetail): void =>
    block.error(name, code, message, detail);
  const { at, until, every, times } = values;
  const isFlapping = every > 0;
  const endPs = given('until') ? until : Infinity;
  if (endPs <= at) wrong('until', 'failure-order', 'it ends before it begins', { wanted: 'until after at' });
  if (isFlapping && endPs === Infinity)
    wrong('every', 'failure-flap', 'a link that flaps must come back', { wanted: 'until, beside every' });
  else if (isFlapping && at + every < endPs)
    wrong('every', 'failure-flap', 'it begins again before it has ended', { wanted: 'every of at least until - at' });
  if (!isFlapping && times > 1)
    wrong('times', 'failure-flap', 'times has no meaning without every', {
      hint: 'give every, the time from one failure to the next',
    });
  const target = targetOf(block, fabric, names, given);
  const resolved = Object.fromEntries(
    Object.entries(groupText(failureEventSettings, values)).filter(([name]) => given(name)),
  );
  for (const { name } of failureTargets)
    if (given(name)) resolved[name] = block.word(name) ?? Number((block.node(name) as { value: number }).value);
  if (target === null) return resolved;
  if (!('links' in target.found)) {
    const { message = `${target.name} names nothing in the fabric` } = target.found;
    wrong(target.name, 'failure-target', message, nodeNameDetail(target.found));
    return resolved;
  }
  const before = changes.length;
  for (let round = 0; round < times; round++) {
    const span = { fromPs: at + round * every, untilPs: endPs + round * every };
    for (const link of target.found.links)
      if (!befall(block, fabric, link, span, values, changes, degraded)) return resolved;
    // every round is like the first
    if (round === 0 && before + times * (changes.length - before) > mostChanges) return null;
  }
  return resolved;
}

/** What an event does to one link in one of its rounds. @returns false upon a mistake, which has been told */
function befall(
  block: Section,
  fabric: Fabric,
  link: number,
  { fromPs, untilPs }: { readonly fromPs: number; readonly untilPs: number },
  { rate, errorRate }: { readonly rate: number; readonly errorRate: number },
  changes: Change[],
  degraded: Map<string, Degradation[]>,
): boolean {
  const { down, up, rate: rateKind, errorRate: errorKind } = LinkChangeKind;
  const isFree = (what: string, wanted: string): boolean => {
    if (!overlaps(degraded, `${what} ${link}`, fromPs, untilPs)) return true;
    block.error('at', 'failure-overlap', 'the link is degraded already at that time', { wanted });
    return false;
  };
  if (!block.has('rate') && !block.has('errorRate')) push(changes, link, fromPs, untilPs, down, up, 0, 0);
  if (block.has('rate')) {
    const builtBps = fabric.linkRateBps[link]!;
    if (rate > builtBps) {
      block.error('rate', 'failure-rate', 'a degraded link is not faster than built', {
        got: formatRateBps(rate),
        wanted: `at most ${formatRateBps(builtBps)}`,
      });
      return false;
    }
    if (!isFree('rate', 'one rate of a link at a time')) return false;
    push(changes, link, fromPs, untilPs, rateKind, rateKind, rate, builtBps);
  }
  if (block.has('errorRate')) {
    if (!isFree('error', 'one error rate of a link at a time')) return false;
    push(changes, link, fromPs, untilPs, errorKind, errorKind, errorRate, fabric.linkErrorRate[link]!);
  }
  return true;
}

function push(
  changes: Change[],
  link: number,
  fromPs: number,
  untilPs: number,
  kind: number,
  endKind: number,
  value: number,
  endValue: number,
): void {
  changes.push({ timePs: fromPs, link, kind, value });
  if (untilPs !== Infinity) changes.push({ timePs: untilPs, link, kind: endKind, value: endValue });
}

function overlaps(degraded: Map<string, Degradation[]>, key: string, fromPs: number, untilPs: number): boolean {
  const list = degraded.get(key) ?? [];
  if (list.some((other) => fromPs < other.untilPs && other.fromPs < untilPs)) return true;
  degraded.set(key, [...list, { fromPs, untilPs }]);
  return false;
}

/** The one target of an event; null after an error. */
function targetOf(
  block: Section,
  fabric: Fabric,
  names: NodeNames,
  given: (name: string) => boolean,
): { readonly name: string; readonly found: Target } | null {
  const targets = failureTargets.map(({ name }) => name).filter(given);
  const [name] = targets;
  if (name === undefined || targets.length > 1) {
    block.error(
      [],
      'failure-target',
      name === undefined ? 'the failure names no link, switch or plane' : `the failure names ${targets.join(' and ')}`,
      { wanted: 'one of link, switch, plane' },
    );
    return null;
  }
  const node = block.node(name);
  if (name === 'link') return { name, found: linksNamed(fabric, names, block.word(name) ?? '') };
  const number = node?.kind === 'scalar' ? Number(node.value) : NaN;
  return { name, found: name === 'switch' ? linksOfSwitch(fabric, names, number) : linksOfPlane(fabric, number) };
}
