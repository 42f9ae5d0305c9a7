import type { Format } from './report.ts';

/** Loads one reader; each brings only what it needs, because most of a box's time is its start. */
export const FORMATS = {
  sarif: async (): Promise<Format> => (await import('./sarif.ts')).sarif,
  semgrep: async (): Promise<Format> => (await import('./sarif.ts')).semgrep,
  golangci: async (): Promise<Format> => (await import('./sarif.ts')).golangci,
  junit: async (): Promise<Format> => (await import('./junit.ts')).junit,
  cargo: async (): Promise<Format> => (await import('./compilers.ts')).cargo,
  cargo_errors: async (): Promise<Format> => (await import('./compilers.ts')).cargoErrors,
  go_build: async (): Promise<Format> => (await import('./compilers.ts')).goBuild,
  go_vet: async (): Promise<Format> => (await import('./compilers.ts')).goVet,
  tap: async (): Promise<Format> => (await import('./tap.ts')).tap,
  ctrf: async (): Promise<Format> => (await import('./ctrf.ts')).ctrf,
  jest: async (): Promise<Format> => (await import('./jest.ts')).jest,
  cargo_test: async (): Promise<Format> => (await import('./cargo-test.ts')).cargoTest,
  go_test: async (): Promise<Format> => (await import('./go-test.ts')).goTest,
  tsc: async (): Promise<Format> => (await import('./compilers.ts')).tsc,
  eslint: async (): Promise<Format> => (await import('./checkers.ts')).eslint,
  eslint_warnings: async (): Promise<Format> => (await import('./checkers.ts')).eslintWarnings,
  gitlab: async (): Promise<Format> => (await import('./checkers.ts')).gitlab,
  pyright: async (): Promise<Format> => (await import('./checkers.ts')).pyright,
  mypy: async (): Promise<Format> => (await import('./checkers.ts')).mypy,
  vulture: async (): Promise<Format> => (await import('./dead-code.ts')).vulture,
  knip: async (): Promise<Format> => (await import('./dead-code.ts')).knip,
  bandit: async (): Promise<Format> => (await import('./checkers.ts')).bandit,
  pip_audit: async (): Promise<Format> => (await import('./advisories.ts')).pipAudit,
  npm_audit: async (): Promise<Format> => (await import('./advisories.ts')).npmAudit,
  cargo_audit: async (): Promise<Format> => (await import('./advisories.ts')).cargoAudit,
} as const satisfies Readonly<Record<string, () => Promise<Format>>>;

export type FormatName = keyof typeof FORMATS;
