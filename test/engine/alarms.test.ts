// The kernel's alarms and loop: order, names, ids, pauses, and running up to a time.

import { describe, expect, it } from 'vitest';
import { alarmMask, mostAlarmIds } from '../../src/engine/alarms.js';
import { EventLoop } from '../../src/engine/event-loop.js';

describe('alarms', () => {
  it('ring in order of time, those of one time in the order in which they were set, with their ids', () => {
    const loop = new EventLoop();
    const seen: string[] = [];
    const first = loop.alarms.register('first', (id) => seen.push(`first ${id} at ${loop.nowPs}`));
    const second = loop.alarms.register('second', (id) => seen.push(`second ${id} at ${loop.nowPs}`));
    second.at(20, 7);
    first.at(20, 8);
    first.at(10, mostAlarmIds - 1);
    expect(loop.advance(10)).toBe(false);
    expect(seen).toEqual([`first ${mostAlarmIds - 1} at 10`, 'second 7 at 20', 'first 8 at 20']);
  });

  it('have one owner for a name, ids that fit, and a table that has an end', () => {
    const { alarms } = new EventLoop();
    const alarm = alarms.register('mine', () => {});
    expect(() => alarms.register('mine', () => {})).toThrow('two kinds of alarm are called mine');
    for (const id of [-1, mostAlarmIds, NaN]) expect(() => alarm.at(0, id)).toThrow(`an alarm with the id ${id}`);
    expect(() => {
      for (let kind = 0; kind <= alarmMask + 1; kind++) alarms.register(`kind ${kind}`, () => {});
    }).toThrow('kinds of alarm');
  });

  it('that pause end a slice, and those that stand still end the run', () => {
    const loop = new EventLoop();
    const pause = loop.alarms.register('pause', () => loop.alarms.pause());
    const still = loop.alarms.register('still', () => loop.alarms.standStill());
    pause.at(1, 0);
    pause.at(2, 0);
    still.at(3, 0);
    pause.at(4, 0);
    expect([loop.advance(9), loop.nowPs]).toEqual([true, 1]);
    expect([loop.advance(9), loop.nowPs]).toEqual([true, 2]);
    expect([loop.advance(9), loop.nowPs]).toEqual([false, 3]);
  });
});

describe('running up to a time', () => {
  it('carries out all that is due by then, also what is set for that very time under way and what pauses', () => {
    const loop = new EventLoop();
    const seen: number[] = [];
    const alarm = loop.alarms.register('counts', (id) => {
      seen.push(id);
      if (id === 1) alarm.at(10, 3);
      loop.alarms.pause();
    });
    alarm.at(10, 1);
    alarm.at(10, 2);
    alarm.at(11, 4);
    loop.runUntil(10);
    expect([seen, loop.nowPs]).toEqual([[1, 2, 3], 10]);
    loop.runUntil(50);
    expect([seen, loop.nowPs]).toEqual([[1, 2, 3, 4], 50]);
  });
});
