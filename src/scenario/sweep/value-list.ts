// `a,b,c` of a `--set` into its values: split at commas that stand outside brackets, braces and quotes, as YAML has
// them.
// Invariants: joined with commas again the values are the text but for spaces around them; a quote that is not at the
// beginning of a word is a letter (`it's`); what is opened and not closed is said with its place.
// Not checked: whether a value is YAML; the scenario says so.

/** A list that cannot be split. */
export interface ListMistake {
  /** from 1 */
  readonly column: number;
  readonly message: string;
  readonly wanted: string;
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

/** @returns the values, or what is wrong with the text */
export function splitValues(text: string): readonly string[] | ListMistake {
  const values: string[] = [];
  const open: { readonly close: string; readonly at: number }[] = [];
  let start = 0;
  // a quote opens a quoted text here
  let isWordStart = true;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (isWordStart && (character === '"' || character === "'")) {
      const end = endOfQuoted(text, i);
      if (end === null) return mistake(i, `a quote is not closed`, `another ${character}`);
      i = end;
      isWordStart = false;
    } else if (character === '[' || character === '{') {
      open.push({ close: closing[character]!, at: i });
      isWordStart = true;
    } else if (character === ']' || character === '}') {
      const last = open.pop();
      if (last?.close !== character)
        return mistake(
          i,
          last === undefined ? `${character} closes nothing` : `${character} stands where ${last.close} is due`,
          'brackets and braces in pairs',
        );
      isWordStart = false;
    } else if (character === ',' && open.length === 0) {
      values.push(text.slice(start, i));
      start = i + 1;
      isWordStart = true;
    } else if (character === ',' || character === ':') isWordStart = true;
    else if (character !== ' ') isWordStart = false;
  }
  const unclosed = open.pop();
  if (unclosed !== undefined)
    return mistake(unclosed.at, `${text[unclosed.at]!} is not closed`, `a ${unclosed.close} behind it`);
  values.push(text.slice(start));
  const empty = values.findIndex((value) => value.trim() === '');
  if (empty !== -1 && values.length > 1) {
    const before = values.slice(0, empty).reduce((sum, value) => sum + value.length + 1, 0);
    return mistake(before, 'a value is empty', 'a value on each side of a comma');
  }
  return values.map((value) => value.trim());
}

/** Where the quoted text that begins at `from` ends; null: nowhere. */
function endOfQuoted(text: string, from: number): number | null {
  const quote = text[from]!;
  for (let i = from + 1; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++;
    else if (text[i] === quote) {
      if (quote === '"' || text[i + 1] !== quote) return i;
      i++;
    }
  }
  return null;
}

function mistake(at: number, message: string, wanted: string): ListMistake {
  return { column: at + 1, message, wanted };
}
