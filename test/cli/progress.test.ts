// Progress: nothing on short runs, a line now and then without a terminal, a bar that fits on one.

import { describe, expect, it } from 'vitest';
import { durationText, overallShare, ProgressDisplay, progressText } from '../../src/cli/progress.js';
import { terminalStyle } from '../../src/cli/terminal.js';
import { KeptStream } from '../support/command-context.js';
import { progressWith } from '../support/hand-made-run.js';

describe('progress', () => {
  it('says share, time, flows, speed and time left', () => {
    expect(progressText(progressWith(), 5.25e6)).toBe('25%  5ms  40/200 flows  5.3M hops/s  12 s left');
    expect(progressText(progressWith({ flowsTotal: NaN }), 0)).toBe('50%  5ms  40 flows  0.0M hops/s');
    expect(progressText(progressWith({ fraction: 0 }), 0)).toBe('0%  5ms  40/200 flows  0.0M hops/s');
  });

  it('counts the flows to come as large as those that came', () => {
    expect(overallShare(progressWith({ fraction: 1, flowsStarted: 50, flowsTotal: 200 }))).toBe(0.25);
    expect(overallShare(progressWith({ fraction: 0.5, flowsStarted: 200, flowsTotal: 200 }))).toBe(0.5);
    expect(overallShare(progressWith({ flowsTotal: 0 }))).toBe(0.5);
  });

  it('writes durations as people say them', () => {
    expect([0.2, 59.5, 61, 3599, 7325].map(durationText)).toEqual(['1 s', '1 min 00 s', '1 min 01 s', '59 min 59 s', '2 h 02 min']);
  });

  it('writes a line every ten seconds without a terminal', () => {
    const stream = new KeptStream();
    let now = 0;
    const display = new ProgressDisplay(stream, () => now);
    for (now = 0; now <= 35_000; now += 100) display.update(progressWith());
    display.stop();
    expect(stream.text.split('\n')).toHaveLength(4);
    expect(stream.text).toMatch(/^25% {2}5ms/);
  });

  it('shows a bar within the terminal after two seconds, and takes it away', () => {
    const stream = Object.assign(new KeptStream(true), { cursorTo: () => true, clearLine: () => true, moveCursor: () => true });
    let now = 0;
    const display = new ProgressDisplay(stream, () => now);
    display.update(progressWith());
    now = 1999;
    display.update(progressWith());
    expect(stream.text).toBe('');
    now = 2001;
    display.update(progressWith());
    // eslint-disable-next-line no-control-regex
    const shown = stream.text.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|[78])/g, '');
    expect(shown).toContain('25%  5ms  40/200 flows');
    expect(shown).toContain('[#');
    expect(shown.length).toBeLessThanOrEqual(80);
    display.stop();
  });
});

describe('the terminal', () => {
  const terminal = { isTTY: true };
  it.each([
    [terminal, { TERM: 'xterm', LANG: 'en_GB.UTF-8' }, true, true],
    [terminal, { TERM: 'xterm', LANG: 'en_GB.UTF-8', NO_COLOR: '1' }, false, true],
    [terminal, { TERM: 'xterm', LANG: 'en_GB.UTF-8', NO_COLOR: '' }, true, true],
    [terminal, { TERM: 'dumb', LANG: 'en_GB.UTF-8' }, false, false],
    [terminal, { TERM: 'xterm', LANG: 'C' }, true, false],
    [terminal, { TERM: 'xterm', LC_ALL: 'POSIX', LANG: 'en_GB.utf8' }, true, false],
    [{}, { TERM: 'xterm', LANG: 'en_GB.utf8' }, false, true],
  ])('%j with %j', (stream, environment, colour, unicode) => {
    expect(terminalStyle(stream, environment)).toEqual({ colour, unicode });
  });
});
