// Files that a scenario names: one that cannot be read is an error at the place where it is named.

import { HostFileError } from '../../base/host.js';
import type { Section } from './section.js';
import { textOf } from './located.js';

/**
 * Reads a file.
 * @param block where it is named @param what it is, for messages
 * @returns what `read` makes of it; null after an error
 */
export async function readNamed<T>(block: Section, what: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    reportFile(block, what, error);
    return null;
  }
}

function reportFile(block: Section, what: string, error: HostFileError): void {
  const node = block.node();
  const place = node?.place ?? block.keyPlace();
  // a config.txt names files as its own program opens them
  const isAsNamed = node !== undefined && error.path === textOf(node) && /[/\\]/.test(block.root.place.file);
  // a path given with an option of the command line is relative to where the user stands
  const isOption = place.file === '--topology' || place.file === '--trace';
  block.error([], `file-${error.reason}`, `the ${what} cannot be read: ${error.message}`, {
    wanted: `a readable ${what}`,
    ...(error.reason === 'missing' && !isOption
      ? { hint: `paths are relative to ${isAsNamed ? 'the current folder' : 'the folder of the scenario'}` }
      : {}),
  });
}
