// The kinds of tasks that commands give to engines, by name: what a task is carried out by is looked up here, so that a
// task from another machine can name none but these.

import { existsSync } from 'node:fs';

/** The module of a kind of task: its default export (PerformTask) carries one out. */
interface TaskKindEntry {
  readonly module: URL;
  /** whether it is for other machines, too: it reads and writes through its tools alone (campaign/task-reach.ts) */
  readonly travels: boolean;
}

const checkModule = new URL('../../validation/check-task.js', import.meta.url);

export const taskKinds = {
  sweep: { module: new URL('../sweep/sweep-task.js', import.meta.url), travels: true },
  plan: { module: new URL('../run/plan-task.js', import.meta.url), travels: true },
  collective: { module: new URL('../collective/collective-task.js', import.meta.url), travels: false },
  ui: { module: new URL('../ui/ui-task.js', import.meta.url), travels: false },
  // of `npm run validate`; a package of Weft has none
  check: { module: checkModule, travels: existsSync(checkModule) },
} as const satisfies Record<string, TaskKindEntry>;

export type TaskKind = keyof typeof taskKinds;

/** The module of a kind that travels. @param kind as another machine names it @returns null if it names none */
export function travellingModule(kind: string): URL | null {
  const known = Object.hasOwn(taskKinds, kind) ? taskKinds[kind as TaskKind] : null;
  return known?.travels === true ? known.module : null;
}
