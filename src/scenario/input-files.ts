// The files that a plan is made from: read through the host, and kept in mind with what they are for.
// Invariant: a file that was asked for stands in the list once for each of its roles, in the order of the first
// reading.

import type { Host } from '../base/host.js';

/** What a file is to a plan. */
export type InputRole =
  | 'scenario'
  | 'conf'
  | 'topology'
  | 'trace'
  | 'flows'
  | 'losses'
  | 'workload'
  | 'requests'
  | 'profile'
  | 'ports'
  | 'tables'
  | 'lanes';

/** A file that a plan was made from. */
export interface PlanInput {
  readonly role: InputRole;
  /** as the scenario or the command line names it */
  readonly path: string;
  /** as the host was asked for it */
  readonly readPath: string;
}

export class InputFiles {
  private readonly inputs: PlanInput[] = [];

  /** @param base the file that paths are relative to the folder of */
  constructor(
    private readonly host: Host,
    private readonly base: string,
  ) {}

  /** What was asked for so far. */
  get list(): readonly PlanInput[] {
    return this.inputs;
  }

  /** A path as the host is asked for it. */
  resolve(path: string): string {
    return this.host.resolve(this.base, path);
  }

  /** The text of a file that the scenario names. @throws HostFileError */
  readText(role: InputRole, path: string): Promise<string> {
    return this.host.readText(this.note(role, path, this.resolve(path)));
  }

  /** The bytes of a file that the scenario names, again at each call. @throws HostFileError at the first step */
  readBytes(role: InputRole, path: string): AsyncIterable<Uint8Array> {
    return this.host.readBytes(this.note(role, path, this.resolve(path)));
  }

  /** The text of the scenario itself, or of what stands for one. @throws HostFileError */
  readFirst(role: InputRole, path: string): Promise<string> {
    return this.host.readText(this.note(role, path, path));
  }

  /** Whether there is a text at a path beside the scenario; it is not counted as read. */
  async holds(path: string): Promise<boolean> {
    return this.host.readText(path).then(
      () => true,
      () => false,
    );
  }

  private note(role: InputRole, path: string, readPath: string): string {
    if (!this.inputs.some((input) => input.role === role && input.path === path))
      this.inputs.push({ role, path, readPath });
    return readPath;
  }
}
