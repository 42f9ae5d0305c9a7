import { autoFormatGate } from '../../../gates/gates/auto-format.ts';
import { commentQualityGate } from '../../../gates/gates/comment-quality.ts';
import { depAuditGate } from '../../../gates/gates/dep-audit.ts';
import { lintGate } from '../../../gates/gates/lint.ts';
import { mutationTestingGate } from '../../../gates/gates/mutation-testing.ts';
import { testsGate } from '../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../gates/gates/type-check.ts';
import type { FileContents } from '../../support/patch-fixture.ts';
import { type RealCase, realTools } from './cases.ts';

const manifest = (name: string): string =>
  `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n`;
const CRATE: FileContents = { 'Cargo.toml': manifest('a') };
const ODD = 'src/ü_x.rs';
/** Clippy: `needless_return`. */
const lazy = (name: string): string => `pub fn ${name}() -> i32 {\n    return 1;\n}\n`;
const WORKSPACE: FileContents = {
  'rs/Cargo.toml': '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
  'rs/a/Cargo.toml': manifest('a'),
  'rs/a/src/lib.rs': 'pub fn f() -> i32 {\n    1\n}\n',
  'rs/b/Cargo.toml': `${manifest('b')}[dependencies]\na = { path = "../a" }\n`,
  'rs/b/src/lib.rs': 'pub fn g() -> i32 {\n    a::f()\n}\n',
};
const MAX =
  'pub fn max(a: i32, b: i32) -> i32 {\n    if a > b {\n        a\n    } else {\n        b\n    }\n}\n\n#[test]\nfn t() {\n    assert_eq!(max(2, 1), 2);\n}\n';

const LINT: readonly RealCase[] = [
  {
    what: 'clippy passes a clean patch',
    gate: lintGate,
    needs: 'cargo-clippy',
    base: { ...CRATE, 'src/lib.rs': '' },
    edits: { 'src/lib.rs': 'pub fn f() -> i32 {\n    1\n}\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'clippy', exit_code: 0 },
  },
  {
    what: 'clippy tells a new complaint from an old one, in a file with an odd name',
    gate: lintGate,
    needs: 'cargo-clippy',
    base: { ...CRATE, 'src/lib.rs': `#[path = "ü_x.rs"]\npub mod x;\n${lazy('old')}`, [ODD]: '' },
    edits: { [ODD]: lazy('new') },
    outcome: 'failed',
    findings: [`${ODD}:2 clippy::needless_return`, 'src/lib.rs:4 clippy::needless_return (before)'],
    facts: { exit_code: 0 },
  },
  {
    what: 'clippy is not silenced by code that does not compile',
    gate: lintGate,
    needs: 'cargo-clippy',
    base: { ...CRATE, 'src/lib.rs': 'pub fn f() -> i32 {\n    1\n}\n' },
    edits: { 'src/lib.rs': 'pub fn f() -> i32 {\n    g()\n}\n' },
    outcome: 'failed',
    findings: ['src/lib.rs:2 E0425'],
    facts: { exit_code: 101 },
  },
  {
    what: 'clippy that stops at the base has not looked at the patch',
    gate: lintGate,
    needs: 'cargo-clippy',
    base: { ...CRATE, 'src/lib.rs': 'pub mod b;\npub fn f() -> i32 {\n    g()\n}\n', 'src/b.rs': '' },
    edits: { 'src/b.rs': lazy('h') },
    outcome: 'could_not_run',
    findings: ['src/lib.rs:3 E0425'],
  },
  {
    what: 'clippy with a broken manifest in the base says nothing about the patch',
    gate: lintGate,
    needs: 'cargo-clippy',
    base: { 'Cargo.toml': '[package\n', 'src/lib.rs': '' },
    edits: { 'src/lib.rs': 'pub fn f() {}\n' },
    outcome: 'could_not_run',
    detail: /^clippy breaks on the base too.*exit 101/s,
  },
  {
    what: 'rustfmt says which file it would write differently, whatever its name',
    gate: autoFormatGate,
    needs: 'rustfmt',
    base: CRATE,
    edits: { 'a dir/ü x.rs': 'pub fn  f( ) {}\n', 'src/lib.rs': 'pub fn f() {}\n' },
    outcome: 'passed',
    findings: ['a dir/ü x.rs:null not_formatted'],
  },
];

const BUILD: readonly RealCase[] = [
  {
    what: 'cargo check looks at the whole workspace, below the top',
    gate: typeCheckGate,
    needs: 'cargo',
    base: WORKSPACE,
    edits: { 'rs/a/src/lib.rs': 'pub fn f() -> i64 {\n    1\n}\n' },
    outcome: 'failed',
    findings: ['rs/b/src/lib.rs:2 E0308'],
    facts: { folder: 'rs', exit_code: 101 },
  },
  {
    what: 'cargo test passes a clean patch',
    gate: testsGate,
    needs: 'cargo',
    base: { ...CRATE, 'src/lib.rs': '' },
    edits: { 'src/lib.rs': MAX },
    outcome: 'passed',
  },
  {
    what: 'cargo test passes beside a crate that has nothing but programs without tests, such as a fuzzer',
    gate: testsGate,
    needs: 'cargo',
    base: {
      ...CRATE,
      'src/lib.rs': MAX,
      'fuzz/Cargo.toml': `${manifest('fuzz')}[[bin]]\nname = "f"\npath = "f.rs"\ntest = false\n[workspace]\n`,
      'fuzz/f.rs': 'fn main() {}\n',
    },
    edits: { 'src/lib.rs': `${MAX}\n`, 'fuzz/f.rs': 'fn main() {}\n\n' },
    outcome: 'passed',
  },
  {
    what: 'cargo test of a crate without tests is no pass',
    gate: testsGate,
    needs: 'cargo',
    base: {
      'Cargo.toml': `${manifest('f')}[[bin]]\nname = "f"\npath = "f.rs"\ntest = false\n`,
      'f.rs': 'fn main() {}\n',
    },
    edits: { 'f.rs': 'fn main() {}\n\n' },
    outcome: 'could_not_run',
  },
];

const LOCKED = (version: string): string =>
  `version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\ndependencies = ["bad"]\n\n[[package]]\nname = "bad"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "0000000000000000000000000000000000000000000000000000000000000000"\n`;
/** A database of known holes, as the tool reads it from a folder, and the configuration that leads to it. */
const DATABASE: FileContents = {
  '.cargo/audit.toml':
    '[database]\npath = "advisories"\nfetch = false\nstale = true\n[yanked]\nenabled = false\n',
  'advisories/crates/bad/RUSTSEC-2024-0001.md':
    '```toml\n[advisory]\nid = "RUSTSEC-2024-0001"\npackage = "bad"\ndate = "2024-01-01"\n\n[versions]\npatched = [">= 2.0.0"]\n```\n\n# It is bad\n\nMade up.\n',
};

const MEASURED: readonly RealCase[] = [
  {
    what: 'clippy names errors, panics and dangers that documentation leaves out',
    gate: commentQualityGate,
    needs: 'cargo-clippy',
    base: {
      ...CRATE,
      'src/lib.rs': '/// Reads on.\npub fn old(a: &str) -> Result<u8, String> {\n    Err(a.into())\n}\n',
    },
    edits: {
      'src/lib.rs':
        '#[path = "ü_x.rs"]\npub mod x;\n/// Reads on.\npub fn old(a: &str) -> Result<u8, String> {\n    Err(a.into())\n}\n',
      [ODD]:
        '/// Stops here.\npub fn stop(a: Option<u8>) -> u8 {\n    a.unwrap()\n}\n\n/// Looks there.\npub unsafe fn look(a: *const u8) -> u8 {\n    unsafe { *a }\n}\n\n/// Gives up.\n///\n/// # Errors\n///\n/// Each time.\npub fn fail() -> Result<u8, String> {\n    Err(String::new())\n}\n',
    },
    outcome: 'failed',
    findings: [`${ODD}:2 incomplete`, `${ODD}:7 incomplete`, 'src/lib.rs:4 incomplete (before)'],
  },
  {
    what: 'cargo-mutants names the changes that no test notices, in a crate below the top',
    gate: mutationTestingGate,
    needs: 'cargo-mutants',
    base: { 'rs/Cargo.toml': manifest('a'), 'rs/src/lib.rs': '' },
    edits: { 'rs/src/lib.rs': MAX },
    settings: { mutation_threshold: 0.95 },
    outcome: 'failed',
    findings: ['rs/src/lib.rs:2 mutant_survived'],
    facts: { tool: 'cargo-mutants', folder: 'rs' },
  },
  {
    what: 'cargo-audit names the hole that a new version has',
    gate: depAuditGate,
    needs: 'cargo-audit',
    base: { ...CRATE, ...DATABASE, 'Cargo.lock': LOCKED('2.0.0') },
    edits: { 'Cargo.lock': LOCKED('1.0.0') },
    outcome: 'failed',
    findings: ['null:null RUSTSEC-2024-0001'],
    facts: { tool: 'cargo-audit', exit_code: 1 },
  },
  {
    what: 'cargo-audit passes what has no known hole',
    gate: depAuditGate,
    needs: 'cargo-audit',
    base: { ...CRATE, ...DATABASE, 'Cargo.lock': LOCKED('1.0.0') },
    edits: { 'Cargo.lock': LOCKED('2.0.0') },
    outcome: 'passed',
    facts: { exit_code: 0 },
  },
  {
    what: 'cargo-audit without its database has not passed',
    gate: depAuditGate,
    needs: 'cargo-audit',
    base: {
      ...CRATE,
      '.cargo/audit.toml': DATABASE['.cargo/audit.toml'] ?? '',
      'Cargo.lock': LOCKED('1.0.0'),
    },
    edits: { 'Cargo.lock': LOCKED('2.0.0') },
    outcome: 'infra_failed',
  },
];

realTools('the linter of Rust', LINT);
realTools('the compiler and the tests of Rust', BUILD);
realTools('what is measured in Rust', MEASURED);
