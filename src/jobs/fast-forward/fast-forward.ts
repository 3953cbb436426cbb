// Fast-forward: busy phases of islands that were simulated before, or are being simulated on an island of the same
// shape, are not simulated again. Their ranks are done with their collectives when those of the recorded phase were,
// as much later as the last rank came later (docs/models/fast-forward.md).
// Invariants: a phase is replayed only while everything that was asked of it was asked of the recorded one at the same
// time within the tolerance; what is sampled changes no result; an island over which messages between stages go is
// simulated.
// Exact where islands share nothing that a phase leaves behind. Not modelled: phases that end otherwise because another
// one drew from the same random stream.

import type { JobGroup } from '../job-groups.js';
import type { OpenCollective } from '../open-collective.js';
import type { FastForwardFigures } from './fast-forward-figures.js';
import type { Island } from './islands.js';
import { type LeapEvents, Leaps, type Sending } from './leaps.js';
import { PlanLikenesses, type PlanLikeness } from './plan-likeness.js';
import { comesAlike, compareRecordings, RecordedCollective, Recording } from './recording.js';
import type { FastForwardSettings, ReplayEvents } from './replay-events.js';
import { SampleFigures, Shadow } from './shadow.js';

/** recordings that are kept of phases that begin alike */
const mostKept = 8;
/** phases that come out differently one after the other before the last of them is taken nevertheless */
const mostAttempts = 4;

interface Phase {
  readonly startPs: number;
  /** collectives that were looked at */
  count: number;
  /** it is simulated, and recorded here */
  recording: Recording | null;
  /** it is replayed from here */
  follows: Recording | null;
  shadow: Shadow | null;
}

interface IslandState {
  readonly island: Island;
  /** collectives that a rank has come to and some rank is not done with */
  open: number;
  phase: Phase | null;
  /** samples that still send */
  readonly shadows: Set<Shadow>;
}

/** How a collective goes on. */
interface Course {
  readonly state: IslandState;
  readonly phase: Phase;
  /** ranks that are not done with it */
  left: number;
  /** it sends, before it was known how all its ranks come */
  isEarly: boolean;
  isDecided: boolean;
  isReplayed: boolean;
  /** of one that is recorded */
  entry: RecordedCollective | null;
  /** share of its bytes that its moves carry */
  share: number;
}

export class FastForward {
  private readonly states = new Map<Island, IslandState>();
  private readonly courses = new Map<OpenCollective, Course>();
  /** collectives that are replayed and simulated */
  private readonly shadowOf = new Map<OpenCollective, Shadow>();
  private readonly likenesses = new PlanLikenesses();
  /** by shape, group and plan of the first collective; the latest last */
  private readonly recordings = new Map<string, Recording[]>();
  private readonly samples = new SampleFigures();
  /** null: every transfer of what is not replayed is simulated */
  private readonly leaps: Leaps | null;
  private collectives = 0;
  private replayed = 0;
  private transfers = 0;
  private transfersNotSent = 0;
  private payloadBytes = 0;
  private payloadNotSent = 0;
  private replayedPs = 0;
  private allPs = 0;
  private diverged = 0;

  /** @param islands by group @param events what it asks for */
  constructor(
    private readonly islands: ReadonlyMap<JobGroup, Island>,
    private readonly settings: FastForwardSettings,
    private readonly events: ReplayEvents,
  ) {
    for (const island of new Set(islands.values()))
      this.states.set(island, { island, open: 0, phase: null, shadows: new Set() });
    this.leaps = settings.leapTransfers === 0 ? null : new Leaps(settings.leapTransfers, this.leapEvents());
  }

  private leapEvents(): LeapEvents {
    const { events } = this;
    return {
      abandon: (collective) => {
        // samples would be compared with what was not simulated
        for (const shadow of new Set(this.shadowOf.values())) this.closeShadow(shadow);
        events.abandon(collective);
      },
      over: (collective, endPs) => {
        for (let place = 0; place < collective.group.ranks.length; place++) events.ends(collective, place, endPs);
      },
      goOn: (collective, atPs, share) => {
        this.courses.get(collective)!.share *= share;
        events.goOn(collective, atPs);
      },
    };
  }

  /** Payload of replayed collectives that ranks are done with, in bytes: as if it had been sent. */
  get payloadReplayedBytes(): number {
    return this.payloadNotSent + (this.leaps?.figures().payloadBytes ?? 0);
  }

  figures(): FastForwardFigures {
    const { samples } = this;
    return {
      collectives: this.collectives,
      replayed: this.replayed,
      transfers: this.transfers,
      transfersNotSent: this.transfersNotSent,
      payloadBytes: this.payloadBytes,
      payloadBytesNotSent: Math.round(this.payloadNotSent),
      replayedShare: this.allPs === 0 ? 0 : this.replayedPs / this.allPs,
      diverged: this.diverged,
      leaps: this.leaps?.figures() ?? null,
      samples: { phases: samples.phases, times: samples.times, largest: samples.largest, mean: samples.mean },
    };
  }

  /** A rank has come to a collective, which knows it. */
  came(collective: OpenCollective, nowPs: number): void {
    const known = this.courses.get(collective);
    if (known === undefined) this.begin(collective, nowPs);
    else if (known.isEarly && !known.isDecided && collective.isComplete) {
      this.decide(collective, known);
      if (known.isReplayed && !this.shadowOf.has(collective)) this.events.abandon(collective);
    }
  }

  /** A rank would send now. @returns whether it does */
  sends(collective: OpenCollective): boolean {
    const course = this.courses.get(collective);
    if (course === undefined) return true;
    if (!course.isDecided) {
      if (collective.isComplete) this.decide(collective, course);
      else course.isEarly = true;
      if (course.isReplayed && !this.shadowOf.has(collective)) this.events.abandon(collective);
    }
    return !course.isReplayed || this.shadowOf.has(collective);
  }

  /** The network has brought all of a rank's part. @returns whether that counts */
  placeFinished(collective: OpenCollective, place: number, nowPs: number): boolean {
    const shadow = this.shadowOf.get(collective);
    if (shadow === undefined) return this.courses.get(collective)?.isReplayed !== true;
    shadow.placeFinished(collective, place, nowPs);
    return false;
  }

  /** A transfer of a collective has arrived. */
  arrived(collective: OpenCollective, nowPs: number): void {
    const shadow = this.shadowOf.get(collective);
    if (shadow !== undefined) {
      if (shadow.arrived(nowPs)) this.closeShadow(shadow);
      if (collective.run!.remaining === 0) this.endSample(collective, shadow);
      return;
    }
    const course = this.courses.get(collective);
    if (course === undefined) return;
    course.phase.recording?.arrived(nowPs);
    this.leaps?.arrived(
      collective,
      (each) => this.payloadOf(each),
      () => this.sending(course.state),
      nowPs,
    );
  }

  /** Bytes of a collective's moves as they are now. */
  private payloadOf(collective: OpenCollective): number {
    return this.courses.get(collective)!.share * this.likenessOf(collective).payloadBytes;
  }

  /** No more of a sample is simulated. */
  private closeShadow(shadow: Shadow): void {
    if (!shadow.isOpen) return;
    shadow.close();
    for (const each of shadow.open) {
      this.events.abandon(each);
      if (each.run!.remaining === 0) this.endSample(each, shadow);
    }
  }

  /** Share of a collective's bytes that it goes on with after a leap. */
  shareLeft(collective: OpenCollective): number {
    return this.courses.get(collective)!.share;
  }

  /**
   * All that is simulated, if it is in one island and nobody will come to anything before one of it is over; else null.
   */
  private sending(state: IslandState): Sending[] | null {
    if (this.events.nextPs() !== Infinity) return null;
    const all: Sending[] = [];
    for (const [collective, course] of this.courses) {
      if (course.isReplayed) continue;
      const { left, entry } = course;
      if (course.state !== state || entry === null || left < collective.expected) return null;
      all.push({ collective, payloadBytes: this.payloadOf(collective) });
    }
    return all;
  }

  /** A rank is done with a collective. */
  done(collective: OpenCollective, place: number, nowPs: number): void {
    const course = this.courses.get(collective);
    if (course === undefined) return;
    const { state, entry } = course;
    course.left--;
    if (entry !== null) {
      entry.donePs[place] = nowPs;
      for (const { collective: follower, laterPs } of entry.followers)
        this.events.ends(follower, place, nowPs + laterPs);
    }
    const { transfers, payloadBytes } = this.likenessOf(collective);
    if (course.isReplayed) this.payloadNotSent += payloadBytes / collective.group.ranks.length;
    if (course.left > 0) return;
    this.courses.delete(collective);
    const tookPs = nowPs - collective.lastStartPs;
    this.collectives++;
    this.transfers += transfers;
    this.payloadBytes += payloadBytes;
    this.allPs += tookPs;
    if (course.isReplayed) {
      this.replayed++;
      this.transfersNotSent += transfers;
      this.replayedPs += tookPs;
    }
    if (--state.open > 0) return;
    if (state.phase!.recording !== null) this.leaps?.end(nowPs);
    this.endPhase(state);
  }

  private begin(collective: OpenCollective, nowPs: number): void {
    const { group } = collective;
    const state = this.states.get(this.islands.get(group)!)!;
    if (state.island.hasMessages) return;
    state.open++;
    state.phase ??= { startPs: nowPs, count: 0, recording: null, follows: null, shadow: null };
    this.courses.set(collective, {
      state,
      phase: state.phase,
      left: collective.expected,
      isEarly: false,
      isDecided: false,
      isReplayed: false,
      entry: null,
      share: 1,
    });
    this.leaps?.interrupt();
  }

  private likenessOf({ group, plan }: OpenCollective): PlanLikeness {
    return this.likenesses.of(group, plan);
  }

  /** All ranks have come: whether it is replayed, and from what. */
  private decide(collective: OpenCollective, course: Course): void {
    course.isDecided = true;
    const { state, phase } = course;
    const role = state.island.groups.indexOf(collective.group);
    const likeness = this.likenessOf(collective).number;
    const number = phase.count++;
    // a rank is done before the last one has come: too late to say when
    const isLate = course.left < collective.expected;
    if (number === 0 && !isLate) this.beginPhase(state, phase, collective, role, likeness);
    const { follows, recording } = phase;
    if (follows !== null) {
      const recorded = follows.collectives[number];
      if (
        !isLate &&
        recorded?.role === role &&
        recorded.likeness === likeness &&
        comesAlike(recorded, follows.startPs, collective, phase.startPs, this.settings.tolerancePs)
      )
        this.replay(collective, course, recorded);
      else this.diverge(phase);
    } else if (recording !== null) {
      if (isLate) this.drop(phase);
      else recording.collectives.push((course.entry = new RecordedCollective(role, likeness, collective)));
    }
  }

  private keyOf(state: IslandState, role: number, likeness: number): string {
    return `${state.island.shape} ${role} ${likeness}`;
  }

  /** The first collective of a phase decides what the phase follows, or that it is recorded. */
  private beginPhase(
    state: IslandState,
    phase: Phase,
    collective: OpenCollective,
    role: number,
    likeness: number,
  ): void {
    const key = this.keyOf(state, role, likeness);
    let list = this.recordings.get(key);
    if (list === undefined) this.recordings.set(key, (list = []));
    const { tolerancePs } = this.settings;
    for (let i = list.length - 1; i >= 0; i--) {
      const recording = list[i]!;
      const first = recording.collectives[0]!;
      if (recording.isOver && !recording.isTrusted) continue;
      if (!comesAlike(first, recording.startPs, collective, phase.startPs, tolerancePs)) continue;
      phase.follows = recording;
      if (state.shadows.size === 0 && recording.uses++ % this.settings.sampleEvery === 0) {
        phase.shadow = new Shadow(recording, phase.startPs);
        state.shadows.add(phase.shadow);
      }
      return;
    }
    phase.recording = new Recording(phase.startPs);
    // beside what a sample still sends it would not be alone
    if (state.shadows.size > 0) return;
    list.push(phase.recording);
    if (list.length > mostKept) list.shift();
  }

  private replay(collective: OpenCollective, course: Course, recorded: RecordedCollective): void {
    course.isReplayed = true;
    const { shadow } = course.phase;
    if (shadow?.isOpen === true) {
      shadow.add(collective, recorded);
      this.shadowOf.set(collective, shadow);
    }
    const laterPs = collective.lastStartPs - recorded.lastComePs;
    let isOver = true;
    recorded.donePs.forEach((donePs, place) => {
      if (donePs < 0) isOver = false;
      else this.events.ends(collective, place, donePs + laterPs);
    });
    if (!isOver) recorded.followers.push({ collective, laterPs });
  }

  /** Something else was asked than in the recorded phase: from here on it is simulated. */
  private diverge(phase: Phase): void {
    phase.follows = null;
    this.diverged++;
  }

  /** A phase that cannot be recorded. */
  private drop(phase: Phase): void {
    const { recording } = phase;
    phase.recording = null;
    if (recording === null) return;
    for (const list of this.recordings.values()) {
      const at = list.indexOf(recording);
      if (at >= 0) list.splice(at, 1);
    }
  }

  private endPhase(state: IslandState): void {
    const phase = state.phase!;
    state.phase = null;
    const { follows, recording, shadow } = phase;
    shadow?.close();
    if (follows !== null && (!follows.isOver || follows.collectives.length !== phase.count)) this.diverged++;
    if (shadow?.isEmpty === true && state.shadows.delete(shadow)) shadow.compare(this.samples);
    if (recording !== null && recording.collectives.length > 0) this.endRecording(state, recording);
  }

  /** A recorded phase is over: it is trusted if the last one like it came out the same. */
  private endRecording(state: IslandState, recording: Recording): void {
    recording.isOver = true;
    const first = recording.collectives[0]!;
    const list = this.recordings.get(this.keyOf(state, first.role, first.likeness))!;
    if (!list.includes(recording)) return;
    for (const other of list) {
      if (other === recording || !other.isOver) continue;
      const difference = compareRecordings(other, recording, this.settings.tolerancePs);
      if (difference === null) continue;
      list.splice(list.indexOf(other), 1);
      recording.attempts = other.attempts + 1;
      recording.isTrusted = difference.largest === 0 || recording.attempts >= mostAttempts;
      if (recording.isTrusted) this.samples.add(difference.largest, difference.mean, difference.count);
      return;
    }
  }

  private endSample(collective: OpenCollective, shadow: Shadow): void {
    this.shadowOf.delete(collective);
    shadow.over(collective);
    if (shadow.isOpen || !shadow.isEmpty) return;
    for (const { shadows } of this.states.values()) if (shadows.delete(shadow)) shadow.compare(this.samples);
  }
}
