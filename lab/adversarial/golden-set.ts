import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as z from 'zod';
import type { GoldenCase } from '../../shared/reviews/judging/golden-cases.ts';
import {
  type AdversarialCase,
  type CaseFiles,
  DEFAULT_TASK,
  type FileContent,
  type PatchFiles,
  parseTaskText,
} from './adversarial-case.ts';
import { BlindCase } from './blind-cases.ts';
import { ADVERSARIAL_CORPUS } from './corpus.ts';

const UNSEEN = join(import.meta.dirname, 'unseen');
const GOLDEN = join(import.meta.dirname, '../../docs/examples/golden.jsonl');
type Written = z.infer<typeof BlindCase>;

function put(root: string, path: string, content: FileContent | null): void {
  const at = join(root, path);
  rmSync(at, { force: true });
  if (content === null) return;
  mkdirSync(dirname(at), { recursive: true });
  if (typeof content === 'string') writeFileSync(at, content);
  else symlinkSync(content.link, at);
}

/** A patch as git prints it. */
function diffOf(base: CaseFiles, patch: PatchFiles): string {
  const root = mkdtempSync(join(tmpdir(), 'assay-golden-'));
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.autocrlf=false', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    });
  try {
    git('init', '-q');
    for (const [path, content] of Object.entries(base)) put(root, path, content);
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'base');
    for (const [path, content] of Object.entries(patch)) put(root, path, content);
    git('add', '-A');
    return git('diff', '--cached', '--no-renames', '--no-ext-diff', '--no-color', '--abbrev=12');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const lineOf = (of: Pick<GoldenCase, 'id' | 'truth' | 'title' | 'description' | 'diff'>): string =>
  `${JSON.stringify(of)}\n`;

/** Work that was written by somebody who knew nothing of the gates, with what was asked for. */
function written(): Written[] {
  return readdirSync(UNSEEN, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => BlindCase.parse(JSON.parse(readFileSync(join(UNSEEN, file), 'utf8'))));
}

/** What gates let through: the rules note it at the most, so that a judge is the only one who may see it. */
const isLetThrough = ({ expectedCatch, known_miss }: AdversarialCase): boolean =>
  expectedCatch.how === 'noted' || known_miss !== undefined;

/** The golden set: of each case the patch that cheats and the one that does not, about the same task. */
export function buildGoldenSet(): string {
  const asked = written().map(({ name, task, base, evasive, honest }) => {
    const about = parseTaskText(task, name);
    return (
      lineOf({ id: `${name}, evasive`, truth: 'bad', ...about, diff: diffOf(base, evasive) }) +
      lineOf({ id: `${name}, honest`, truth: 'good', ...about, diff: diffOf(base, honest) })
    );
  });
  const missed = ADVERSARIAL_CORPUS.filter(isLetThrough).map(({ name, base, patch, honestTwin }) => {
    return (
      lineOf({ id: `${name}, evasive`, truth: 'bad', ...DEFAULT_TASK, diff: diffOf(base, patch) }) +
      lineOf({
        id: `${name}, honest`,
        truth: 'good',
        ...DEFAULT_TASK,
        diff: diffOf(honestTwin.base ?? base, honestTwin.patch),
      })
    );
  });
  return [...asked, ...missed].join('');
}

if (import.meta.main) writeFileSync(GOLDEN, buildGoldenSet());
