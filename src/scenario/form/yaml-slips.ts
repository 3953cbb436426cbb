// The commonest slips in YAML in plain English: what the library's error means and what to do.
// Invariant: an error of another kind is told in the library's own words. Source: the codes of the library `yaml`
// (its documentation, "Errors"). Not modelled: what stood in the author's mind; hints say what is most often wrong.

/** An error of the library, and where it stands in the text. */
export interface YamlSlip {
  readonly code: string;
  /** in the library's words */
  readonly message: string;
  readonly source: string;
  readonly offset: number;
}

/** What is wrong, and what to do. */
export interface SlipWords {
  readonly message: string;
  readonly hint?: string;
}

const bracketHint = 'within { } a name with brackets stands in quotes: "spine[0]"';
const columnHint = 'keys of one block begin in the same column: is this line, or the one above, a space off?';

const words: Readonly<Record<string, SlipWords>> = {
  BAD_INDENT: { message: 'this line is not indented like the others of its block', hint: columnHint },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a key stands where a value is already',
    hint: `${columnHint} A value that has a colon in it stands in quotes`,
  },
  MULTILINE_IMPLICIT_KEY: { message: 'a key has no colon', hint: 'write "key: value", with a colon and a space' },
  BAD_SCALAR_START: { message: 'YAML keeps the first character of this value for itself', hint: 'put it in quotes' },
  UNEXPECTED_TOKEN: { message: 'this is left over', hint: 'is there one } or ] too many, or one too few above?' },
  BAD_DQ_ESCAPE: { message: 'this \\ means nothing in double quotes', hint: 'write \\\\, or use single quotes' },
};

/** An error in words for people; never throws. */
export function slipWords({ code, message, source, offset }: YamlSlip): SlipWords {
  const own = message.replace(/ at line \d+, column \d+:?[^]*$/, '');
  if (/[A-Za-z]$/.test(source.slice(Math.max(0, offset - 1), offset)) && source[offset] === '[')
    return { message: own, hint: bracketHint };
  const open = /^Flow (map|sequence) in block/.exec(message);
  if (
    open !== null ||
    (message.startsWith('Comments must be') && /^\s?$/.test(source.slice(Math.max(0, offset - 1), offset)))
  )
    return unclosed(open === null ? null : open[1] === 'map');
  if (message.startsWith('Comments must be'))
    return {
      message: 'a comment has no space before its #',
      hint: 'write a space before #, or put the value in quotes',
    };
  if (/^Missing closing .quote/.test(message))
    return { message: 'a quote is not closed', hint: 'every " or \' needs another one after the value' };
  return Object.hasOwn(words, code) ? words[code]! : { message: own };
}

/** @param isMap false: a list; null: not known which */
function unclosed(isMap: boolean | null): SlipWords {
  const [what, end] = isMap === null ? ['a { or [', '} or ]'] : isMap ? ['a {', '}'] : ['a [', ']'];
  return { message: `${what} above is not closed`, hint: `put the missing ${end} before this line` };
}
