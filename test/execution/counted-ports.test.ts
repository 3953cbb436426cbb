// Source ports by pair of hosts: a counter per ordered pair, however many pairs there are.

import { expect, it } from 'vitest';
import { CountedPorts, firstSourcePort } from '../../src/execution/admission.js';
import { Frontier } from '../../src/execution/frontier.js';

it('counts every ordered pair of hosts by itself, over many pairs and beyond 16 bits', () => {
  const nodes = 3000;
  const frontier = new Frontier();
  const slot = frontier.allocate();
  const ports = new CountedPorts(frontier, nodes);
  const port = (source: number, destination: number): number => {
    frontier.source[slot] = source;
    frontier.destination[slot] = destination;
    return ports.admit(slot);
  };
  let wrong = 0;
  for (let times = 0; times < 3; times++) {
    for (let source = 0; source < nodes; source += 13) {
      for (let destination = 0; destination < nodes; destination += 17)
        if (port(source, destination) !== firstSourcePort + times) wrong++;
    }
  }
  expect(wrong).toBe(0);
  // 26 is no multiple of 17: a new pair
  expect(port(13, 26)).toBe(firstSourcePort);
  for (let times = 1; times < 70_000; times++) port(13, 26);
  expect(port(13, 26)).toBe((firstSourcePort + 70_000) & 0xffff);
  expect(port(26, 13)).toBe(firstSourcePort);
});
