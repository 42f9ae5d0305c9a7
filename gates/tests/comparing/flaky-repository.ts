import { runGitInStore } from '../../../workspace/git/git-store.ts';
import { CONFIG_FILE } from '../../core/configuration-file.ts';
import type { GateContext } from '../../core/gate.ts';

/** How long the first commits of a history may be looked for, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * What tells a repository from others: its address where it is known, else its first commits, which all its copies share. Where a copy
 * has only the last ones, the configuration of its gates stands for it.
 */
export async function identifyRepository({ subject, repository = null }: GateContext): Promise<string> {
  if (repository !== null) return repository;
  const { store, base } = subject;
  const shallow = await runGitInStore(store, ['rev-parse', '--is-shallow-repository'], {
    timeoutMs: LOOK_MS,
  });
  if (shallow.code === 0 && shallow.stdout.toString().trim() === 'false') {
    const first = await runGitInStore(store, ['rev-list', '--max-parents=0', base], { timeoutMs: LOOK_MS });
    if (first.code === 0) return `commits ${first.stdout.toString().trim().split('\n').sort().join(' ')}`;
  }
  return `configuration ${(await subject.baseFile(CONFIG_FILE)) ?? ''}`;
}
