import type { Issue } from '../../code/parsing/issue.ts';
import type { Syntax } from '../../code/parsing/syntax.ts';
import type { Language } from '../../core/language.ts';
import type { DocContent, DocumentedFunction } from './documented.ts';
import { goContent, goDocumented } from './go.ts';
import { javascriptContent, javascriptDocumented } from './javascript.ts';
import { pythonContent, pythonDocumented } from './python.ts';
import { isRedundant } from './redundant.ts';
import { rustContent, rustDocumented } from './rust.ts';

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

/** What is wrong with the documentation of the public functions of a file. Results, errors and styles are for the tools of the language. */
export const commentIssues = (root: Syntax, language: Language): Issue[] =>
  READERS[language]
    .documented(root)
    .map((each) => ({ ...each, doc: each.doc.slice(0, MAX_DOC) }))
    .flatMap((each) =>
      complaints(each, contentOf(language, each.doc), language).map(({ rule, what, reported }) => ({
        rule,
        key: `${each.name} ${what}`,
        line: each.line,
        message: `the documentation of ${each.name} ${what}`,
        reported,
      })),
    );

interface Complaint {
  readonly rule: string;
  readonly what: string;
  readonly reported: boolean;
}

function complaints(
  { name, doc, parameters }: DocumentedFunction,
  { summary, parameters: said, whole }: DocContent,
  language: Language,
): Complaint[] {
  const known = new Set(parameters.flatMap((each) => (each.name === null ? each.parts : [each.name])));
  const strangers = [...new Set(said)].filter((each) => each !== '' && !known.has(each));
  // As many may be strangers as there are parameters without a name of their own.
  const nameless = parameters.filter((each) => each.name === null).length;
  const words = new Set(doc.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  const missing = whole === 'free' ? [] : parameters.flatMap((each) => each.name ?? []);
  return [
    ...strangers.slice(nameless).map((each) => ({
      rule: 'inaccurate',
      what: `describes ${each}, which is no parameter`,
      reported: false,
    })),
    ...missing
      .filter((each) => !each.startsWith('_') && !words.has(each))
      .map((each) => ({
        rule: 'incomplete',
        what: `does not mention the parameter ${each}`,
        reported: whole === 'reported',
      })),
    ...(language === 'go' && !new RegExp(`^(?:(?:An?|The)\\s+)?${name}\\b|^Deprecated:`).test(doc.trimStart())
      ? [{ rule: 'wrong_style', what: 'does not begin with its name', reported: true }]
      : []),
    ...(isRedundant(name, summary)
      ? [{ rule: 'redundant', what: 'says no more than its name', reported: true }]
      : []),
  ];
}
