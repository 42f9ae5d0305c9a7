import type { RoleConfig } from '../../contract/roles/schema.ts';

/** A role: how its agent is spoken to, and what it may use. */
export interface Role {
  readonly name: string;
  readonly systemPrompt: string;
  /** A template; see render.ts. */
  readonly taskPrompt: string;
  readonly config: RoleConfig;
  readonly source: 'builtin' | 'repository';
}

/** The files of a role's folder. */
export const ROLE_FILES = {
  system: 'system_prompt.md',
  task: 'task_prompt.md',
  config: 'config.yaml',
} as const;
export type RoleFileName = (typeof ROLE_FILES)[keyof typeof ROLE_FILES];

/** Where a repository keeps roles of its own, and what agents are told about it. */
export const REPOSITORY_ROLES_FOLDER = '.assay/roles';
export const REPOSITORY_KNOWLEDGE_FOLDER = '.assay/knowledge';

/** Largest file of a role, in bytes. */
export const MAX_ROLE_FILE_BYTES = 65_536;
/** Most of what a project knows that goes into one prompt, in bytes. */
export const MAX_KNOWLEDGE_BYTES = 32_768;
