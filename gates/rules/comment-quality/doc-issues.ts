import type { CodeIssue } from '../../code/parsing/code-issue.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import type { Language } from '../../core/language.ts';
import type { DocumentedFunction, ParsedDoc } from './doc-model.ts';
import { findDocumentedGoFunctions, parseGoDoc } from './go-docs.ts';
import { findDocumentedJavascriptFunctions, parseJsDoc } from './javascript-docs.ts';
import { findDocumentedPythonFunctions, parseDocstring } from './python-docs.ts';
import { findDocumentedRustFunctions, parseRustdoc } from './rust-docs.ts';

const EMPTY = new Set(
  'a an the this that these those of to for from in on at by with and or is are be it its as into given all any some new function method class returns return'.split(
    ' ',
  ),
);

/** The words of a name in camel or snake case. */
const wordsOfName = (name: string): string[] =>
  name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_$-]+/g, ' ')
    .trim()
    .split(/\s+/);

/** A word without the endings that grammar gives it. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/e$/, '');

/** Whether every word of a sentence that means something is in the function's name already. */
export function isRedundantDoc(name: string, sentence: string): boolean {
  const words = (sentence.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !EMPTY.has(word.toLowerCase()));
  const known = new Set(wordsOfName(name).map(stem));
  return words.length > 0 && words.every((word) => wordsOfName(word).every((part) => known.has(stem(part))));
}

interface DocReader {
  readonly documented: (root: SyntaxNode) => DocumentedFunction[];
  readonly content: (doc: string) => ParsedDoc;
}

const READERS: Readonly<Record<Language, DocReader>> = {
  python: { documented: findDocumentedPythonFunctions, content: parseDocstring },
  javascript: { documented: findDocumentedJavascriptFunctions, content: parseJsDoc },
  go: { documented: findDocumentedGoFunctions, content: parseGoDoc },
  rust: { documented: findDocumentedRustFunctions, content: parseRustdoc },
};

/** Longest documentation of one function that is read, in characters. */
const MAX_DOC = 20_000;

/** What a documentation says, as far as it is read. */
export const parseDoc = (language: Language, doc: string): ParsedDoc =>
  READERS[language].content(doc.slice(0, MAX_DOC));

/** What is wrong with the documentation of the public functions of a file. Results, errors and styles are for the tools of the language. */
export const findDocIssues = (root: SyntaxNode, language: Language): CodeIssue[] =>
  READERS[language]
    .documented(root)
    .map((each) => ({ ...each, doc: each.doc.slice(0, MAX_DOC) }))
    .flatMap((each) =>
      findFunctionDocIssues(each, parseDoc(language, each.doc), language).map(
        ({ rule, what, isInformational }) => ({
          rule,
          key: `${each.name} ${what}`,
          line: each.line,
          message: `the documentation of ${each.name} ${what}`,
          isInformational,
        }),
      ),
    );

interface DocIssue {
  readonly rule: string;
  readonly what: string;
  readonly isInformational: boolean;
}

function findFunctionDocIssues(
  { name, doc, parameters }: DocumentedFunction,
  { summary, parameters: said, parameterCoverage }: ParsedDoc,
  language: Language,
): DocIssue[] {
  const known = new Set(parameters.flatMap((each) => (each.name === null ? each.parts : [each.name])));
  const strangers = [...new Set(said)].filter((each) => each !== '' && !known.has(each));
  // As many may be strangers as there are parameters without a name of their own.
  const nameless = parameters.filter((each) => each.name === null).length;
  const words = new Set(doc.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  const missing = parameterCoverage === 'free' ? [] : parameters.flatMap((each) => each.name ?? []);
  return [
    ...strangers.slice(nameless).map((each) => ({
      rule: 'inaccurate',
      what: `describes ${each}, which is no parameter`,
      isInformational: false,
    })),
    ...missing
      .filter((each) => !each.startsWith('_') && !words.has(each))
      .map((each) => ({
        rule: 'incomplete',
        what: `does not mention the parameter ${each}`,
        isInformational: parameterCoverage === 'reported',
      })),
    ...(language === 'go' && !new RegExp(`^(?:(?:An?|The)\\s+)?${name}\\b|^Deprecated:`).test(doc.trimStart())
      ? [{ rule: 'wrong_style', what: 'does not begin with its name', isInformational: true }]
      : []),
    ...(isRedundantDoc(name, summary)
      ? [{ rule: 'redundant', what: 'says no more than its name', isInformational: true }]
      : []),
  ];
}
