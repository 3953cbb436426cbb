// The example of a sweep prints what its page says, and pandas and DuckDB read every column of its rows as Weft wrote it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRows } from '../support/csv-rows.js';
import { pandasPython } from '../support/pandas.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'examples/sweep/README.md'), 'utf8');
const python = pandasPython();

let folder = '';
let out = '';
let printed = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-sweep-example-'));
  out = join(folder, 'incast.sweep');
  const [, words] = /^ {4}npx weft (sweep .*)$/m.exec(page)!;
  const command = [join(root, 'dist/cli/main.js'), ...words!.split(' ')];
  await symlink(join(root, 'examples'), join(folder, 'examples'));
  printed = execFileSync(process.execPath, command, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A text as it stands on the page: indented by four, without spaces at the ends of lines. */
function onPage(text: string): string {
  return text
    .replace(/ +$/gm, '')
    .replace(/^(?=.)/gm, '    ')
    .trimEnd();
}

describe('examples/sweep', () => {
  it('prints what its page says', () => {
    expect(page).toContain(onPage(printed));
  });

  it.skipIf(python === null)('is read with pandas and DuckDB as its page says', () => {
    const text = execFileSync(python!, [join(root, 'examples/sweep/read.py'), out], { encoding: 'utf8' });
    expect(page).toContain(onPage(text));
  });
});

/** Prints every value of every column, as pandas and DuckDB read them from Parquet and CSV. */
const readAll = `
import json, sys
import duckdb, pandas
folder = sys.argv[1]
columns = [column["name"] for column in json.load(open(folder + "/sweep.json"))["columns"]]
quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
def plain(value):
    return None if pandas.isna(value) else value.item() if hasattr(value, "item") else value
tables = {}
for form, frame in (("parquet", pandas.read_parquet), ("csv", lambda path: pandas.read_csv(path, float_precision="round_trip"))):
    path = folder + "/runs." + form
    read = frame(path)
    assert list(read.columns) == columns, list(read.columns)
    tables["pandas " + form] = [[plain(value) for value in row] for row in read.itertuples(index=False, name=None)]
    tables["duckdb " + form] = duckdb.sql(f"select {quoted} from '{path}' order by run").fetchall()
tables["types"] = dict(duckdb.sql(f"select column_name, column_type from (describe select * from '{folder}/runs.parquet')").fetchall())
json.dump(tables, sys.stdout)
`;

describe.skipIf(python === null)('pandas and DuckDB read every column of', () => {
  it.each([
    ['the example', () => out],
    ['the fixture', () => join(root, 'test/fixtures/incast.sweep')],
  ])('%s', async (_, place) => {
    const script = join(folder, 'read-all.py');
    await writeFile(script, readAll);
    const { types, ...tables } = JSON.parse(
      execFileSync(python!, [script, place()], { encoding: 'utf8', maxBuffer: 1e8 }),
    ) as {
      types: Record<string, string>;
      [table: string]: unknown;
    };
    const rows = csvRows(readFileSync(join(place(), 'runs.csv'), 'utf8'));
    const { columns } = JSON.parse(readFileSync(join(place(), 'sweep.json'), 'utf8')) as {
      columns: { name: string; type: string }[];
    };
    const sqlTypes: Readonly<Record<string, string>> = {
      whole: 'BIGINT',
      number: 'DOUBLE',
      flag: 'BOOLEAN',
      word: 'VARCHAR',
    };
    expect(types).toEqual(Object.fromEntries(columns.map(({ name, type }) => [name, sqlTypes[type]])));
    expect(Object.keys(tables)).toEqual(['pandas parquet', 'duckdb parquet', 'pandas csv', 'duckdb csv']);
    const wanted = rows.map((row) => columns.map(({ name, type }) => valueOf(row[name]!, type)));
    for (const [table, read] of Object.entries(tables)) expect(read, table).toEqual(wanted);
  });
});

function valueOf(text: string, type: string): unknown {
  if (text === '') return null;
  return type === 'word' ? text : type === 'flag' ? text === 'true' : Number(text);
}
