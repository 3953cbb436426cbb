// Run folders that a person drops on the page, or chooses: they are read here, and sent nowhere.
// Invariant: of a folder only files are taken that lie in it, or up to three folders below; no more than some thousands.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { ViewedRun } from '#weft/app/view/view-scenario.js';
import { useEffect, useRef } from 'preact/hooks';
import { engine, isRunning, showRun } from './state.js';

const manifest = 'manifest.json';
const mostFiles = 5000;
const mostDepth = 3;

/** A run of a folder. */
interface GivenFolder {
  readonly path: string;
  /** by their names in it */
  readonly files: ReadonlyMap<string, Blob>;
}

/** What was given last: a folder of runs has several. */
const given = signal<readonly GivenFolder[]>([]);
const isOver = signal(false);
/** why there is nothing to show */
const problem = signal('');

async function show({ path, files }: GivenFolder): Promise<void> {
  let text: string | undefined;
  const read = async (): Promise<ViewedRun> => {
    const { run, scenario } = await engine.open(path, files);
    text = scenario;
    return run;
  };
  await showRun(read, () => text);
}

/** Shows the first run among some files. @param files by their paths */
async function take(files: ReadonlyMap<string, Blob>): Promise<void> {
  problem.value = '';
  if (files.size > mostFiles) {
    problem.value = `There are more than ${mostFiles} files in what you gave: give the folder of one run.`;
    return;
  }
  if (isRunning.value) {
    problem.value = 'A run is under way: stop it first, or wait.';
    return;
  }
  const folders = [...files.keys()]
    .filter((path) => path === manifest || path.endsWith(`/${manifest}`))
    .map((path) => path.slice(0, -manifest.length))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  given.value = folders.map((folder) => ({
    path: folder.slice(0, -1) || 'the folder',
    files: new Map(
      [...files].filter(([path]) => path.startsWith(folder)).map(([path, file]) => [path.slice(folder.length), file]),
    ),
  }));
  const [first] = given.value;
  if (first !== undefined) await show(first);
  else problem.value = `There is no run in what you gave: wanted is a folder of weft run --out, with its ${manifest}.`;
}

/** All files of what was dropped, by their paths. */
async function filesOf(entries: readonly FileSystemEntry[]): Promise<Map<string, Blob>> {
  const files = new Map<string, Blob>();
  const walk = async (entry: FileSystemEntry, depth: number): Promise<void> => {
    if (files.size > mostFiles) return;
    if (entry.isFile) {
      const file = await new Promise<Blob>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      files.set(entry.fullPath.replace(/^\//, ''), file);
      return;
    }
    if (depth > mostDepth) return;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // a folder comes in pieces of a hundred
    for (;;) {
      const some = await new Promise<readonly FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return;
      for (const own of some) await walk(own, depth + 1);
    }
  };
  for (const entry of entries) await walk(entry, 0);
  return files;
}

async function drop(event: DragEvent): Promise<void> {
  event.preventDefault();
  isOver.value = false;
  const entries = [...(event.dataTransfer?.items ?? [])]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0) return;
  try {
    await take(await filesOf(entries));
  } catch (error) {
    problem.value = `The folder cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether something is dragged that has files: text that is moved within the editor has none. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

/** The files of a folder that was chosen, by their paths. */
function chosen(files: FileList | null): Map<string, Blob> {
  return new Map(Array.from(files ?? [], (file) => [file.webkitRelativePath || file.name, file]));
}

/** What opens a run of this machine in the page. */
export function GivenFolders(): VNode {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // a folder, and not a file, is chosen
    input.current!.webkitdirectory = true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const dropped = (event: DragEvent): void => {
      if (hasFiles(event)) void drop(event);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', dropped, { capture: true });
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', dropped, { capture: true });
    };
  }, []);
  return (
    <section class={`given${isOver.value ? ' over' : ''}`} aria-label="run folder" data-testid="given">
      <button disabled={isRunning.value} onClick={() => input.current!.click()}>
        Open a run folder
      </button>{' '}
      <span class="faint">or drop it on the page: it is read here, and sent nowhere.</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="folder-input"
        onChange={(event) => {
          void take(chosen(event.currentTarget.files));
          event.currentTarget.value = '';
        }}
      />
      <p class="problem" role="status">
        {problem.value}
      </p>
      {given.value.length < 2 ? null : (
        <ul>
          {given.value.map((folder) => (
            <li>
              <button disabled={isRunning.value} onClick={() => void show(folder)}>
                {folder.path}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
