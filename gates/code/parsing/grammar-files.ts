import type { Grammar } from '../../core/language.ts';

/** The WebAssembly files that lie beside the bundle of a program that parses. */
export const GRAMMAR_FILES: Readonly<Record<Grammar | 'runtime', string>> = {
  runtime: 'tree-sitter.wasm',
  python: 'tree-sitter-python.wasm',
  javascript: 'tree-sitter-javascript.wasm',
  typescript: 'tree-sitter-typescript.wasm',
  tsx: 'tree-sitter-tsx.wasm',
  go: 'tree-sitter-go.wasm',
  rust: 'tree-sitter-rust.wasm',
};
