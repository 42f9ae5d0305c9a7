import { readBlobs } from '../../workspace/git/blobs.ts';
import type { Store } from '../../workspace/git/store.ts';
import type { Seen } from '../core/seen.ts';
import type { ChangedCode } from './changed.ts';
import type { Facts } from './kept-facts.ts';
import type { SyntaxProblem } from './parsing/parse.ts';
import { isValidElsewhere } from './parsing/second-opinion.ts';
import { sourceText } from './parsing/source-text.ts';
import type { Project } from './project.ts';
import type { CodeFile } from './tree-files.ts';

/**
 * Changed files that cannot be looked at as they should be. Whoever breaks the code that a check reads must not silence the
 * check: what could be read before and no longer can fails, and what is new and cannot be read is for a person.
 */
export async function readabilityOf(
  store: Store,
  project: Project,
  changed: readonly ChangedCode[],
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { path, before, after } of changed) {
    if (after === null) continue;
    const now = project.facts.of(after);
    const then = before && project.facts.of(before);
    const found = judge(path, then, now);
    if (found === null || found.weight === 'before') {
      if (found) seen.push(found);
    } else if ('problem' in now && now.problem && (await isFine(store, after)))
      seen.push({ ...found, weight: 'reported', message: 'uses syntax that our parser does not know' });
    else seen.push(found);
  }
  return seen;
}

function judge(file: string, then: Facts | null, now: Facts): Seen | null {
  if ('unreadable' in now) {
    const known = then !== null && 'unreadable' in then;
    return {
      file,
      line: null,
      rule: 'not_readable',
      message: now.unreadable,
      weight: known ? 'before' : 'unclear',
    };
  }
  if (now.problem === null) return null;
  const { line, count } = now.problem;
  const finding = { file, line, rule: 'does_not_parse' };
  const earlier = then && 'problem' in then ? then.problem : null;
  if (earlier) return { ...finding, ...changeOf(earlier, now.problem) };
  const message = `does not parse${count > 1 ? `, in ${count} places` : ''}`;
  return then && 'problem' in then
    ? { ...finding, message: `no longer parses${count > 1 ? `, in ${count} places` : ''}`, weight: 'fails' }
    : { ...finding, message, weight: 'unclear' };
}

const changeOf = (then: SyntaxProblem, now: SyntaxProblem): Pick<Seen, 'message' | 'weight'> =>
  now.count > then.count
    ? { message: `does not parse in ${now.count} places instead of ${then.count}`, weight: 'unclear' }
    : { message: 'does not parse', weight: 'before' };

async function isFine(store: Store, { id, grammar }: CodeFile): Promise<boolean> {
  const bytes = (await readBlobs(store, [id])).get(id);
  return bytes !== undefined && isValidElsewhere(grammar, sourceText(bytes, grammar === 'python'));
}
