import type { Language } from '../../core/language.ts';
import { buildVersionCommand, type ToolProgram } from '../../languages/language-tool.ts';

/** A program that changes the files in `"$@"`, or everything when there are none, and leaves its report in `$REPORT`. */
export interface MutationTool extends ToolProgram {
  /** How people would run it, for a list of the gates. */
  readonly displayCommand: string;
  readonly line: string;
}

/** The tool of each language. */
export const MUTATION_TOOLS: Readonly<Record<Language, MutationTool>> = {
  python: {
    name: 'mutmut',
    displayCommand: 'mutmut run',
    // It answers only where it finds something that looks like sources.
    versionLine: `command -v mutmut >/dev/null || exit 127; mkdir -p src; mutmut --version`,
    installHint: 'pip install "mutmut>=3"',
    // It is told modules by their dotted names.
    line: `
      only=()
      for file in "$@"; do
        name=\${file#./}; name=\${name#src/}; name=\${name%.py}; name=\${name%/__init__}
        only+=("\${name//\\//.}.*")
      done
      mutmut run "\${only[@]}"; code=$?
      mutmut export-cicd-stats && cp mutants/mutmut-cicd-stats.json "$REPORT"
      exit $code`,
  },
  javascript: {
    name: 'stryker',
    displayCommand: 'stryker run',
    versionLine: buildVersionCommand('stryker'),
    installHint: 'npm install --save-dev @stryker-mutator/core, and environment.setup: npm ci',
    line: `
      only=()
      if [ $# -gt 0 ]; then list=$(printf ',%s' "\${@#./}"); only=(--mutate "\${list:1}"); fi
      rm -f reports/mutation/mutation.json
      stryker run --reporters json "\${only[@]}"; code=$?
      cp reports/mutation/mutation.json "$REPORT"
      exit $code`,
  },
  go: {
    name: 'gremlins',
    displayCommand: 'gremlins unleash',
    // Built from source it does not know its version, but the program tells what it was built from.
    versionLine:
      'command -v gremlins >/dev/null || exit 127; gremlins --version | grep -E "[0-9]\\.[0-9]" || go version -m "$(command -v gremlins)" | grep -E "^.mod"',
    installHint: 'go install github.com/go-gremlins/gremlins/cmd/gremlins@latest',
    line: 'gremlins unleash --timeout-coefficient 20 --output "$REPORT"',
  },
  rust: {
    name: 'cargo-mutants',
    displayCommand: 'cargo-mutants mutants',
    versionLine: 'command -v cargo-mutants >/dev/null || exit 127; cargo mutants --version',
    installHint: 'cargo install cargo-mutants',
    line: `
      only=()
      for file in "$@"; do only+=(--file "\${file#./}"); done
      cargo mutants --no-shuffle --output "$TMPDIR" "\${only[@]}"; code=$?
      cp "$TMPDIR/mutants.out/outcomes.json" "$REPORT"
      exit $code`,
  },
};

/** Where tools leave their reports when nobody says otherwise. */
const REPORTS = [
  'mutants/mutmut-cicd-stats.json',
  'reports/mutation/mutation.json',
  'mutants.out/outcomes.json',
  'report.json',
];

/** Stands between the reports and the output of a command of the configuration. */
export const REPORT_SEPARATOR = '\n--- assay: next ---\n';

/**
 * A command of the configuration. What it leaves is what it wrote to `$REPORT`, what lies where such tools leave their reports,
 * and the end of its output. Reports that the tree already has are taken away first: they would be the patch's word.
 */
export const buildCollectMutationReportLine = (command: string): string => `
  rm -rf ${REPORTS.join(' ')}
  { ${command}
  } 2>&1 | tee "$TMPDIR/output"; code=\${PIPESTATUS[0]}
  {
    for report in "$REPORT" ${REPORTS.join(' ')}; do
      if [ -f "$report" ] && [ -s "$report" ]; then head -c 7000000 "$report"; printf '${REPORT_SEPARATOR.replaceAll('\n', '\\n')}'; fi
    done
    tail -c 200000 "$TMPDIR/output"
  } > "$TMPDIR/all"
  rm -f "$REPORT"; mv "$TMPDIR/all" "$REPORT"
  exit "$code"`;
