import type { Language } from '../core/language.ts';
import type { ReportFormat } from '../reports/report-readers.ts';

/** What a tool is for: the gates that run tools of the project's language. */
export const TOOL_KINDS = ['lint', 'type_check', 'tests', 'security_scan', 'dep_audit'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** A file of the base commit that shows that the project uses a tool, and what must stand in it. */
export interface ToolUsageMarker {
  readonly file: string;
  readonly pattern?: RegExp;
}

/** A package that package.json names among its dependencies. */
export const createPackageJsonMarker = (name: string): ToolUsageMarker => ({
  file: 'package.json',
  pattern: new RegExp(`"${name}"\\s{0,10}:\\s{0,10}"`),
});

/** A program as it is found and asked for its version. */
export interface ToolProgram {
  /** As people call it. */
  readonly name: string;
  /** Line that succeeds when it is here, and prints its version. */
  readonly versionLine: string;
  /** How to get it, in a few words. */
  readonly installHint: string;
}

/** Complaints after which a tool looks no further, at the file or at all. */
export interface AbortingFindingRules {
  readonly rules: RegExp;
  readonly at: 'file' | 'all';
}

export interface LanguageTool extends ToolProgram {
  readonly kind: ToolKind;
  /** Line for `bash -c`. It writes its report to the file that `$REPORT` names. */
  readonly line: string;
  /** Where only the lines of the patch count: the files that it takes one by one, and the line, with `{files}` in their place. */
  readonly fileMode?: { readonly names: RegExp; readonly line: string };
  /** Null when it has no stable machine format: then the exit code alone decides. */
  readonly format: ReportFormat | null;
  /** Exit codes besides 0 with which it says that it has complaints; any other is a tool that broke. */
  readonly findingExitCodes: readonly number[];
  /** Exit 0 may come with complaints, and exit 1 without: the report alone decides. */
  readonly ignoresExitCode?: boolean;
  readonly stopRules?: AbortingFindingRules;
  /** The project uses it when one of these is there. */
  readonly signs: readonly ToolUsageMarker[];
  /** Taken for the language when the project configures none. */
  readonly isDefault: boolean;
}

/** Gates that read code themselves, and beside which a program of the language looks further where it is here. */
export const GATES_WITH_EXTRA_TOOLS = ['dead_code', 'comment_quality'] as const;

/** A program that looks further than a gate which reads, on the changed files, where it is here. */
export interface ExtraTool extends ToolProgram {
  /** Line for `bash -c`; `"$@"` are the changed files, the report goes to `$REPORT`. */
  readonly line: string;
  readonly format: ReportFormat;
  /** Exit codes with which it has looked. */
  readonly successExitCodes: readonly number[];
  /** It is used where one of these is in the base; none: wherever it is. */
  readonly signs: readonly ToolUsageMarker[];
  /** A variable of its line without which it would guess, and is not asked. */
  readonly requiredVariable?: string;
  /** Which of its complaints count, and as which rule of ours; absent: all, as it calls them. */
  readonly ruleMapping?: readonly { readonly rule: RegExp; readonly says?: RegExp; readonly as: string }[];
  /** Rules of ours that it takes the place of in its language, where it has looked. */
  readonly replacedRules?: readonly string[];
}

export interface LanguageProfile {
  readonly language: Language;
  /** The first whose sign is there counts, else the first that is taken by default. */
  readonly tools: readonly LanguageTool[];
  readonly extraTools?: Readonly<Partial<Record<(typeof GATES_WITH_EXTRA_TOOLS)[number], ExtraTool>>>;
}

/** Version question of a program that understands `--version`. */
export const buildVersionCommand = (program: string): string =>
  `command -v ${program} >/dev/null || exit 127; ${program} --version`;

/** It would look for a newer version first, and wait for an answer. */
const SEMGREP_VERSION =
  'command -v semgrep >/dev/null || exit 127; semgrep --disable-version-check --version';

/**
 * Line that runs semgrep with the project's own rules, else with those of a pack, which it fetches. Where it cannot have its rules
 * (2 and 7), it could not run. Git's list of the files is left out: names that are not plain ASCII get lost on the way.
 */
const semgrepLine = (pack: string): string =>
  `semgrep scan --metrics off --disable-version-check --disable-nosem --no-git-ignore --quiet --config "$(if [ -f .semgrep.yml ]; then echo .semgrep.yml; elif [ -f .semgrep.yaml ]; then echo .semgrep.yaml; else echo ${pack}; fi)" --sarif --output "$REPORT" .; code=$?; if [ ! -f .semgrep.yml ] && [ ! -f .semgrep.yaml ] && [[ $code = [27] ]]; then echo "the rules ${pack} could not be fetched, or could not be run"; exit 127; fi; exit $code`;

/** The scanner of languages that have none of their own, with the rules of a pack. */
export const createSemgrepTool = (pack: string): LanguageTool => ({
  kind: 'security_scan',
  name: 'semgrep',
  versionLine: SEMGREP_VERSION,
  installHint: 'pip install semgrep',
  line: semgrepLine(pack),
  format: 'semgrep',
  findingExitCodes: [1],
  stopRules: { rules: /^not_scanned$/, at: 'file' },
  signs: [],
  isDefault: true,
});
