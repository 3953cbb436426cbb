// The routing problem as a programme for any solver: `weft route model`.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import { BasicMcf } from '../../exact/basic-mcf.js';
import { lpText, mpsText } from '../../exact/program-text.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { flowsOf, refuseLarge } from './algorithms/exact.js';
import { requireTree } from './fabric-input.js';
import type { RouteHost } from './make-tables.js';
import { refuseSeveralLids } from './route-algorithm.js';
import { readLoadedProblem, type ProblemRequest } from './route-problem.js';

/** Which problem, in which form. */
export interface ModelRequest extends ProblemRequest {
  /** static routes (if left out), or traffic split at will */
  readonly model?: 'basic-mcf' | 'relaxation';
  /** CPLEX LP (if left out), or free MPS */
  readonly form?: 'lp' | 'mps';
}

/** A problem as a text. */
export interface RouteModel {
  readonly source: RoutedFabric;
  readonly traffic: Traffic;
  readonly variables: number;
  readonly wholeVariables: number;
  readonly rows: number;
  readonly terms: number;
  readonly text: Iterable<string>;
  readonly warnings: readonly Diagnostic[];
}

/** Above this many terms a text may not fit the longest string. */
const mostTerms = 8_000_000;

/** Makes the text. @throws InputError if the request has mistakes, or the problem is too large for a file */
export async function routeModel(request: ModelRequest, host: RouteHost): Promise<RouteModel> {
  const { source, traffic, warnings } = await readLoadedProblem(request, host, 'which traffic?', (fabric) => {
    refuseSeveralLids(fabric, 'weft route model', 'it has one way to each host');
    requireTree(fabric);
  });
  const phases = flowsOf(source.tree, traffic);
  const isRelaxed = request.model === 'relaxation';
  if (!isRelaxed) refuseLarge(source.tree, traffic, mostTerms);
  const { program } = isRelaxed
    ? BasicMcf.relaxation(source.tree, phases)
    : BasicMcf.ofStaticRoutes(source.tree, phases);
  const { variableCount: variables, wholeCount: wholeVariables, rowCount: rows, termVariable } = program;
  if (termVariable.length > mostTerms)
    throw InputError.about('too-large', '--model', 'the model is too large for a file', {
      got: `${termVariable.length} terms`,
      wanted: `at most ${mostTerms}`,
      hint: 'take a smaller fabric, or sparser traffic',
    });
  const text = [request.form === 'mps' ? mpsText(program) : lpText(program)];
  return { source, traffic, variables, wholeVariables, rows, terms: termVariable.length, text, warnings };
}
