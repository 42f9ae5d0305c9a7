import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

export const REPOSITORY_HALVES = ['look', 'held_out'] as const;

const Repository = z.strictObject({
  /** `owner/name` on GitHub. */
  name: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  language: z.enum(['python', 'javascript', 'go', 'rust']),
  /** `held_out`: nobody looks at it while rules change. */
  half: z.enum(REPOSITORY_HALVES),
  monorepo: z.boolean().default(false),
});
export type ListedRepository = z.infer<typeof Repository>;

const RepositoryList = z.strictObject({ repositories: z.array(Repository) });

/** Reads a list of repositories. @throws where a field is not as it should be. */
export const readRepositoryList = (file: string): ListedRepository[] =>
  RepositoryList.parse(parse(readFileSync(file, 'utf8'))).repositories;
