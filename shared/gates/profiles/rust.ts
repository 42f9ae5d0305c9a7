import { type Profile, SEMGREP_VERSION, semgrep } from './tool.ts';

const asksCargo = (program: string, question: string): string =>
  `command -v ${program} >/dev/null || exit 127; ${question}`;
const RUST = { get: 'install Rust from rustup.rs' };

/** Rust: clippy, cargo check, cargo test, semgrep, cargo audit. */
export const rust: Profile = {
  language: 'rust',
  tools: [
    {
      kind: 'lint',
      name: 'clippy',
      version: asksCargo('cargo-clippy', 'cargo clippy --version'),
      get: 'rustup component add clippy',
      line: 'cargo clippy --quiet --all-targets --message-format=json > "$REPORT"',
      format: 'cargo',
      complains: [101],
      // What does not compile is not looked at.
      stops: { rules: /^(?:E\d{4}|error)$/, at: 'all' },
      signs: [
        { file: 'clippy.toml' },
        { file: '.clippy.toml' },
        { file: 'Cargo.toml', has: /^\[(workspace\.)?lints\b/m },
      ],
      byDefault: true,
    },
    {
      ...RUST,
      kind: 'type_check',
      name: 'cargo check',
      version: asksCargo('cargo', 'cargo --version'),
      line: 'cargo check --quiet --all-targets --message-format=json > "$REPORT"',
      format: 'cargo_errors',
      complains: [101],
      signs: [{ file: 'Cargo.toml' }],
      byDefault: true,
    },
    {
      ...RUST,
      kind: 'tests',
      name: 'cargo test',
      version: asksCargo('cargo', 'cargo --version'),
      // The report of Rust's own test runner is not stable yet.
      line: 'cargo test --quiet',
      format: null,
      complains: [101],
      signs: [{ file: 'Cargo.toml' }],
      byDefault: true,
    },
    {
      kind: 'security_scan',
      name: 'semgrep',
      version: SEMGREP_VERSION,
      get: 'pip install semgrep',
      line: semgrep('p/rust'),
      format: 'semgrep',
      complains: [1],
      stops: { rules: /^not_scanned$/, at: 'file' },
      signs: [],
      byDefault: true,
    },
    {
      kind: 'dep_audit',
      name: 'cargo-audit',
      version: asksCargo('cargo-audit', 'cargo audit --version'),
      get: 'cargo install cargo-audit',
      line: 'cargo audit --json > "$REPORT"',
      format: 'cargo_audit',
      complains: [1],
      signs: [{ file: 'Cargo.lock' }, { file: 'Cargo.toml' }],
      byDefault: false,
    },
  ],
};
