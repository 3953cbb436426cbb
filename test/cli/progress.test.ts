// Progress: nothing on short runs, a line now and then without a terminal, a bar that fits on one.

import { describe, expect, it } from 'vitest';
import { announcer } from '../../src/cli/interrupt.js';
import { durationText, overallShare, ProgressDisplay, progressText } from '../../src/cli/progress.js';
import { terminalStyle } from '../../src/cli/terminal.js';
import { KeptStream } from '../support/command-context.js';
import { progressWith } from '../support/hand-made-run.js';

/** What a terminal is sent to clear the line of the cursor. */
const clearLine = '\u001b[2K';

function visible(text: string): string {
  return text.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|[78])/g, '');
}

describe('progress', () => {
  it('says share, time, flows, speed and time left', () => {
    expect(progressText(progressWith(), 5.25e6)).toBe('25%  5ms simulated  40/200 flows  5.3M hops/s  12 s left');
    expect(progressText(progressWith({ flowsTotal: NaN }), 0)).toBe('50%  5ms simulated  40 flows  0.0M hops/s');
    expect(progressText(progressWith({ fraction: 0 }), 0)).toBe('0%  5ms simulated  40/200 flows  0.0M hops/s');
  });

  it('counts the flows to come as large as those that came', () => {
    expect(overallShare(progressWith({ fraction: 1, flowsStarted: 50, flowsTotal: 200 }))).toBe(0.25);
    expect(overallShare(progressWith({ fraction: 0.5, flowsStarted: 200, flowsTotal: 200 }))).toBe(0.5);
    expect(overallShare(progressWith({ flowsTotal: 0 }))).toBe(0.5);
  });

  it('writes durations as people say them', () => {
    expect([0.2, 59.5, 61, 3599, 7325].map(durationText)).toEqual([
      '1 s',
      '1 min 00 s',
      '1 min 01 s',
      '59 min 59 s',
      '2 h 02 min',
    ]);
  });

  it('writes a line every ten seconds without a terminal', () => {
    const stream = new KeptStream();
    let now = 0;
    const display = new ProgressDisplay(stream, () => now);
    for (now = 0; now <= 35_000; now += 100) display.update(progressWith());
    display.stop();
    expect(stream.text.split('\n')).toHaveLength(4);
    expect(stream.text).toMatch(/^25% {2}5ms simulated/);
  });

  it('shows a bar within the terminal after two seconds, and takes it away', () => {
    const stream = new KeptStream(true);
    let now = 0;
    const display = new ProgressDisplay(stream, () => now);
    display.update(progressWith());
    now = 1999;
    display.update(progressWith());
    expect(stream.text).toBe('');
    now = 2001;
    display.update(progressWith());
    const shown = visible(stream.text);
    expect(shown).toContain('25%  5ms simulated  40/200 flows');
    expect(shown).toContain('[#');
    expect(shown.length).toBeLessThanOrEqual(80);
    expect([display.stop(), display.stop()]).toEqual([true, false]);
    const ended = stream.text;
    now = 60_000;
    display.update(progressWith());
    expect(stream.text).toBe(ended);
  });

  it('is off the screen before a signal is announced, and stays off', () => {
    const stream = new KeptStream(true);
    let now = 0;
    const display = new ProgressDisplay(stream, () => now);
    const announce = announcer(stream, () => display);
    now = 3000;
    display.update(progressWith());
    stream.text = '';
    announce('stopping\n');
    // the bar's line is cleared, then the text; nothing after it
    expect(stream.text.endsWith(`${clearLine}stopping\n`)).toBe(true);
    now = 6000;
    display.update(progressWith());
    display.stop();
    expect(stream.text.endsWith(`${clearLine}stopping\n`)).toBe(true);
  });

  it.each([
    [true, '\nstopping\n'],
    [false, 'stopping\n'],
  ])('without a bar (terminal: %j) a signal is announced behind the ^C', (isTTY, text) => {
    const stream = new KeptStream(isTTY);
    announcer(stream, () => new ProgressDisplay(stream, () => 0))('stopping\n');
    announcer(stream, () => null)('stopping\n');
    expect(stream.text).toBe(text + text);
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
