import { buildVersionCommand, createSemgrepTool, type LanguageProfile } from '../language-tool.ts';

const GO = {
  name: 'go',
  versionLine: 'command -v go >/dev/null || exit 127; go version',
  installHint: 'install Go from go.dev/dl',
} as const;

/** Go: golangci-lint or go vet, go build, go test, semgrep, govulncheck. */
export const goProfile: LanguageProfile = {
  language: 'go',
  tools: [
    {
      kind: 'lint',
      name: 'golangci-lint',
      versionLine: buildVersionCommand('golangci-lint'),
      installHint: 'install golangci-lint 2 or newer from golangci-lint.run',
      line: 'golangci-lint run --output.sarif.path="$REPORT" ./...',
      format: 'golangci',
      findingExitCodes: [1],
      stopRules: { rules: /^typecheck$/, at: 'all' },
      signs: ['yml', 'yaml', 'toml', 'json'].map((end) => ({ file: `.golangci.${end}` })),
      isDefault: false,
    },
    {
      ...GO,
      kind: 'lint',
      line: 'go vet -json ./... > "$REPORT" 2> "$REPORT.err"; code=$?; cat "$REPORT.err" >> "$REPORT"; cat "$REPORT.err"; exit $code',
      format: 'go_vet',
      findingExitCodes: [],
      ignoresExitCode: true,
      signs: [],
      isDefault: true,
    },
    {
      ...GO,
      kind: 'type_check',
      line: 'go build -json -o /dev/null ./... > "$REPORT"',
      format: 'go_build',
      findingExitCodes: [1],
      signs: [{ file: 'go.mod' }],
      isDefault: true,
    },
    {
      ...GO,
      kind: 'tests',
      line: 'go test -json ./... > "$REPORT"',
      format: 'go_test',
      findingExitCodes: [1],
      signs: [{ file: 'go.mod' }],
      isDefault: true,
    },
    createSemgrepTool('p/golang'),
    {
      kind: 'dep_audit',
      name: 'govulncheck',
      versionLine: 'command -v govulncheck >/dev/null || exit 127; govulncheck -version | grep Scanner',
      installHint: 'go install golang.org/x/vuln/cmd/govulncheck@latest',
      line: 'govulncheck -format sarif ./... > "$REPORT"',
      format: 'sarif',
      findingExitCodes: [3],
      signs: [{ file: 'go.mod' }],
      isDefault: false,
    },
  ],
  extraTools: {
    comment_quality: {
      name: 'revive',
      versionLine: buildVersionCommand('revive'),
      installHint: 'go install github.com/mgechev/revive@latest',
      line: `printf '[rule.exported]\\n' > "$REPORT.toml" && revive -config "$REPORT.toml" -formatter sarif "$@" > "$REPORT"`,
      format: 'sarif',
      successExitCodes: [0],
      signs: [],
      ruleMapping: [{ rule: /^exported$/, says: /should be of the form/, as: 'wrong_style' }],
      replacedRules: ['wrong_style'],
    },
  },
};
