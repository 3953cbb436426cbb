// Progress: nothing on short runs, a line now and then without a terminal, a bar that fits on one.

import { describe, expect, it } from 'vitest';
import { announcer } from '../../src/cli/interrupt.js';
import { durationText, ProgressDisplay, progressText } from '../../src/cli/progress.js';
import { TimeLeft } from '../../src/cli/time-left.js';
import { terminalStyle } from '../../src/cli/terminal.js';
import { KeptStream } from '../support/command-context.js';
import { progressWith } from '../support/hand-made-run.js';

/** What a terminal is sent to clear the line of the cursor. */
const clearLine = '\u001b[2K';

function visible(text: string): string {
  return text.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|[78])/g, '');
}

/** From 40 s on a thousandth in a second. */
const slow = (ms: number): number => 0.5 + (ms - 40_000) / 1_000_000;

describe('progress', () => {
  it('says share, time, flows, speed and time left, as far as they are known', () => {
    expect(progressText(progressWith(), 5.25e6, 12)).toBe('25%  5ms simulated  40/200 flows  5.3M hops/s  12 s left');
    expect(progressText(progressWith({ flowsTotal: NaN }), 0, 12)).toBe(
      '25%  5ms simulated  40 flows  0.0M hops/s  12 s left',
    );
    expect(progressText(progressWith({ share: null }), 0, null)).toBe(
      '5ms simulated  40/200 flows  0.0M hops/s  left unknown',
    );
    expect(progressText(progressWith({ share: 1e-9 }), 0, 1e9)).toContain('left unknown');
  });

  it('takes the time left from the recent rate, and says that it is unknown when it is', () => {
    const left = new TimeLeft();
    // a tenth in the first second says too little
    expect(left.at(0, 0)).toBe(null);
    expect(left.at(900, 0.09)).toBe(null);
    // 1 % a second
    let nowMs = 1000;
    for (; nowMs <= 40_000; nowMs += 500) left.at(nowMs, 0.1 + nowMs / 100_000);
    expect(left.at(40_000, 0.5)).toBeCloseTo(50, 6);
    // from here ten times slower: half a window later it is a mean of both, a window later the new rate alone
    for (; nowMs <= 55_000; nowMs += 500) left.at(nowMs, slow(nowMs));
    expect(left.at(55_000, slow(55_000))).toBeCloseTo(0.485 / ((0.15 + 0.015) / 30), 6);
    for (; nowMs <= 71_000; nowMs += 500) left.at(nowMs, slow(nowMs));
    expect(left.at(71_000, slow(71_000))! / ((1 - slow(71_000)) * 1000)).toBeCloseTo(1, 6);
    // what stands still for a window has no time left
    for (; nowMs <= 103_000; nowMs += 500) left.at(nowMs, 0.6);
    expect(left.at(103_000, 0.6)).toBe(null);
    expect(left.at(104_000, null)).toBe(null);
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
