import { buildVersionCommand, type LanguageProfile } from '../language-tool.ts';

/** Python: ruff, pyright or mypy, pytest, bandit, pip-audit. */
export const pythonProfile: LanguageProfile = {
  language: 'python',
  tools: [
    {
      kind: 'lint',
      name: 'ruff',
      versionLine: buildVersionCommand('ruff'),
      installHint: 'pip install ruff',
      line: 'ruff check --no-cache --output-format sarif --output-file "$REPORT" .',
      fileMode: {
        names: /(?:\.pyi?|\.ipynb|(?:^|\/)pyproject\.toml)$/,
        line: 'ruff check --no-cache --force-exclude --output-format sarif --output-file "$REPORT" {files}',
      },
      format: 'sarif',
      findingExitCodes: [1],
      stopRules: { rules: /^invalid-syntax$/, at: 'file' },
      signs: [
        { file: 'ruff.toml' },
        { file: '.ruff.toml' },
        { file: 'pyproject.toml', pattern: /^\[tool\.ruff\b/m },
      ],
      isDefault: true,
    },
    {
      kind: 'type_check',
      name: 'pyright',
      versionLine: buildVersionCommand('pyright'),
      installHint: 'pip install pyright',
      line: 'pyright --outputjson > "$REPORT"',
      format: 'pyright',
      findingExitCodes: [1],
      signs: [
        { file: 'pyrightconfig.json' },
        { file: 'pyproject.toml', pattern: /^\[tool\.(based)?pyright\b/m },
      ],
      isDefault: false,
    },
    {
      kind: 'type_check',
      name: 'mypy',
      versionLine: buildVersionCommand('mypy'),
      installHint: 'pip install mypy',
      // With a configuration that it cannot read it goes on without one, and says so.
      line: 'mypy --output json --cache-dir /dev/null . > "$REPORT" 2> "$REPORT.err"; code=$?; cat "$REPORT.err"; if grep -qE "^(\\.?mypy\\.ini|setup\\.cfg|pyproject\\.toml): [^[]" "$REPORT.err"; then exit 3; fi; exit $code',
      format: 'mypy',
      findingExitCodes: [1, 2],
      stopRules: { rules: /^syntax$/, at: 'all' },
      signs: [
        { file: 'mypy.ini' },
        { file: '.mypy.ini' },
        { file: 'pyproject.toml', pattern: /^\[tool\.mypy\b/m },
        { file: 'setup.cfg', pattern: /^\[mypy\]/m },
      ],
      isDefault: true,
    },
    {
      kind: 'tests',
      name: 'pytest',
      versionLine: buildVersionCommand('pytest'),
      installHint: 'pip install pytest',
      // The family with file and line; `-p no:cacheprovider` keeps the checkout as it is. One file that cannot be imported keeps no
      // other from being run, and no test at all (5) is for the report to say.
      line: 'pytest -q -p no:cacheprovider --continue-on-collection-errors -o junit_family=xunit1 -o junit_suite_name=pytest --junitxml="$REPORT"; code=$?; if [ "$code" = 5 ]; then exit 0; fi; exit $code',
      format: 'junit',
      findingExitCodes: [1],
      signs: [{ file: 'pytest.ini' }, { file: 'pyproject.toml', pattern: /^\[tool\.pytest\b/m }],
      isDefault: true,
    },
    {
      kind: 'security_scan',
      name: 'bandit',
      versionLine: buildVersionCommand('bandit'),
      installHint: 'pip install bandit',
      // What a test asserts is no hole; everything else is looked at, whatever a comment says.
      line: 'bandit --quiet --ignore-nosec --recursive --skip B101 --exclude ./.venv,./venv,./node_modules --format json --output "$REPORT" .',
      format: 'bandit',
      findingExitCodes: [1],
      signs: [{ file: '.bandit' }],
      isDefault: true,
    },
    {
      kind: 'dep_audit',
      name: 'pip-audit',
      versionLine: buildVersionCommand('pip-audit'),
      installHint: 'pip install pip-audit',
      line: 'if [ -f requirements.txt ]; then pip-audit --progress-spinner off --format json --output "$REPORT" -r requirements.txt; else pip-audit --progress-spinner off --format json --output "$REPORT" .; fi',
      format: 'pip_audit',
      findingExitCodes: [1],
      signs: [{ file: 'requirements.txt' }, { file: 'pyproject.toml' }],
      isDefault: false,
    },
  ],
  extraTools: {
    dead_code: {
      name: 'vulture',
      versionLine: buildVersionCommand('vulture'),
      installHint: 'pip install vulture',
      line: 'vulture --min-confidence "$CONFIDENCE" "$@" > "$REPORT"',
      format: 'vulture',
      successExitCodes: [0, 1, 3],
      signs: [],
    },
    comment_quality: {
      name: 'ruff',
      versionLine: buildVersionCommand('ruff'),
      installHint: 'pip install ruff',
      // Sections are asked for where the project writes them. In another style, and in prose, it would miss what is said there.
      requiredVariable: 'STYLE',
      line: `ruff check --isolated --no-cache --preview --ignore-noqa --select DOC201,DOC402,DOC501,D406,D407,D416 --config "lint.pydocstyle.convention='$STYLE'" --output-format sarif --output-file "$REPORT" "$@"`,
      format: 'sarif',
      successExitCodes: [0, 1],
      signs: [],
      // By code or by name, as the version has it.
      ruleMapping: [
        { rule: /^(?:DOC\d+|docstring-missing-\w+)$/, as: 'incomplete' },
        { rule: /^(?:D4\d+|missing-[\w-]+-section[\w-]*)$/, as: 'wrong_style' },
      ],
    },
  },
};
