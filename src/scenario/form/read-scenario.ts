// Long because all that may be wrong with the form of a scenario is told in one place.
// Scenario text -> a checked tree of values with their places. Everything wrong with its form is reported at once:
// where it stands, what was found, what was wanted, what to do.
// Invariant: after this, every setting that stands in a section without errors resolves (base/settings.ts).

import * as z from 'zod';
import type { Diagnostics } from '../../base/diagnostics.js';
import { fabricFamilies, findFamily, type NamedFamily } from '../../fabric/generators/catalogue.js';
import {
  errorAt,
  keyPlaceOf,
  nodeAt,
  pathText,
  placeOf,
  plainOf,
  textOf,
  writtenPath,
  type Located,
  type LocatedMap,
  type Path,
} from './located.js';
import { policyNames } from '../../workload/policies.js';
import { applyOverrides } from './overrides.js';
import { readYaml } from './read-yaml.js';
import { fileFabric, generatedFabricSchema, keysOf, schemaAt, type TrafficForm, trafficForms } from './schema.js';
import { defaultForm, type ScenarioForm } from './scenario-form.js';
import type { SettingProblem } from './setting-problem.js';
import { nearest, sharingWord } from '../suggest.js';
import { programAt, programForms, programProblem } from './program-schema.js';
import { jobForms, jobPrograms, workloadFormNames, workloadForms, type WorkloadForm } from './workload-schema.js';

/** Blocks that say what is sent, and all blocks at the top that are no groups of settings. */
const works = ['traffic', 'workload', 'jobs', 'inference'] as const;
const topBlocks = [...works, 'fabric', 'stragglers', 'name'];

/** A scenario whose form was checked. */
export interface Scenario {
  readonly file: string;
  readonly root: LocatedMap;
  /** by which it was checked */
  readonly form: ScenarioForm;
  /** which of its two forms each block has; null if it has errors */
  readonly fabric: { readonly form: 'file' } | { readonly form: 'generate'; readonly named: NamedFamily } | null;
  /** null also if there is no such block */
  readonly traffic: TrafficForm | null;
  readonly workload: WorkloadForm | null;
  /** of each job; null also if there are none */
  readonly jobs: readonly WorkloadForm[] | null;
  /** a command brings fabric and work: what stands here are settings */
  readonly isSettingsOnly: boolean;
  /** top-level keys below which something is wrong; everything else can be resolved */
  readonly faulty: ReadonlySet<string>;
}

/**
 * Reads a scenario and checks its form.
 * @param file its name, for messages
 * @param overrides `path=value` texts of --set, applied in order @param form what a scenario may hold
 * @returns the scenario; null if it is no YAML mapping. The diagnostics tell whether there are errors.
 */
export function readScenario(
  text: string,
  file: string,
  overrides: readonly string[],
  diagnostics: Diagnostics,
  form: ScenarioForm = defaultForm(),
): Scenario | null {
  const start = { file, line: 1, column: 1 };
  if (text.trim() === '') {
    errorAt(
      diagnostics,
      'scenario-empty',
      start,
      text === '' ? 'the scenario is empty (0 bytes)' : 'the scenario is empty',
      { wanted: 'a fabric and its traffic', hint: 'examples/server-pair/controller.yaml shows the form' },
    );
    return null;
  }
  const firstWord = /^\s*(\w+)(?=\s)/.exec(text)?.[1] ?? '';
  if ((policyNames as readonly string[]).includes(firstWord)) {
    errorAt(diagnostics, 'scenario-workload', start, 'this is a workload file of SimAI or AICB, not a scenario', {
      got: firstWord,
      wanted: 'a scenario (YAML) with a fabric and a workload',
      hint: `write one with "fabric: { ... }" and "workload: { file: ... }", or weft run -w ... -n TOPOLOGY -c SimAI.conf`,
    });
    return null;
  }
  const root = readYaml(text, file, diagnostics);
  if (root === null) return null;
  if (root.kind !== 'map') {
    errorAt(diagnostics, 'scenario-type', root.place, 'the scenario is not made of keys and values', {
      got: textOf(root),
      wanted: 'keys with values, such as "fabric:" and "traffic:"',
      hint: 'is this a scenario file?',
    });
    return null;
  }
  return checkScenario(root, file, overrides, diagnostics, form);
}

/**
 * Checks the form of a scenario that was not read from YAML.
 * @param root changed by the overrides @param file what paths in it are relative to
 */
export function checkScenario(
  root: LocatedMap,
  file: string,
  overrides: readonly string[],
  diagnostics: Diagnostics,
  form: ScenarioForm = defaultForm(),
): Scenario {
  override(root, overrides, diagnostics);
  return new ScenarioChecker(root, file, form, diagnostics).check();
}

/**
 * Checks settings alone, for a command that brings the fabric and what is sent.
 * @param root changed by the overrides, which name nothing but settings
 */
export function checkSettings(
  root: LocatedMap,
  overrides: readonly string[],
  diagnostics: Diagnostics,
  form: ScenarioForm,
): Scenario {
  override(root, overrides, diagnostics);
  return new ScenarioChecker(root, root.place.file, form, diagnostics).checkSettings();
}

function override(root: LocatedMap, overrides: readonly string[], diagnostics: Diagnostics): void {
  listAsEvents(root);
  applyOverrides(root, overrides, diagnostics);
  listAsEvents(root);
}

/** `failures: [ … ]`, a list without settings, is `failures: { events: [ … ] }`. */
function listAsEvents(root: LocatedMap): void {
  const failures = root.entries.get('failures');
  if (failures?.value.kind !== 'list') return;
  const { keyPlace, value } = failures;
  const entries = new Map([['events', { keyPlace, value, isImplied: true }]]);
  root.entries.set('failures', { keyPlace, value: { kind: 'map', place: value.place, entries } });
}

class ScenarioChecker {
  private readonly faulty = new Set<string>();

  constructor(
    private readonly root: LocatedMap,
    private readonly file: string,
    private readonly form: ScenarioForm,
    private readonly diagnostics: Diagnostics,
  ) {}

  check(): Scenario {
    const fabric = this.fabricForm();
    const hasWorkload = nodeAt(this.root, ['workload']) !== undefined;
    const hasInference = nodeAt(this.root, ['inference']) !== undefined;
    const traffic =
      (hasWorkload || hasInference || nodeAt(this.root, ['jobs']) !== undefined) &&
      nodeAt(this.root, ['traffic']) === undefined
        ? null
        : this.oneOf('traffic', Object.keys(trafficForms) as TrafficForm[]);
    const workload = hasWorkload ? this.workloadForm(['workload']) : null;
    const jobs = this.jobForms();
    const schema = this.form.schema(
      fabric === null ? fileFabric : fabric.form === 'file' ? fileFabric : generatedFabricSchema(fabric.named.family),
      trafficForms[traffic ?? 'trace'],
      workload === 'program' ? programForms[programAt(this.root, ['workload'])]! : workloadForms[workload ?? 'file'],
      jobs === null
        ? z.array(jobForms.file).min(1)
        : z.tuple(
            jobs.map((form, i) =>
              form === 'program' ? jobPrograms[programAt(this.root, ['jobs', i])]! : jobForms[form ?? 'file'],
            ) as [z.ZodObject],
          ),
    );
    const plain = plainOf(this.root) as Record<string, unknown>;
    // A block whose form is unknown was reported already; give the schema something it likes there.
    if (fabric === null) plain['fabric'] = { file: '-' };
    if (traffic === null) plain['traffic'] = { trace: '-' };
    if (workload === null) plain['workload'] = { file: '-' };
    jobs?.forEach((form, i) => {
      if (form === null) (plain['jobs'] as unknown[])[i] = { file: '-', ranks: '-' };
    });
    this.parse(plain, schema);
    const { root, file, form, faulty } = this;
    return {
      file,
      root,
      form,
      faulty,
      fabric: faulty.has('fabric') ? null : fabric,
      traffic: faulty.has('traffic') ? null : traffic,
      workload: faulty.has('workload') ? null : workload,
      jobs: faulty.has('jobs') ? null : (jobs as WorkloadForm[] | null),
      isSettingsOnly: false,
    };
  }

  checkSettings(): Scenario {
    const schema = this.form.schema(fileFabric, trafficForms.trace, workloadForms.file, z.array(jobForms.file));
    this.parse({ ...(plainOf(this.root) as Record<string, unknown>), fabric: { file: '-' } }, schema);
    const { root, file, form, faulty } = this;
    return { file, root, form, faulty, fabric: null, traffic: null, workload: null, jobs: null, isSettingsOnly: true };
  }

  private parse(plain: Record<string, unknown>, schema: z.ZodType): void {
    for (const issue of schema.safeParse(plain).error?.issues ?? []) this.report(issue, schema);
  }

  /** The form of each job, null where it has none; null if there is no list of jobs. */
  private jobForms(): (WorkloadForm | null)[] | null {
    const node = nodeAt(this.root, ['jobs']);
    if (node === undefined) return null;
    const workload = this.root.entries.get('workload');
    if (workload !== undefined) {
      errorAt(
        this.diagnostics,
        'scenario-exclusive',
        keyPlaceOf(this.root, ['jobs']),
        'the scenario has both workload and jobs',
        { wanted: 'one of the two', hint: 'workload is a job by itself: make it a line of jobs' },
      );
      this.faulty.add('jobs');
    }
    return node.kind === 'list' && node.items.length > 0
      ? node.items.map((_, i) => this.workloadForm(['jobs', i]))
      : null;
  }

  /** Which form a workload has; null after an error. */
  private workloadForm(path: Path): WorkloadForm | null {
    const form = this.oneOf(path, workloadFormNames);
    if (form !== 'program') return form;
    const problem = programProblem(programAt(this.root, path));
    if (problem === null) return form;
    const at = [...path, 'program'];
    this.error(at, nodeAt(this.root, at)!, 'scenario-program', `${pathText(at)} is not a known program`, problem);
    return null;
  }

  private fabricForm(): { form: 'file' } | { form: 'generate'; named: NamedFamily } | null {
    const form = this.oneOf('fabric', ['file', 'generate']);
    if (form !== 'generate') return form === 'file' ? { form: 'file' } : null;
    const node = nodeAt(this.root, ['fabric', 'generate'])!;
    const named = node.kind === 'scalar' ? String(node.value) : '';
    const found = findFamily(named);
    if (found !== null) return { form: 'generate', named: found };
    const near = nearest(
      named,
      fabricFamilies.flatMap((family) => [family.name, ...Object.keys(family.otherNames)]),
    );
    this.error(
      ['fabric', 'generate'],
      node,
      node.kind === 'scalar' && node.value === null ? 'scenario-null' : 'scenario-family',
      'fabric.generate is not a known family of fabrics',
      {
        wanted: `one of ${fabricFamilies.map((family) => family.name).join(', ')}`,
        ...(near === null ? {} : { hint: `did you mean ${near}?` }),
      },
    );
    return null;
  }

  /** Which of several keys a block has; null after an error. */
  private oneOf<K extends string>(at: string | Path, forms: readonly K[]): K | null {
    const path: Path = typeof at === 'string' ? [at] : at;
    const block = pathText(path);
    const section = String(path[0]);
    const node = nodeAt(this.root, path);
    const wanted = forms.map((form) => `${block}: { ${form}: … }`).join(' or ');
    if (node === undefined) {
      this.faulty.add(section);
      // a misspelt key is told itself
      if (this.isMisspelt(block === 'traffic' ? works : [block])) return null;
      if (this.root.isConf === true && block === 'traffic') {
        errorAt(this.diagnostics, 'scenario-missing', this.root.place, 'FLOW_FILE is missing', {
          wanted: 'FLOW_FILE FILE, the flows that are sent',
          hint: 'or --set traffic.file=FILE, --set traffic.trace=FILE',
        });
        return null;
      }
      errorAt(this.diagnostics, 'scenario-missing', this.root.place, `${block} is missing`, {
        wanted,
        ...(block === 'traffic' ? { hint: 'or work of another kind: a block of workload, jobs or inference' } : {}),
      });
      return null;
    }
    if (node.kind !== 'map') {
      const isNull = node.kind === 'scalar' && node.value === null;
      this.error(
        path,
        node,
        isNull ? 'scenario-null' : 'scenario-type',
        isNull ? `${block} has no value` : `${block} is not a block`,
        { wanted },
      );
      return null;
    }
    const present = forms.filter((form) => node.entries.has(form));
    if (present.length > 1) {
      this.exclusive(path, node, present);
      return null;
    }
    if (present.length === 1) return present[0]!;
    let isGuessed = false;
    for (const [key, { keyPlace }] of node.entries) {
      const near = nearest(key, forms);
      if (near !== null)
        errorAt(this.diagnostics, 'scenario-unknown-key', keyPlace, `${block}.${key} is not known`, {
          wanted,
          hint: `did you mean ${near}?`,
        });
      if (near !== null) isGuessed = true;
    }
    const none = forms.length === 2 ? `neither ${forms.join(' nor ')}` : `none of ${forms.join(', ')}`;
    if (!isGuessed)
      errorAt(this.diagnostics, 'scenario-missing', keyPlaceOf(this.root, path), `${block} has ${none}`, { wanted });
    this.faulty.add(section);
    return null;
  }

  /** A block has several keys of which it may have one. */
  private exclusive(path: Path, node: LocatedMap, present: readonly string[]): void {
    const [first, second] = present as [string, string];
    const block = pathText(path);
    const places = [node.entries.get(second)!.keyPlace, node.entries.get(first)!.keyPlace];
    const keyPlace = places.find(({ file }) => file !== this.file) ?? places[0]!;
    errorAt(this.diagnostics, 'scenario-exclusive', keyPlace, `${block} has both ${first} and ${second}`, {
      wanted: 'one of the two',
      hint:
        keyPlace.file === '--set'
          ? `replace the whole block: --set '${block}={${keyPlace === places[0] ? second : first}: …}'`
          : `remove ${first} or ${second}`,
    });
    this.faulty.add(String(path[0]));
  }

  private error(
    path: Path,
    node: Located,
    code: string,
    message: string,
    detail: { wanted?: string; hint?: string },
  ): void {
    this.faulty.add(String(path[0]));
    const got = textOf(node);
    errorAt(this.diagnostics, code, node.place, message, { ...(got === '' ? {} : { got }), ...detail });
  }

  private report(issue: z.core.$ZodIssue, schema: z.ZodType): void {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.unknownKey(path, key, schema);
      return;
    }
    this.faulty.add(String(path[0]));
    const node = nodeAt(this.root, path);
    const name = writtenPath(this.root, path);
    if (node === undefined) {
      const wanted =
        issue.code === 'custom' ? (issue.params as SettingProblem | undefined)?.wanted : 'a block of settings';
      errorAt(
        this.diagnostics,
        'scenario-missing',
        placeOf(this.root, path),
        `${name} is missing`,
        wanted === undefined ? {} : { wanted },
      );
    } else if (issue.code === 'custom' && issue.params !== undefined) {
      const { code, message, wanted, hint } = issue.params as SettingProblem;
      this.error(path, node, code, `${name} ${message}`, {
        ...(wanted === undefined ? {} : { wanted }),
        ...(hint === undefined ? {} : { hint }),
      });
    } else if (issue.code === 'too_small') {
      this.error(path, node, 'scenario-empty-list', `${name} is empty`, { wanted: 'at least one' });
    } else {
      const isNull = node.kind === 'scalar' && node.value === null;
      const wanted =
        issue.code === 'invalid_type' && issue.expected === 'array'
          ? 'a list: "- …" on lines of its own, or [ … ]'
          : 'a block of settings';
      this.error(
        path,
        node,
        isNull ? 'scenario-null' : 'scenario-type',
        isNull ? `${name} has no value` : `${name} is not ${wanted.split(':')[0]!}`,
        { wanted, ...(isNull ? { hint: 'leave the line out to get the defaults' } : {}) },
      );
    }
  }

  /** Whether one of some blocks stands at the top under another name, which is not known. */
  private isMisspelt(blocks: readonly string[]): boolean {
    const known = [...topBlocks, ...Object.keys(this.form.groups), ...Object.keys(this.form.topSettings)];
    return [...this.root.entries.keys()].some(
      (key) =>
        !known.includes(key) &&
        blocks.some((block) => nearest(key, known) === block || new RegExp(`^${block} *[{[]`).test(key)),
    );
  }

  private unknownKey(path: Path, key: string, schema: z.ZodType): void {
    const full = [...path, key];
    this.faulty.add(String(full[0]));
    let block: z.ZodType | null = schema;
    for (const step of path) block = block === null ? null : schemaAt(block, step);
    const known = keysOf(block);
    const near = nearest(key, known) ?? (path.length > 0 ? sharingWord(key, known) : null);
    let hint: string | undefined;
    const [block0, inner] = key.split('.') as [string, string?];
    const word = /^[A-Za-z]+(?= *[{[])/.exec(key)?.[0];
    if (inner !== undefined && known.includes(block0)) {
      hint = `write ${block0}: { ${inner}: … }; dots are for --set`;
    } else if (word !== undefined && known.includes(word)) {
      hint = `put a colon behind ${word}`;
    } else if (near !== null) {
      hint = `did you mean ${writtenPath(this.root, [...path, near])}?`;
    } else {
      // The key of another block: payload at the top, say, or dcqcn.payload.
      const elsewhere = keysOf(schema).find((group) => keysOf(schemaAt(schema, group)).includes(key)) ?? null;
      if (elsewhere !== null) hint = `did you mean ${elsewhere}.${key}?`;
      else if (keysOf(schema).includes(key)) hint = `${key} stands at the top level, without indentation`;
    }
    errorAt(
      this.diagnostics,
      'scenario-unknown-key',
      keyPlaceOf(this.root, full),
      `${writtenPath(this.root, full)} is not known`,
      {
        wanted: `one of ${known.join(', ')}`,
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }
}
