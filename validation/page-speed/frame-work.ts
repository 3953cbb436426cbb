// How long the main thread of a page works for each frame while time is scrubbed, by Chromium's own trace.
// Invariant: all that the thread does between two frames counts, script, style, layout, painting and garbage collection; it
// is its CPU time, so that a busy machine makes figures worse by little.

import type { CDPSession, Page } from 'playwright-core';

/** What a trace says of one thing that a thread did. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** when it began, and its CPU time, in microseconds */
  readonly ts: number;
  readonly tdur?: number;
}

/** Of a scrubbing. */
export interface FrameWork {
  /** by frame, in milliseconds of CPU time */
  readonly workMs: readonly number[];
  /** textures and buffers that were sent to the graphics card meanwhile */
  readonly uploads: number;
}

const markName = 'weft-frame';
/** what a thread takes up, one after the other */
const taskName = 'ThreadControllerImpl::RunTask';

/** Moves the scrubber in so many steps from end to end, a frame each. @param trace of the whole browser */
export async function scrub(page: Page, trace: CDPSession, frames: number): Promise<FrameWork> {
  const events: TraceEvent[] = [];
  trace.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  const ended = new Promise<void>((resolve) => trace.once('Tracing.tracingComplete', () => resolve()));
  await trace.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
    transferMode: 'ReportEvents',
  });
  const uploads = await page.evaluate<number>(scrubbing(frames));
  await trace.send('Tracing.end');
  await ended;
  const marks = events.filter(({ name, ph }) => name === markName && ph !== 'e').sort((a, b) => a.ts - b.ts);
  const [first] = marks;
  if (first === undefined || marks.length !== frames + 1)
    throw new Error(`the trace has ${marks.length} of ${frames + 1} marks of frames`);
  const workMs = Array.from({ length: frames }, () => 0);
  let frame = 0;
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && pid === first.pid && tid === first.tid && name === taskName,
  );
  for (const { ts, tdur = 0 } of tasks.sort((a, b) => a.ts - b.ts)) {
    while (frame < frames && marks[frame + 1]!.ts <= ts) frame++;
    if (ts >= first.ts && frame < frames) workMs[frame]! += tdur / 1000;
  }
  return { workMs, uploads };
}

/** What the page does: a step in time, and what comes of it until the frame after. */
function scrubbing(frames: number): string {
  return `(async () => {
    let uploads = 0;
    for (const name of ['texImage2D', 'texSubImage2D', 'bufferData', 'bufferSubData']) {
      const own = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...words) { uploads++; return own.apply(this, words); };
    }
    const scrubber = document.querySelector('[data-testid=scrubber]');
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    await frame();
    for (let i = 0; i < ${frames}; i++) {
      performance.mark('${markName}');
      // a task of its own, so that it begins behind the mark
      await new Promise((resolve) => setTimeout(resolve, 0));
      scrubber.value = String(Math.floor((i * Number(scrubber.max)) / ${frames}));
      scrubber.dispatchEvent(new Event('input', { bubbles: true }));
      await frame();
    }
    performance.mark('${markName}');
    return uploads;
  })()`;
}
