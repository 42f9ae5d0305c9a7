import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Parser } from '@vscode/tree-sitter-wasm';
import type { Grammar } from '../../core/language.ts';
import { GRAMMAR_FILES } from './grammar-files.ts';

type TreeSitter = typeof import('@vscode/tree-sitter-wasm');

export interface LoadedGrammar {
  readonly parser: Parser;
}

/** In a bundle they lie beside it; from the sources they are taken from the package. */
function fileOf(name: keyof typeof GRAMMAR_FILES): string {
  const beside = join(import.meta.dirname, GRAMMAR_FILES[name]);
  return existsSync(beside)
    ? beside
    : createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/${GRAMMAR_FILES[name]}`);
}

let runtime: Promise<TreeSitter> | undefined;
const loaded = new Map<Grammar, Promise<LoadedGrammar>>();

/**
 * A grammar, loaded when it is first asked for. WebAssembly, because the code that is parsed is hostile: a flaw in a
 * grammar written in C stays inside its own memory.
 */
export function loadGrammar(name: Grammar): Promise<LoadedGrammar> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = load(name);
  loaded.set(name, loading);
  return loading;
}

async function load(name: Grammar): Promise<LoadedGrammar> {
  runtime ??= loadRuntime();
  const { Parser, Language } = await runtime;
  const language = await Language.load(await readFile(fileOf(name)));
  const parser = new Parser();
  parser.setLanguage(language);
  return { parser };
}

async function loadRuntime(): Promise<TreeSitter> {
  const module = await import('@vscode/tree-sitter-wasm');
  // The package is CommonJS without a list of its exports.
  const treeSitter = 'default' in module ? (module.default as TreeSitter) : module;
  await treeSitter.Parser.init({ locateFile: () => fileOf('runtime') });
  return treeSitter;
}
