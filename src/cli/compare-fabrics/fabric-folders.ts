// The folders of `weft compare-fabrics --out DIR`: one below DIR for the run on each fabric.
// Invariants: a fabric's folder has its name, as far as that can name a folder, and no two have the same one, on file
// systems that do not tell capitals apart either; what stands in DIR already stays unless --force is given, and even
// then runs on fabrics that are not compared now stay.

import type { ComparisonFolders } from '../../storage/run-folder.js';

/** Folders with the names that they have in DIR. */
export interface FabricFolders extends ComparisonFolders {
  readonly names: readonly string[];
}

/**
 * Looks at the folders; nothing is created.
 * @param fabrics as the user wrote them, families with their parameters
 * @throws InputError if the path is no comparison of Weft, new or empty, or if runs are in it and may not be replaced
 */
export async function fabricFolders(
  out: string | undefined,
  fabrics: readonly string[],
  force: boolean,
): Promise<FabricFolders | null> {
  if (out === undefined) return null;
  const { comparisonFolders, unusable } = await import('../../storage/run-folder.js');
  const names = folderNames(fabrics);
  const found = await comparisonFolders(out, names, null);
  if (found.earlier.length > 0 && !force)
    throw unusable(
      out,
      `holds runs of Weft (${found.earlier.map(({ name }) => name).join(', ')}), so it is left as it is`,
      'give another folder with --out, or add --force to replace those on the same fabrics',
    );
  return { ...found, names };
}

/** characters of a folder's name; file systems take 255 bytes */
const longestName = 60;

/** A name for a folder for each fabric: of a topology file its name without the folders that it is in. */
export function folderNames(fabrics: readonly string[]): string[] {
  const taken = new Set<string>();
  return fabrics.map((fabric) => {
    const last = fabric.split(/[\\/]+/).at(-1)!;
    // results are collected in NAME.partial, and NAME.previous keeps what is not ours
    const plain =
      last
        .replace(/[^\p{L}\p{N}._+-]/gu, '-')
        .replace(/-{2,}/g, '-')
        .slice(0, longestName)
        .replace(/^\.+/, '')
        .replace(/\.(partial|previous[-\d]*)$/i, '-$1')
        .replace(/\.+$/, '') || 'fabric';
    let name = plain;
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${plain}-${i}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
