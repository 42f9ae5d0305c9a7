/** A comment, or an attribute, that tells a tool to look away. */
interface Suppression {
  readonly rule: string;
  /** Gates whose tools listen to it. */
  readonly gates: readonly string[];
  readonly pattern: RegExp;
}

const LINT = ['lint', 'complexity_check', 'dead_code', 'comment_quality'] as const;

const COMMENTS: readonly Suppression[] = [
  {
    rule: 'lint_suppressed',
    gates: LINT,
    pattern:
      /\b(?:eslint-disable(?:-(?:next-)?line)?|biome-ignore(?:-all|-start)?|oxlint-disable\S*|tslint:disable\S*|jshint ignore|standard-ignore|noqa|ruff: ?(?:noqa|disable)|flake8: ?noqa|pylint: ?(?:disable|skip-file)\S*|nolint|lint:ignore|revive:disable\S*|staticcheck:ignore|rubocop:disable|stylelint-disable\S*|deno-lint-ignore(?:-file)?|jshint -W\d|standard-disable\S*|skipcq\b|isort: ?(?:skip|off)\S*|shellcheck disable|hadolint ignore|yamllint disable|knip-ignore|jscpd:ignore\S*)|^\/\*{1,2}\s{0,20}eslint\s{1,10}[\w@/-]{1,80}\s{0,5}:\s{0,5}\[?\s{0,5}["']?(?:off|0)\b/i,
  },
  {
    rule: 'type_check_suppressed',
    gates: ['type_check'],
    pattern:
      /@ts-(?:ignore|expect-error|nocheck)\b|\btype: ?ignore\b|\b(?:based)?pyright: ?(?:ignore|basic|strict\s*=\s*false|report\w{1,60}\s{0,5}=\s{0,5}["']?(?:false|none|information)\b)|\bmypy: ?(?:ignore|disable|allow|no-|follow)\S*|\b(?:pyre|ty): ?ignore\b|\bpyre-(?:ignore|fixme|unsafe)\S*|\bzuban: ?ignore\b|\bpytype: ?(?:disable|skip)\S*|\$Flow(?:FixMe|Ignore)\b/,
  },
  {
    rule: 'coverage_suppressed',
    gates: ['coverage_delta'],
    pattern:
      /\bpragma: ?no (?:cover|branch)\b|\b(?:istanbul|c8|v8|vitest) ignore\b|\bnode:coverage (?:disable|ignore)\b|\bcoverage: ?ignore\b|\bLCOV_EXCL_/i,
  },
  {
    rule: 'mutation_suppressed',
    gates: ['mutation_testing', 'agent_test_mutation'],
    pattern: /\bStryker disable\b|\bpragma: ?no mutate\b|\bmutants::skip\b/i,
  },
  {
    rule: 'scanner_suppressed',
    gates: ['security_scan', 'pii_scan', 'dlp_scan'],
    pattern:
      /#\s?nosec\b|\bnosec\b|\bnosemgrep\b|\bgitleaks:allow\b|\ballowlist (?:next)?line ?secret|\bpragma: ?(?:allow|white)list (?:nextline )?secret\b|\bsecretlint-disable\S*|\bcodeql\[|\blgtm\b|\bNOSONAR\b|\bdevskim: ?ignore\b|\b(?:trivy|tfsec|kics|snyk|horusec):? ?ignore\b|\bcheckov:skip\b/i,
  },
  {
    rule: 'format_suppressed',
    gates: ['auto_format'],
    pattern: /\bprettier-ignore\b|\bfmt: ?(?:off|skip)\b|\byapf: ?disable\b|\bgofmt:skip\b|\bdprint-ignore\b/,
  },
];

/** Attributes of Rust stand in the code. */
const ATTRIBUTES: readonly Suppression[] = [
  { rule: 'lint_suppressed', gates: LINT, pattern: /#!?\[\s{0,20}(?:allow|expect)\s{0,20}\(/ },
  {
    rule: 'coverage_suppressed',
    gates: ['coverage_delta'],
    pattern: /#\[\s{0,20}coverage\s{0,20}\(\s{0,20}off/,
  },
];

/** What a comment silences. */
export const findSuppressions = (comment: string): Suppression[] =>
  COMMENTS.filter(({ pattern }) => pattern.test(comment.slice(0, 2_000)));

/** A kind of error and a reason, or a reason for an error that must be there. */
const EXPLAINED =
  /@ts-expect-error[\s:\u2013\u2014-]{1,5}(?=.{0,200}[a-z]{2,}\s+[a-z]{2,})|\b(?:type|pyright|mypy|ty): ?ignore\[[\w, -]{1,100}\][\s#:\u2013\u2014-]{1,8}(?=.{0,200}[a-z]{2,}\s+[a-z]{2,})/i;

/** Whether a test says why it does what types forbid: to show what happens then is its business. */
export const isExplainedSuppression = (rule: string, comment: string): boolean =>
  rule === 'type_check_suppressed' && EXPLAINED.test(comment.slice(0, 2_000));

/** What the attributes on a line of Rust silence. */
export const findSuppressingAttributes = (line: string): Suppression[] =>
  ATTRIBUTES.filter(({ pattern }) => pattern.test(line.slice(0, 2_000)));

const TO_REVIEWERS =
  /\b(?:ignore|disregard|forget)\s{1,5}(?:all\s{1,5}|any\s{1,5}|the\s{1,5}|your\s{1,5}){0,2}(?:previous|prior|above|earlier|preceding|system)\s{1,5}(?:instructions?|prompts?|rules?|messages?)\b|\b(?:AI|LLM|language model|automated|GPT|Claude|Copilot)[\s-]{1,5}(?:code\s{1,5})?(?:reviewers?|judges?|graders?|assistants?|agents?)\b[^\n]{0,120}\b(?:approve|accept|pass|ignore|skip|do not (?:flag|report|fail))\b|\b(?:must|please|always)\s{1,5}(?:approve|accept|pass)\s{1,5}(?:this|the)\s{1,5}(?:patch|change|diff|pull request|PR|commit)\b/i;

/** Whether a comment tells a reviewer, mostly one that is a model, what to answer. */
export const isAddressedToReviewer = (comment: string): boolean => TO_REVIEWERS.test(comment.slice(0, 2_000));
