import type { Issue } from '../../code/issue.ts';
import type { Language } from '../../code/language.ts';
import type { Syntax } from '../../code/syntax.ts';
import type { DocContent, DocumentedFunction, Style } from './documented.ts';
import { goContent, goDocumented } from './go-docs.ts';
import { javascriptContent, javascriptDocumented } from './javascript-docs.ts';
import { pythonDocumented } from './python-docs.ts';
import { pythonContent } from './python-style.ts';
import { isRedundant } from './redundant.ts';
import { rustContent, rustDocumented } from './rust-docs.ts';

interface Reader {
  readonly documented: (root: Syntax) => DocumentedFunction[];
  readonly content: (doc: string) => DocContent;
}

const READERS: Readonly<Record<Language, Reader>> = {
  python: { documented: pythonDocumented, content: pythonContent },
  javascript: { documented: javascriptDocumented, content: javascriptContent },
  go: { documented: goDocumented, content: goContent },
  rust: { documented: rustDocumented, content: rustContent },
};

/** Longest documentation of one function that is read, in characters. */
const MAX_DOC = 20_000;

/** What a documentation says, as far as it is read. */
export const contentOf = (language: Language, doc: string): DocContent =>
  READERS[language].content(doc.slice(0, MAX_DOC));

/** What is wrong with the documentation of the public functions of a file. */
export function commentIssues(root: Syntax, language: Language, style: Style): Issue[] {
  const functions = READERS[language]
    .documented(root)
    .map((each) => ({ ...each, doc: each.doc.slice(0, MAX_DOC) }));
  return functions.flatMap((each) => {
    const said = contentOf(language, each.doc);
    const found = [
      ...inaccurate(each, said),
      ...(said.inherits ? [] : incomplete(each, said, language)),
      ...wrongStyle(each, said, language, style),
      ...(isRedundant(each.name, said.summary)
        ? [{ rule: 'redundant', what: 'says no more than its name', reported: true }]
        : []),
    ];
    return found.map(({ rule, what, reported }) => ({
      rule,
      key: `${each.name} ${what}`,
      line: each.line,
      message: `the documentation of ${each.name} ${what}`,
      reported,
    }));
  });
}

interface Complaint {
  readonly rule: string;
  readonly what: string;
  readonly reported: boolean;
}

function inaccurate({ parameters }: DocumentedFunction, { parameters: said }: DocContent): Complaint[] {
  const known = new Set(parameters.flatMap(({ name, parts }) => (name === null ? parts : [name])));
  const strangers = [...new Set(said)].filter((name) => name !== '' && !known.has(name));
  // As many may be strangers as there are parameters without a name of their own.
  const nameless = parameters.filter(({ name }) => name === null).length;
  return strangers.slice(nameless).map((name) => ({
    rule: 'inaccurate',
    what: `describes ${name}, which is no parameter`,
    reported: false,
  }));
}

function incomplete(
  { doc, parameters, returns, raises }: DocumentedFunction,
  said: DocContent,
  language: Language,
): Complaint[] {
  const words = new Set(doc.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  // In Go and Rust parameters are described where they need it; only a list that is begun has to be whole.
  const expects = language === 'python' || language === 'javascript' || said.parameters.length > 0;
  const missing = expects
    ? parameters.flatMap(({ name }) =>
        name === null || name.startsWith('_') || words.has(name) ? [] : [name],
      )
    : [];
  // A comment of JavaScript or TypeScript without a tag is prose, which is a custom of its own there.
  const isProse =
    language === 'javascript' && !said.returns && said.parameters.length + said.raises.length === 0;
  const complaint = (what: string): Complaint => ({ rule: 'incomplete', what, reported: isProse });
  return [
    ...missing.map((name) => complaint(`does not mention the parameter ${name}`)),
    ...(returns && !said.returns && !saysWhatItGives(said.summary, doc)
      ? [complaint('does not say what it returns')]
      : []),
    ...raises
      .filter((name) => !said.raises.includes(name) && !mentionsError(doc, words, name))
      .map((name) =>
        complaint(
          language === 'rust'
            ? `does not speak of ${name.toLowerCase()}`
            : `does not mention ${name || 'what it throws'}`,
        ),
      ),
  ];
}

/** Prose that says it too: "returns …", or a first sentence that names the thing itself. */
const saysWhatItGives = (summary: string, doc: string): boolean =>
  /\b(?:returns?|returning|yields?|yielding|gives|produces|resolves)\b/i.test(doc) ||
  /^(?:an?|the|whether|true|false|how|what|which|where|every|all)\b/i.test(summary);

const WORDS: Readonly<Record<string, RegExp>> = {
  Errors: /\b(?:error|fail)/i,
  Panics: /\bpanic/i,
  Safety: /\bsafe/i,
  '': /\bthrow/i,
};
const mentionsError = (doc: string, words: ReadonlySet<string>, name: string): boolean =>
  words.has(name) || (WORDS[name]?.test(doc) ?? false);

function wrongStyle(
  { name, doc }: DocumentedFunction,
  { styles }: DocContent,
  language: Language,
  style: Style,
): Complaint[] {
  const complaint = (what: string): Complaint[] => [{ rule: 'wrong_style', what, reported: true }];
  if (language === 'go')
    return new RegExp(`^(?:(?:An?|The)\\s+)?${name}\\b|^Deprecated:`).test(doc.trimStart())
      ? []
      : complaint('does not begin with its name');
  if (language !== 'python') return [];
  const other = styles.find((each) => each !== style);
  if (style !== 'auto') return other ? complaint(`is in the style ${other}, not ${style}`) : [];
  return styles.length > 1 ? complaint(`mixes the styles ${styles.join(' and ')}`) : [];
}
