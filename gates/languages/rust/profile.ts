import { createSemgrepTool, type LanguageProfile } from '../language-tool.ts';

const asksCargo = (program: string, question: string): string =>
  `command -v ${program} >/dev/null || exit 127; ${question}`;
const CLIPPY = {
  name: 'clippy',
  versionLine: asksCargo('cargo-clippy', 'cargo clippy --version'),
  installHint: 'rustup component add clippy',
} as const;
const RUST = { installHint: 'install Rust from rustup.rs' };

/**
 * Line that runs what `cargo test` does. Rust's own runner names its tests only to whoever allows unstable options, which is allowed to
 * the test programs alone, not to the compiler. Tests in documentation, and examples, are told by an exit code. Projects with runners
 * of their own understand no such options and run as they are.
 */
const CARGO_TEST = [
  'cargo --version > /dev/null || exit 127',
  "if grep -rqs --include=Cargo.toml '^[[:space:]]*harness[[:space:]]*=[[:space:]]*false' . || grep -qs runner .cargo/config .cargo/config.toml; then cargo test --quiet --no-fail-fast; exit $?; fi",
  // Prints what the programs print, and keeps the lines that are events.
  `cargo test --quiet --no-fail-fast --tests --config 'target."cfg(all())".runner=["env","RUSTC_BOOTSTRAP=1"]' -- -Z unstable-options --format json --report-time > "$REPORT"; code=$?`,
  String.raw`told() { if [ $1 = 0 ]; then event=ok; else event=failed; code=$1; fi; printf '{"type":"test","event":"%s","name":"%s"}\n' $event $2 >> "$REPORT"; }`,
  // A crate such as a fuzzer's has no test program; that is a report of no tests, not a missing one.
  String.raw`if [ $code = 0 ] && [ ! -s "$REPORT" ]; then printf '{"type":"suite","event":"started","test_count":0}\n{"type":"suite","event":"ok","failed":0}\n' > "$REPORT"; fi`,
  `if cargo metadata --no-deps --format-version 1 2>/dev/null | grep -q '"doctest":true'; then cargo test --quiet --no-fail-fast --doc; told $? doctests; fi`,
  `if cargo metadata --no-deps --format-version 1 2>/dev/null | grep -qF '"kind":["example"]'; then cargo build --quiet --examples; told $? examples; fi`,
  `grep -a '"event": *"failed"' "$REPORT" | head -c 20000; exit $code`,
].join('\n');

/** Rust: clippy, cargo check, cargo test, semgrep, cargo audit. */
export const rustProfile: LanguageProfile = {
  language: 'rust',
  tools: [
    {
      ...CLIPPY,
      kind: 'lint',
      line: 'cargo clippy --quiet --all-targets --message-format=json > "$REPORT"',
      format: 'cargo',
      findingExitCodes: [101],
      // What does not compile is not looked at.
      stopRules: { rules: /^(?:E\d{4}|error)$/, at: 'all' },
      signs: [
        { file: 'clippy.toml' },
        { file: '.clippy.toml' },
        { file: 'Cargo.toml', pattern: /^\[(workspace\.)?lints\b/m },
      ],
      isDefault: true,
    },
    {
      ...RUST,
      kind: 'type_check',
      name: 'cargo check',
      versionLine: asksCargo('cargo', 'cargo --version'),
      line: 'cargo check --quiet --all-targets --message-format=json > "$REPORT"',
      format: 'cargo_errors',
      findingExitCodes: [101],
      signs: [{ file: 'Cargo.toml' }],
      isDefault: true,
    },
    {
      ...RUST,
      kind: 'tests',
      name: 'cargo test',
      versionLine: asksCargo('cargo', 'cargo --version'),
      line: CARGO_TEST,
      // Not every project can be asked for a report.
      format: null,
      findingExitCodes: [101],
      signs: [{ file: 'Cargo.toml' }],
      isDefault: true,
    },
    createSemgrepTool('p/rust'),
    {
      kind: 'dep_audit',
      name: 'cargo-audit',
      versionLine: asksCargo('cargo-audit', 'cargo audit --version'),
      installHint: 'cargo install cargo-audit',
      line: 'cargo audit --json > "$REPORT"',
      format: 'cargo_audit',
      findingExitCodes: [1],
      signs: [{ file: 'Cargo.lock' }, { file: 'Cargo.toml' }],
      isDefault: false,
    },
  ],
  extraTools: {
    comment_quality: {
      ...CLIPPY,
      line: 'cargo clippy --quiet --workspace --message-format=json -- --no-deps --allow clippy::all --warn clippy::missing_errors_doc --warn clippy::missing_panics_doc --warn clippy::missing_safety_doc > "$REPORT"',
      format: 'cargo',
      successExitCodes: [0],
      signs: [],
      ruleMapping: [{ rule: /^clippy::missing_(?:errors|panics|safety)_doc$/, as: 'incomplete' }],
    },
  },
};
