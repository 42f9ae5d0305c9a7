import {
  buildVersionCommand,
  createPackageJsonMarker,
  createSemgrepTool,
  type LanguageProfile,
  type LanguageTool,
} from '../language-tool.ts';

const local = (
  name: string,
  rest: Omit<LanguageTool, 'name' | 'versionLine' | 'installHint'>,
): LanguageTool => ({
  name,
  versionLine: buildVersionCommand(name),
  installHint: `npm install --save-dev ${name === 'tsc' ? 'typescript' : name === 'biome' ? '@biomejs/biome' : name}, and environment.setup: npm ci`,
  ...rest,
});

/** JavaScript and TypeScript: biome or eslint, tsc, vitest or jest or node --test, semgrep, npm audit. */
export const javascriptProfile: LanguageProfile = {
  language: 'javascript',
  tools: [
    local('biome', {
      kind: 'lint',
      line: 'biome lint --reporter=gitlab --max-diagnostics=none . > "$REPORT"',
      fileMode: {
        names: /\.(?:[cm]?[jt]s|[jt]sx|jsonc?|css|graphql|html|vue|svelte|astro)$/,
        line: 'biome lint --reporter=gitlab --max-diagnostics=none --no-errors-on-unmatched --files-ignore-unknown=true {files} > "$REPORT"',
      },
      format: 'gitlab',
      findingExitCodes: [1],
      stopRules: { rules: /^parse$/, at: 'file' },
      signs: [{ file: 'biome.json' }, { file: 'biome.jsonc' }],
      isDefault: false,
    }),
    local('eslint', {
      kind: 'lint',
      line: 'eslint --format json --output-file "$REPORT" .',
      // Of other files the configuration, or its version, says whether they are looked at: named, they would be in any case.
      fileMode: { names: /\.js$/, line: 'eslint --format json --output-file "$REPORT" {files}' },
      format: 'eslint',
      findingExitCodes: [1],
      stopRules: { rules: /^syntax$/, at: 'file' },
      signs: [
        ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((end) => ({ file: `eslint.config.${end}` })),
        ...['', '.json', '.js', '.cjs', '.yml', '.yaml'].map((end) => ({ file: `.eslintrc${end}` })),
      ],
      isDefault: true,
    }),
    local('tsc', {
      kind: 'type_check',
      // A configuration that only refers to others checks nothing by itself.
      line: 'tsc "$(if grep -q "\\"references\\"" tsconfig.json; then echo --build; else echo --project; fi)" tsconfig.json --noEmit --pretty false > "$REPORT"; code=$?; head -c 4000 "$REPORT"; exit $code',
      format: 'tsc',
      findingExitCodes: [1, 2],
      // Without a tree of the syntax it looks at no types, in any file.
      stopRules: { rules: /^TS1\d{3}$/, at: 'all' },
      signs: [{ file: 'tsconfig.json' }],
      isDefault: false,
    }),
    local('vitest', {
      kind: 'tests',
      line: 'vitest run --reporter=junit --outputFile="$REPORT"',
      format: 'junit',
      findingExitCodes: [1],
      signs: [
        ...['js', 'mjs', 'ts', 'mts'].map((end) => ({ file: `vitest.config.${end}` })),
        createPackageJsonMarker('vitest'),
      ],
      isDefault: false,
    }),
    {
      kind: 'tests',
      name: 'jest',
      versionLine: buildVersionCommand('jest'),
      installHint: 'npm install --save-dev jest jest-junit, and environment.setup: npm ci',
      line: 'JEST_JUNIT_OUTPUT_FILE="$REPORT" JEST_JUNIT_ADD_FILE_ATTRIBUTE=true jest --ci --reporters=jest-junit',
      format: 'junit',
      findingExitCodes: [1],
      signs: [
        ...['js', 'mjs', 'cjs', 'ts', 'json'].map((end) => ({ file: `jest.config.${end}` })),
        createPackageJsonMarker('jest'),
      ],
      isDefault: false,
    },
    {
      kind: 'tests',
      name: 'node',
      versionLine: buildVersionCommand('node'),
      installHint: 'install Node.js 20 or newer',
      line: 'node --test --test-reporter=junit --test-reporter-destination="$REPORT"',
      format: 'junit',
      findingExitCodes: [1],
      signs: [{ file: 'package.json', pattern: /\bnode (?:[\w=-]{1,60} ){0,8}--test\b/ }],
      isDefault: false,
    },
    createSemgrepTool('p/javascript'),
    {
      kind: 'dep_audit',
      name: 'npm',
      versionLine: buildVersionCommand('npm'),
      installHint: 'install npm, and commit a package-lock.json',
      line: 'npm audit --package-lock-only --json > "$REPORT"',
      format: 'npm_audit',
      findingExitCodes: [1],
      signs: [{ file: 'package-lock.json' }, { file: 'npm-shrinkwrap.json' }, { file: 'package.json' }],
      isDefault: false,
    },
  ],
  extraTools: {
    dead_code: {
      name: 'knip',
      versionLine: buildVersionCommand('knip'),
      installHint: 'npm install --save-dev knip, and environment.setup: npm ci',
      line: 'knip --no-progress --reporter json > "$REPORT"',
      format: 'knip',
      successExitCodes: [0, 1],
      // It would find everything dead elsewhere.
      signs: [createPackageJsonMarker('knip')],
    },
    comment_quality: {
      name: 'eslint-plugin-jsdoc',
      versionLine: buildVersionCommand('eslint'),
      installHint: 'npm install --save-dev eslint eslint-plugin-jsdoc, and environment.setup: npm ci',
      // What a comment has to say of results and errors is the project's own choice.
      line: 'eslint --format json --output-file "$REPORT" "$@"',
      format: 'eslint_warnings',
      successExitCodes: [0, 1],
      signs: [createPackageJsonMarker('eslint-plugin-jsdoc')],
      ruleMapping: [{ rule: /^jsdoc\/require-(?:returns|yields|throws)$/, as: 'incomplete' }],
    },
  },
};
