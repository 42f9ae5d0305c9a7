import type { GitStore } from '../../workspace/git/git-store.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import type { GateFinding } from '../core/gate-finding.ts';
import type { ChangedCodeFile } from './changed-code.ts';
import type { CodeFile } from './code-files.ts';
import type { CodeFileAnalysis } from './import-cache.ts';
import { decodeSource } from './parsing/decode-source.ts';
import { isValidForNodeParser } from './parsing/node-parser-check.ts';
import type { SyntaxProblem } from './parsing/parse-source.ts';
import type { ProjectCodeRevisions } from './project-code.ts';

/**
 * Changed files that cannot be looked at as they should be. Whoever breaks the code that a check reads must not silence the
 * check: what could be read before and no longer can fails, and what is new and cannot be read is for a person.
 */
export async function findUnreadableChangedFiles(
  store: GitStore,
  project: ProjectCodeRevisions,
  changed: readonly ChangedCodeFile[],
): Promise<GateFinding[]> {
  const seen: GateFinding[] = [];
  for (const { path, before, after } of changed) {
    if (after === null) continue;
    const now = project.facts.get(after);
    const then = before && project.facts.get(before);
    const found = judgeReadability(path, then, now);
    if (found === null || found.severity === 'existing') {
      if (found) seen.push(found);
    } else if ('problem' in now && now.problem && (await isFine(store, after)))
      seen.push({ ...found, severity: 'info', message: 'uses syntax that our parser does not know' });
    else seen.push(found);
  }
  return seen;
}

function judgeReadability(
  file: string,
  then: CodeFileAnalysis | null,
  now: CodeFileAnalysis,
): GateFinding | null {
  if ('unreadable' in now) {
    const known = then !== null && 'unreadable' in then;
    return {
      file,
      line: null,
      rule: 'not_readable',
      message: now.unreadable,
      severity: known ? 'existing' : 'warning',
    };
  }
  if (now.problem === null) return null;
  const { line, count } = now.problem;
  const finding = { file, line, rule: 'does_not_parse' };
  const earlier = then && 'problem' in then ? then.problem : null;
  if (earlier) return { ...finding, ...changeOf(earlier, now.problem) };
  const message = `does not parse${count > 1 ? `, in ${count} places` : ''}`;
  return then && 'problem' in then
    ? { ...finding, message: `no longer parses${count > 1 ? `, in ${count} places` : ''}`, severity: 'error' }
    : { ...finding, message, severity: 'warning' };
}

const changeOf = (then: SyntaxProblem, now: SyntaxProblem): Pick<GateFinding, 'message' | 'severity'> =>
  now.count > then.count
    ? { message: `does not parse in ${now.count} places instead of ${then.count}`, severity: 'warning' }
    : { message: 'does not parse', severity: 'existing' };

async function isFine(store: GitStore, { objectId, grammar }: CodeFile): Promise<boolean> {
  const bytes = (await readBlobs(store, [objectId])).get(objectId);
  return bytes !== undefined && isValidForNodeParser(grammar, decodeSource(bytes, grammar === 'python'));
}
