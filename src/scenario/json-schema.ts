// The form of a scenario as JSON Schema (draft 2020-12), for editors that complete and check YAML: descriptions,
// defaults, limits.
// Invariant: the same schema that readScenario checks with; schema/scenario.schema.json holds its text, and a test
// keeps it current.

import * as z from 'zod';
import { fabricFamilies } from '../fabric/generators/catalogue.js';
import { fileFabric, generatedFabricSchema, trafficForms } from './form/schema.js';
import { defaultForm, type ScenarioForm } from './form/scenario-form.js';
import { programForms } from './form/program-schema.js';
import { jobForms, jobPrograms, workloadForms } from './form/workload-schema.js';

/** The JSON Schema of a scenario as a plain object. */
export function scenarioJsonSchema(form: ScenarioForm = defaultForm()): Record<string, unknown> {
  const fabric = z
    .union([fileFabric, ...fabricFamilies.map(generatedFabricSchema)])
    .meta({ description: 'The network: from a topology file, or generated' });
  const traffic = z
    .union(Object.values(trafficForms))
    .meta({ description: 'What is sent: a trace file, transfers written here, or a flow file' });
  const workload = z.union([...Object.values(workloadForms), ...Object.values(programForms)]).meta({
    description: 'A training iteration (from a file, generated, or layers written here), or a program of ranks',
  });
  const jobs = z
    .array(z.union([...Object.values(jobForms), ...Object.values(jobPrograms)]))
    .min(1)
    .meta({ description: 'Several workloads at once, each on ranks of its own, in place of workload' });
  const { $schema, ...schema } = z.toJSONSchema(form.schema(fabric, traffic, workload, jobs), { io: 'input' });
  const properties = schema.properties as Record<string, z.core.JSONSchema.JSONSchema>;
  const failures = properties['failures']!;
  const events = failures.properties!['events']!;
  return {
    $schema,
    title: 'Weft scenario',
    description: 'What Weft simulates: a fabric and what runs on it',
    ...schema,
    // a list alone is its events
    properties: { ...properties, failures: { description: failures.description, anyOf: [failures, events] } },
    anyOf: [{ required: ['traffic'] }, { required: ['workload'] }, { required: ['jobs'] }, { required: ['inference'] }],
  };
}

/** The text of schema/scenario.schema.json. */
export function scenarioJsonSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`;
}
