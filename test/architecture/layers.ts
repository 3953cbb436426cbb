// The rules of the house, checked on the syntax trees of src: who may import whom, what pure code may not touch, sizes
// and names. A function from texts to complaints, so that the test can show on small made-up trees that each rule
// bites. Not checked: that a pure folder reaches the outside through a value it is handed (that is what base/host.ts is
// for).

import ts from 'typescript';

export interface Layer {
  readonly platform: 'pure' | 'node';
  readonly imports: readonly string[];
  readonly packages?: readonly string[];
}

export interface SourceTree {
  /** src/layers.json: lower layers stand first */
  readonly layers: Readonly<Record<string, Layer>>;
  /** the text of every TypeScript file by its path inside src, with forward slashes */
  readonly files: ReadonlyMap<string, string>;
  /** packages that are installed with Weft (package.json, dependencies and optional ones) */
  readonly dependencies: readonly string[];
}

const longestFile = 400;
/** taken out once: tests reach the compiler through a proxy, too slow to ask for every node */
const { forEachChild } = ts;
const identifier = ts.SyntaxKind.Identifier;
/** kinds of other nodes that a rule is about */
const ruled = new Set([
  ts.SyntaxKind.BinaryExpression,
  ts.SyntaxKind.CallExpression,
  ts.SyntaxKind.Constructor,
  ts.SyntaxKind.ExportDeclaration,
  ts.SyntaxKind.ExternalModuleReference,
  ts.SyntaxKind.ImportDeclaration,
  ts.SyntaxKind.ImportType,
]);
/** arguments of a constructor by position */
const mostArguments = 5;
const reasonForLength = /^\/\/.*\blong\b.*\bbecause\b/i;
const vagueNames = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers', 'misc']);

// What IEEE 754 or ECMAScript defines to the last bit. Everything else of Math may differ between engines.
const exactMath = new Set([
  'abs',
  'ceil',
  'clz32',
  'floor',
  'fround',
  'imul',
  'max',
  'min',
  'round',
  'sign',
  'sqrt',
  'trunc',
  'E',
  'LN10',
  'LN2',
  'LOG10E',
  'LOG2E',
  'PI',
  'SQRT1_2',
  'SQRT2',
]);
const impureGlobals = new Set([
  'Date',
  'Intl',
  'performance',
  'globalThis',
  'process',
  'Buffer',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'require',
  'eval',
]);

/** Half the time of the compiler's own way: comments stay unread, and nodes without a link to what they stand in. */
const reading: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.ES2022,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** The syntax tree of a text; ask for the text of a node with `getText(tree)`. */
export function treeOf(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, reading);
}

/** Calls `action` for every node below `node` with what it stands in. */
export function visit(node: ts.Node, action: (node: ts.Node, parent: ts.Node) => void): void {
  forEachChild(node, (child) => {
    action(child, node);
    visit(child, action);
  });
}

/** @returns one line for each broken rule; empty if the house is in order */
export function checkLayers(tree: SourceTree): string[] {
  const complaints = checkTable(tree);
  const importsOf = new Map<string, string[]>();
  for (const [path, text] of tree.files) {
    const folder = folderOf(path);
    const layer = tree.layers[folder];
    if (layer === undefined) {
      complaints.push(
        folder === ''
          ? `${path}: a file belongs in a folder of src`
          : `${path}: folder ${folder} is not in src/layers.json`,
      );
      continue;
    }
    const source = treeOf(path, text);
    const at = (node: ts.Node): string =>
      `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    const imported: string[] = [];
    visit(source, (node, parent) => {
      const isPure = layer.platform === 'pure';
      if (node.kind === identifier) {
        const impure = isPure ? impureName(node as ts.Identifier, parent, source) : null;
        if (impure !== null) complaints.push(`${at(node)}: ${impure}`);
      }
      if (!ruled.has(node.kind)) return;
      const module = moduleOf(node);
      if (module !== undefined) {
        const broken = checkImport(tree, path, module, imported);
        if (broken !== null) complaints.push(`${at(node)}: ${broken}`);
      }
      if (ts.isConstructorDeclaration(node))
        complaints.push(...checkConstructor(node, folder).map((broken) => `${at(node)}: ${broken}`));
      const impure = isPure ? impurePower(node, source) : null;
      if (impure !== null) complaints.push(`${at(node)}: ${impure}`);
    });
    importsOf.set(path, imported);
    complaints.push(...checkForm(path, text));
  }
  return [...complaints, ...cycles(importsOf)];
}

function checkTable({ layers }: SourceTree): string[] {
  const complaints: string[] = [];
  const lower = new Set<string>();
  for (const [folder, layer] of Object.entries(layers)) {
    for (const target of layer.imports) {
      // Listing lower layers first makes the graph acyclic and readable.
      if (!lower.has(target))
        complaints.push(`layers.json: ${folder} imports ${target}, which is not listed before it`);
      else if (layer.platform === 'pure' && layers[target]!.platform === 'node')
        complaints.push(`layers.json: pure ${folder} imports ${target}, which needs Node`);
    }
    lower.add(folder);
  }
  return complaints;
}

/** Checks one import of a file; adds the file it names to `imported`. */
function checkImport(tree: SourceTree, path: string, module: string | null, imported: string[]): string | null {
  const folder = folderOf(path);
  const layer = tree.layers[folder]!;
  if (module === null) return layer.platform === 'pure' ? 'imports a module whose name is computed' : null;
  if (module.startsWith('node:'))
    return layer.platform === 'pure' ? `${folder} is pure and may not import ${module}` : null;
  if (!/^\.\.?\//.test(module)) {
    if (/^[#/]/.test(module)) return `imports ${module}: files of src are imported by relative paths`;
    const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/');
    if (!(layer.packages ?? []).includes(name)) return `${folder} may not import the package ${name}`;
    return tree.dependencies.includes(name)
      ? null
      : `the package ${name} is not among the dependencies in package.json`;
  }
  const target = resolvePath(path, module);
  if (target === null) return `imports ${module}, outside src`;
  if (!tree.files.has(target)) return `imports ${module}, which is no file of src (write ./name.js for ./name.ts)`;
  imported.push(target);
  const other = folderOf(target);
  if (other !== folder && !layer.imports.includes(other)) return `${folder} may not import ${other} (${module})`;
  const [kind, otherKind] = [pluginKind(path), pluginKind(target)];
  if (kind !== null && otherKind !== null && kind !== otherKind && !tables.has(kind))
    return `plug-ins of ${kind} may not import ${otherKind} (${module})`;
  return null;
}

/** The module that a node imports: null if its name is computed, undefined if the node imports nothing. */
function moduleOf(node: ts.Node): string | null | undefined {
  let name: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    if (node.moduleSpecifier === undefined) return undefined;
    name = node.moduleSpecifier;
  } else if (ts.isExternalModuleReference(node)) name = node.expression;
  else if (ts.isImportTypeNode(node)) name = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) name = node.arguments[0];
  else return undefined;
  return name !== undefined && ts.isStringLiteralLike(name) ? name.text : null;
}

/** What a power does that pure code may not: rule 2 of the design. */
function impurePower(node: ts.Node, source: ts.SourceFile): string | null {
  if (!ts.isBinaryExpression(node)) return null;
  const operator = node.operatorToken.kind;
  if (operator === ts.SyntaxKind.AsteriskAsteriskEqualsToken) return '**= is not exact on every engine';
  // A power of two written out, such as 2 ** 40, is a constant and exact.
  const isExact = (): boolean => node.left.getText(source) === '2' && /^\d{1,3}$/.test(node.right.getText(source));
  return operator === ts.SyntaxKind.AsteriskAsteriskToken && !isExact() ? '** is not exact on every engine' : null;
}

/** What a name reaches that pure code may not: rule 2 of the design. */
function impureName(node: ts.Identifier, parent: ts.Node, source: ts.SourceFile): string | null {
  const name = node.text;
  if (name === 'localeCompare' || name.startsWith('toLocale')) return `${name} depends on the machine`;
  if (name !== 'Math' && !impureGlobals.has(name)) return null;
  const isMemberName =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node);
  const isKey =
    (ts.isPropertyAssignment(parent) ||
      ts.isClassElement(parent) ||
      ts.isTypeElement(parent) ||
      ts.isEnumMember(parent)) &&
    parent.name === node;
  if (isMemberName || isKey) return null;
  if (name === 'Math') {
    if (ts.isPropertyAccessExpression(parent) && exactMath.has(parent.name.text)) return null;
    return `${ts.isPropertyAccessExpression(parent) ? parent.getText(source) : 'Math as a value'} is not exact on every engine: base/ has what is`;
  }
  return `${name} is not for pure code: it enters through Host`;
}

function checkForm(path: string, text: string): string[] {
  const complaints: string[] = [];
  const lines = text.split('\n');
  const length = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (length > longestFile && !reasonForLength.test(lines[0]!)) {
    complaints.push(`${path}: ${length} lines; more than ${longestFile} need a first line "// ... long because ..."`);
  }
  const vague = path
    .toLowerCase()
    .split(/[/.\-_]/)
    .find((word) => vagueNames.has(word));
  if (vague !== undefined) complaints.push(`${path}: "${vague}" says nothing; name the idea`);
  return complaints;
}

/** In the engine parts are passed as what they are, not as closures; everywhere many are passed by name. */
function checkConstructor({ parameters }: ts.ConstructorDeclaration, folder: string): string[] {
  const complaints: string[] = [];
  const isEngine = folder === 'engine' || folder === 'backends';
  if (isEngine && parameters.some(({ type }) => type !== undefined && ts.isFunctionTypeNode(type)))
    complaints.push('a constructor that takes a closure; name what is called in an interface');
  if (parameters.length > mostArguments)
    complaints.push(`a constructor that takes ${parameters.length} by position; give it one object with names`);
  return complaints;
}

/** Each cycle among files, told once. Imports of types count: files that need each other are one idea. */
function cycles(importsOf: ReadonlyMap<string, readonly string[]>): string[] {
  const complaints: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const walk = (path: string): void => {
    const start = trail.indexOf(path);
    if (start >= 0) complaints.push(`files import each other: ${[...trail.slice(start), path].join(' -> ')}`);
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of importsOf.get(path) ?? []) walk(target);
    trail.pop();
    done.add(path);
  };
  for (const path of importsOf.keys()) walk(path);
  return complaints;
}

/** `base` of `base/units.ts`; "" for a file that lies in src itself. */
function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** `congestion` of `backends/packet/congestion/dcqcn/dcqcn.ts`; null for other files. */
/** Rooms of the packet backend that are no kind of plug-in: what every kind may build on. */
const rooms = new Set(['nic', 'switch']);
/** Folders that say things of the settings of all kinds, and that no kind imports. */
const tables = new Set(['no-effect']);

function pluginKind(path: string): string | null {
  const folder = /^backends\/packet\/([^/]+)\//.exec(path)?.[1] ?? null;
  return folder === null || rooms.has(folder) ? null : folder;
}

/** The path inside src that a relative import names; null if it leads out of src. */
function resolvePath(from: string, module: string): string | null {
  const parts = from.split('/').slice(0, -1);
  for (const part of module.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '.') parts.push(part);
  }
  return parts.join('/').replace(/\.js$/, '.ts');
}
