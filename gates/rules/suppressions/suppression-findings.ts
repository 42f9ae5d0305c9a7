import { posix } from 'node:path';
import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { BaselineOccurrences } from '../../code/parsing/baseline-occurrences.ts';
import type { ChangedFileText } from '../../core/changed-texts.ts';
import type { FindingSeverity, GateFinding } from '../../core/gate-finding.ts';
import { grammarOfPath, isProjectCodePath } from '../../core/language.ts';
import { isCodePath } from '../../languages/code-paths.ts';
import type { PatchView } from '../framework/rule.ts';
import {
  blankCommentsAndStrings,
  createLineCounter,
  extractComments,
} from '../tests/comments-and-strings.ts';
import { createEmptiedFileFinding } from './code/emptied-functions.ts';
import { findScratchFiles } from './code/scratch-file.ts';
import { findTamperingFindings } from './code/tampering-findings.ts';

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
const isExplainedSuppression = (rule: string, comment: string): boolean =>
  rule === 'type_check_suppressed' && EXPLAINED.test(comment.slice(0, 2_000));

/** What the attributes on a line of Rust silence. */
export const findRustLintSuppressions = (line: string): Suppression[] =>
  ATTRIBUTES.filter(({ pattern }) => pattern.test(line.slice(0, 2_000)));

const TO_REVIEWERS =
  /\b(?:ignore|disregard|forget)\s{1,5}(?:all\s{1,5}|any\s{1,5}|the\s{1,5}|your\s{1,5}){0,2}(?:previous|prior|above|earlier|preceding|system)\s{1,5}(?:instructions?|prompts?|rules?|messages?)\b|\b(?:AI|LLM|language model|automated|GPT|Claude|Copilot)[\s-]{1,5}(?:code\s{1,5})?(?:reviewers?|judges?|graders?|assistants?|agents?)\b[^\n]{0,120}\b(?:approve|accept|pass|ignore|skip|do not (?:flag|report|fail))\b|\b(?:must|please|always)\s{1,5}(?:approve|accept|pass)\s{1,5}(?:this|the)\s{1,5}(?:patch|change|diff|pull request|PR|commit)\b/i;

/** Whether a comment tells a reviewer, mostly one that is a model, what to answer. */
const isAddressedToReviewer = (comment: string): boolean => TO_REVIEWERS.test(comment.slice(0, 2_000));

/** Longest target, in bytes: no system follows a longer one. */
const MAX_TARGET = 4_096;
/** Most links that are looked at. */
const MAX_LINKS = 1_000;

/** Links of the patch that lead out of the tree, or into git's own folder: what they show is not what was checked. */
async function findEscapingSymlinks({
  store,
  changes,
}: Pick<PatchView, 'store' | 'changes'>): Promise<GateFinding[]> {
  const links = changes
    .flatMap(({ path, baseEntry, headEntry }) =>
      headEntry?.mode === '120000' && (baseEntry?.mode !== '120000' || baseEntry.id !== headEntry.id)
        ? [{ path, id: headEntry.id }]
        : [],
    )
    .slice(0, MAX_LINKS);
  if (links.length === 0) return [];
  const targets = await readBlobs(
    store,
    links.map(({ id }) => id),
    MAX_LINKS * MAX_TARGET,
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  return links.flatMap(({ path, id }): GateFinding[] => {
    const target = targets?.get(id)?.toString('utf8') ?? null;
    if (target !== null && !leadsOut(path, target)) return [];
    return [
      {
        file: path,
        line: null,
        rule: 'link_leads_out',
        message: `is a link to ${target?.slice(0, 200) ?? 'a place that cannot be read'}, which is not in the tree`,
        severity: 'error',
      },
    ];
  });
}

function leadsOut(path: string, target: string): boolean {
  if (target.length > MAX_TARGET || /^(?:[/\\]|[A-Za-z]:)/.test(target)) return true;
  const [first = ''] = posix.join(posix.dirname(path), target).split('/');
  return first === '..' || first.toLowerCase() === '.git';
}

/** Longest file, in characters, that is looked at. */
const MAX_CHARACTERS = 1_048_576;

/** What the added lines silence, and what else keeps others from seeing what the patch does. */
export async function findSuppressionFindings(patch: PatchView): Promise<GateFinding[]> {
  const { requiredGates } = patch;
  const texts = patch.changedTexts.filter(
    ({ path, basePath }) => isCodePath(path) || (basePath !== null && isCodePath(basePath)),
  );
  // Lines that the patch moves, within a file or between files, or indents anew, were there before.
  const known = new BaselineOccurrences(
    texts.flatMap(({ before }) => (before ?? '').split('\n').map(keyOfLine)),
  );
  const seen = [
    ...texts.flatMap((text) => seenIn(text, known, requiredGates)),
    ...(await findTamperingFindings(texts, requiredGates)),
    ...(await findEscapingSymlinks(patch)),
    ...findScratchFiles(patch.changes),
  ];
  const files = new Set(
    patch.changes.flatMap(({ path, headEntry }) => (headEntry?.mode.startsWith('100') ? [path] : [])),
  );
  for (const file of patch.unreadableFiles) {
    // A link has no code of its own; where it leads is looked at.
    const isCode = files.has(file) && isProjectCodePath(file) && !isTestPath(file);
    const message = files.has(file) ? 'is too large to be looked at' : 'was not looked at';
    seen.push({ file, line: null, rule: 'not_readable', message, severity: isCode ? 'warning' : 'info' });
  }
  return seen;
}

function seenIn(
  { path, before, after }: ChangedFileText,
  known: BaselineOccurrences,
  required: readonly string[],
): GateFinding[] {
  if (after === null) return [];
  // What the syntax tree tells, patterns need not guess.
  if (grammarOfPath(path) === null && before !== null && isEmptied(path, before, after))
    return [createEmptiedFileFinding(path)];
  if (after.length > MAX_CHARACTERS)
    return [
      {
        file: path,
        line: null,
        rule: 'not_readable',
        message: 'is too large to be looked at',
        severity: 'info',
      },
    ];
  const lines = after.split('\n');
  const code = blankCommentsAndStrings(path, after).split('\n');
  const isNew = lines.map((line) => !known.takeOne(keyOfLine(line)));
  const lineOf = createLineCounter(after);
  const at = (offset: number): number => lineOf(offset) - 1;
  const seen: GateFinding[] = [];
  const add = (index: number, rule: string, message: string, weight: FindingSeverity): void => {
    if (isNew[index]) seen.push({ file: path, line: index + 1, rule, message, severity: weight });
  };
  for (const comment of extractComments(path, after)) {
    const first = at(comment.at);
    comment.text.split('\n').forEach((text, offset) => {
      for (const { rule, gates } of findSuppressions(text))
        report(first + offset, rule, isTestPath(path) && isExplainedSuppression(rule, text) ? [] : gates);
      if (isAddressedToReviewer(text))
        add(first + offset, 'addresses_reviewer', 'tells whoever reviews the patch what to say', 'warning');
    });
  }
  if (path.endsWith('.rs'))
    code.forEach((line, index) => {
      for (const { rule, gates } of findRustLintSuppressions(line)) report(index, rule, gates);
    });
  return seen;

  function report(index: number, rule: string, gates: readonly string[]): void {
    const silenced = gates.filter((gate) => required.includes(gate));
    const message =
      silenced.length > 0
        ? `silences ${silenced.join(' and ')}, which ${silenced.length > 1 ? 'are' : 'is'} required here`
        : 'tells a tool to look away';
    add(index, rule, message, silenced.length > 0 ? 'error' : 'info');
  }
}

/** No code is left of a file that had some. An empty `__init__.py` still makes a package. */
const isEmptied = (path: string, before: string, after: string): boolean =>
  blankCommentsAndStrings(path, after).trim() === '' &&
  blankCommentsAndStrings(path, before).trim() !== '' &&
  !path.endsWith('__init__.py');

const keyOfLine = (line: string): string => line.trim();
