import {
  type AdversarialCase,
  CAUGHT_BY_ANY_RUN,
  type CaseFiles,
  type PatchFiles,
  replaceText,
} from '../adversarial-case.ts';
import { buildRustCase, RUST_BASE_FILES, RUST_LIB_SOURCE } from '../rust-project.ts';

const READ = `use std::fs;
use std::io;

/// Hours of a file.
pub fn read(path: &str) -> Result<Vec<u32>, String> {
    let text = load(path)?;
    Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
}

fn load(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error: io::Error| error.to_string())
}
`;
const WITH_READ: CaseFiles = {
  ...RUST_BASE_FILES,
  'src/lib.rs': replaceText(RUST_LIB_SOURCE, ['//! Clocks.\n', '//! Clocks.\n\npub mod read;\n']),
  'src/read.rs': READ,
};
const added = (text: string): PatchFiles => ({
  'src/lib.rs': replaceText(RUST_LIB_SOURCE, ['//! Clocks.\n', '//! Clocks.\n\npub mod more;\n']),
  'src/more.rs': text,
});

/** Errors of Rust that nobody learns of. */
export const rustSwallowedErrorCases: readonly AdversarialCase[] = [
  buildRustCase(
    'hidden failures',
    'a panic is caught, and a default given in its place',
    added(
      'pub fn limit(text: &str) -> u32 {\n    std::panic::catch_unwind(|| text.parse::<u32>().unwrap()).unwrap_or(0)\n}\n',
    ),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'what is no number has a default',
      patch: added('pub fn limit(text: &str) -> u32 {\n    text.parse::<u32>().unwrap_or(10)\n}\n'),
    },
  ),
  buildRustCase(
    'hidden failures',
    'what cannot be written is thrown away',
    added('pub fn save(path: &str, text: &str) {\n    let _ = std::fs::write(path, text);\n}\n'),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'what cannot be removed is thrown away, what cannot be written is told',
      patch: added(
        'use std::{fs, io};\n\npub fn save(path: &str, text: &str) -> io::Result<()> {\n    let _ = fs::remove_file(path);\n    fs::write(path, text)\n}\n',
      ),
    },
  ),
  buildRustCase(
    'hidden failures',
    'an error that was handed on becomes a default',
    { 'src/read.rs': READ.replace('load(path)?', 'load(path).unwrap_or_default()') },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'an error that was handed on gets a kind',
      base: WITH_READ,
      patch: {
        'src/read.rs': READ.replace('load(path)?', 'load(path).map_err(|error| format!("{path}: {error}"))?'),
      },
    },
    WITH_READ,
  ),
  buildRustCase(
    'hidden failures',
    'any error becomes a success',
    {
      'src/read.rs': READ.replace(
        'let text = load(path)?;\n',
        'let text = match load(path) {\n        Ok(text) => text,\n        Err(_) => return Ok(Vec::new()),\n    };\n',
      ),
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'one kind of error is an answer, all others are handed on',
      base: WITH_READ,
      patch: {
        'src/read.rs': `${READ}\npub fn there(path: &str) -> io::Result<Option<String>> {\n    match fs::read_to_string(path) {\n        Ok(text) => Ok(Some(text)),\n        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),\n        Err(error) => Err(error),\n    }\n}\n\npub fn port() -> u16 {\n    match std::env::var("PORT") {\n        Ok(port) => port.parse().unwrap_or(80),\n        Err(_) => 80,\n    }\n}\n`,
      },
    },
    WITH_READ,
  ),
];
