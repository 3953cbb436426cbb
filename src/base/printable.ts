// Text from outside (names, keys, contents of files, paths, arguments) as a terminal may show it: without characters
// that move its cursor, change its title or turn the direction of writing, and without lines that fill the screen.
// Invariant: what is printable already stays as it is, to the character. Not done: letters that only look alike.

/**
 * Control characters (C0, DEL, C1), separators of lines and paragraphs, and marks of direction (Unicode's
 * Bidi_Control).
 */
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text for one line: control characters as `\x1b` or `\u009b`.
 * @param mostCharacters a longer text is cut, and its length said behind it
 */
export function printable(text: string, mostCharacters = Infinity): string {
  if (text.length <= mostCharacters) return text.replace(control, escaped);
  const beginning = text.slice(0, mostCharacters);
  return `${beginning.replace(control, escaped)}... (${text.length} characters)`;
}

/**
 * A text of several lines, such as JSON or a report: line breaks and tabs stay. JSON stays the same value, since
 * its own strings hold characters below \u007f escaped already.
 */
export function printableLines(text: string): string {
  return text.replace(control, (own) => (own === '\n' || own === '\t' ? own : escaped(own)));
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  // \u, as JSON has it, where it would hold the character itself
  return code < 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Lines of at most `columns` characters, broken at spaces; a longer word stands alone on its line. */
export function brokenAtSpaces(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}
