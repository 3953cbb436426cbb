// The files of the application, which any web server may serve and `weft ui` does: the page, with the examples that name no
// large file, its programs and its style. Programs and style are of the build (bundle.mjs).

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtPart } from '../built-part.js';
import { isScenarioText } from './named-places.js';

/** the transfers of `npm start` come first */
const firstExample = 'server-pair/no-controller';
/** a scenario that names a larger file is left to the command line */
const mostFileBytes = 100_000;

/** What the page may load, and from where: nothing but its own files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
];

/** Whose page it is: a folder's, or that of `weft ui`, which it may ask. */
export type SiteHome = 'site' | 'machine';

/** The policy of the page's content. */
export function contentPolicy(home: SiteHome): string {
  const own =
    home === 'site' ? policy : policy.map((part) => (part === "connect-src 'none'" ? "connect-src 'self'" : part));
  return own.join('; ');
}

/** All files of the application, by their names. @throws InputError if it was not built */
export async function siteFiles(home: SiteHome): Promise<ReadonlyMap<string, Buffer>> {
  const folder = fileURLToPath(builtPart('site'));
  const files = new Map([['index.html', Buffer.from(await pageHtml(home))]]);
  for (const name of (await readdir(folder)).sort()) files.set(name, await readFile(join(folder, name)));
  return files;
}

/** A scenario of the gallery. */
interface SiteExample {
  readonly name: string;
  /** the first words of its page */
  readonly question: string;
  readonly text: string;
  /** texts of the files that it names */
  readonly files: Readonly<Record<string, string>>;
}

/** The scenarios that the page has. */
export async function siteExamples(): Promise<SiteExample[]> {
  const root = fileURLToPath(new URL('../../../examples/', import.meta.url));
  const found: SiteExample[] = [];
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name: folder } of folders) {
    const names = await readdir(join(root, folder));
    const read = (name: string): Promise<string> => readFile(join(root, folder, name), 'utf8');
    for (const name of names.filter((own) => own.endsWith('.yaml'))) {
      const text = await read(name);
      if (!isScenarioText(text)) continue;
      const files: Record<string, string> = {};
      for (const own of names)
        if (!/\.(yaml|md|svg|mjs)$/.test(own) && text.includes(own)) files[own] = await read(own);
      for (const [path, other] of text.matchAll(/\.\.\/([\w-]+)\/[\w.-]+/g))
        if (folders.some((own) => own.name === other)) files[path] = await read(path);
      if (Object.values(files).some((own) => own.length > mostFileBytes)) continue;
      const question = /^# (.*)$/m.exec(await read('README.md'))?.[1] ?? folder;
      found.push({ name: `${folder}/${name.replace(/\.yaml$/, '')}`, question, text, files });
    }
  }
  return found.sort((a, b) => Number(b.name === firstExample) - Number(a.name === firstExample));
}

/** JSON for a script element: nothing in it ends the element. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

async function pageHtml(home: SiteHome): Promise<string> {
  return `<!doctype html>
<html lang="en" data-home="${home}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(home)}">
<title>Weft: simulate a cluster's network in this page</title>
<meta name="description" content="Describe the network of a GPU cluster, run it, and see where the time goes. Nothing to install, nothing leaves the machine.">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<link rel="modulepreload" href="main.js">
</head>
<body>
<div id="app"><p style="padding:20px">Weft simulates the network of a GPU cluster in this page. It needs JavaScript.</p></div>
<script type="application/json" id="examples">${jsonText(await siteExamples())}</script>
<script type="module" src="main.js"></script>
</body>
</html>
`;
}
