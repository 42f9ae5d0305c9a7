/** Grammars that we parse with. `tsx` is TypeScript with JSX, which reads `<T>x` differently. */
export const GRAMMARS = ['python', 'javascript', 'typescript', 'tsx', 'go', 'rust'] as const;
export type Grammar = (typeof GRAMMARS)[number];

/** The languages as people name them: one for everything that resolves modules as Node and its bundlers do. */
export type Language = 'python' | 'javascript' | 'go' | 'rust';

const BY_EXTENSION: Readonly<Record<string, Grammar>> = {
  py: 'python',
  pyi: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  go: 'go',
  rs: 'rust',
};

/** The grammar that a file is read with, by its name; null for what is no code of the four languages. */
export function grammarOfPath(path: string): Grammar | null {
  const dot = path.lastIndexOf('.');
  if (dot <= path.lastIndexOf('/') + 1) return null;
  return BY_EXTENSION[path.slice(dot + 1).toLowerCase()] ?? null;
}

export const languageOfGrammar = (grammar: Grammar): Language =>
  grammar === 'typescript' || grammar === 'tsx' ? 'javascript' : grammar;

/** Folders of installed or vendored code: it is not the work, and nobody who works here can mend it. */
const VENDORED_FOLDERS = /(^|\/)(node_modules|vendor|site-packages|\.[^/]+)\//;
/** Whether a path is code of the project, in one of the four languages. Hidden and vendored folders are not. */
export const isProjectCodePath = (path: string): boolean =>
  grammarOfPath(path) !== null && !VENDORED_FOLDERS.test(`/${path}`);
/** Order in which languages are looked at. */
export const LANGUAGES = ['python', 'javascript', 'go', 'rust'] as const satisfies readonly Language[];
