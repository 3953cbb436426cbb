// What Slurm's accounting says of the tasks of an array: lines as sacct of Slurm 22.05.8 printed them, with slurmdbd and MariaDB, of
// arrays one task of which ended with 3, that were cancelled before a task had begun, and while tasks ran.

import { expect, it } from 'vitest';
import { accountedTasks } from '../../src/campaign/slurm/slurm-commands.js';

it.each([
  [
    '1_0|COMPLETED|vm|0:0\n1_1|FAILED|vm|3:0\n1_2|COMPLETED|vm|0:0\n',
    ['COMPLETED vm exit 0:0', 'FAILED vm exit 3:0', 'COMPLETED vm exit 0:0'],
  ],
  ['4_[0-4]|CANCELLED by 0|None assigned|0:0\n', Array.from({ length: 5 }, () => 'CANCELLED  exit 0:0')],
  ['5_0|CANCELLED by 0|vm|0:0\n5_1|CANCELLED by 0|vm|0:0\n', ['CANCELLED vm exit 0:0', 'CANCELLED vm exit 0:0']],
  ['', []],
])('of %j each task has its end', (output, wanted) => {
  const tasks = accountedTasks(output);
  expect([...tasks.keys()]).toEqual(wanted.map((_, index) => index));
  expect([...tasks.values()].map(({ state, node, reason }) => `${state} ${node} ${reason}`)).toEqual(wanted);
});
