// What plans of one scenario after the other need not make anew: the checked scenario, its fabric, its settings, and what
// is said of them. For campaigns, whose runs differ in their seeds, or in a few settings.
// Invariants: a plan is the one that is made without a memory, with the same diagnostics in the same order; every file is
// read again for every plan, and once one has another content nothing that is kept counts. A part is taken again only if
// all that it was made from is the same; one that reads files, or had errors, is not kept.
// Not kept: what has a state while it runs (sources, jobs, programs), and what the seed says.

import type { Diagnostic, Diagnostics } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';

/** Makes the parts of a plan, or takes them as they were made for an earlier one. */
export interface PlanParts {
  /**
   * A part of the plan, which nobody changes.
   * @param name of the part, its own
   * @param from all that it is made from: values, or objects that are the same only if they are the very same
   */
  part<T>(name: string, from: readonly unknown[], diagnostics: Diagnostics, make: () => T): T;
}

/** Makes every part anew. */
export const partsMadeAnew: PlanParts = { part: (_name, _from, _diagnostics, make) => make() };

interface Kept {
  readonly from: readonly unknown[];
  readonly made: unknown;
  /** what was found when it was made */
  readonly found: readonly Diagnostic[];
}

/** One for each scenario, with the host through which it is read. */
export class PlanMemory implements PlanParts {
  private readonly texts = new Map<string, string>();
  private readonly kept = new Map<string, Kept>();
  private readings = 0;
  /** whether a file has another content than it had for an earlier plan */
  private isStale = false;

  /**
   * Makes a plan with the parts of those before.
   * @param make is given the host to read with, and the parts
   * @param anew makes it without a memory
   * @throws what these throw
   */
  async plan<T>(host: Host, make: (host: Host, parts: PlanParts) => Promise<T>, anew: () => Promise<T>): Promise<T> {
    try {
      const made = await make(this.watched(host), this);
      if (!this.isStale) return made;
    } catch (error) {
      if (!this.isStale) throw error;
    }
    this.kept.clear();
    this.texts.clear();
    this.isStale = false;
    return anew();
  }

  part<T>(name: string, from: readonly unknown[], diagnostics: Diagnostics, make: () => T): T {
    const known = this.kept.get(name);
    if (known !== undefined && areSame(known.from, from)) {
      diagnostics.repeat(known.found);
      return known.made as T;
    }
    const { readings } = this;
    const [before, errorsBefore] = [diagnostics.list.length, diagnostics.errorCount];
    const made = make();
    if (readings === this.readings && diagnostics.errorCount === errorsBefore)
      this.kept.set(name, { from, made, found: diagnostics.list.slice(before) });
    else this.kept.delete(name);
    return made;
  }

  /** A host whose files are looked at. */
  private watched(host: Host): Host {
    return {
      ...host,
      readText: async (path) => {
        this.readings++;
        const text = await host.readText(path);
        const before = this.texts.get(path);
        if (before === undefined) this.texts.set(path, text);
        else if (before !== text) this.isStale = true;
        return text;
      },
      readBytes: (path) => {
        this.readings++;
        return host.readBytes(path);
      },
    };
  }
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, i) => Object.is(value, other[i]));
}
