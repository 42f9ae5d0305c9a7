import type { ReportReader } from './tool-report.ts';

/** Loads one reader; each brings only what it needs, because most of a box's time is its start. */
export const REPORT_READERS = {
  sarif: async (): Promise<ReportReader> => (await import('./sarif.ts')).readSarif,
  semgrep: async (): Promise<ReportReader> => (await import('./sarif.ts')).readSemgrepSarif,
  golangci: async (): Promise<ReportReader> => (await import('./sarif.ts')).readGolangciSarif,
  junit: async (): Promise<ReportReader> => (await import('./junit.ts')).readJunit,
  cargo: async (): Promise<ReportReader> => (await import('./compiler-readers.ts')).readCargoMessages,
  cargo_errors: async (): Promise<ReportReader> => (await import('./compiler-readers.ts')).readCargoErrors,
  go_build: async (): Promise<ReportReader> => (await import('./compiler-readers.ts')).readGoBuild,
  go_vet: async (): Promise<ReportReader> => (await import('./compiler-readers.ts')).readGoVet,
  tap: async (): Promise<ReportReader> => (await import('./tap.ts')).readTap,
  ctrf: async (): Promise<ReportReader> => (await import('./ctrf.ts')).readCtrf,
  jest: async (): Promise<ReportReader> => (await import('./jest.ts')).readJest,
  cargo_test: async (): Promise<ReportReader> => (await import('./cargo-test.ts')).readCargoTestJson,
  go_test: async (): Promise<ReportReader> => (await import('./go-test.ts')).readGoTest,
  tsc: async (): Promise<ReportReader> => (await import('./compiler-readers.ts')).readTsc,
  eslint: async (): Promise<ReportReader> => (await import('./checker-readers.ts')).readEslint,
  eslint_warnings: async (): Promise<ReportReader> =>
    (await import('./checker-readers.ts')).readEslintWithWarnings,
  gitlab: async (): Promise<ReportReader> => (await import('./checker-readers.ts')).readGitlabCodeQuality,
  pyright: async (): Promise<ReportReader> => (await import('./checker-readers.ts')).readPyright,
  mypy: async (): Promise<ReportReader> => (await import('./checker-readers.ts')).readMypy,
  vulture: async (): Promise<ReportReader> => (await import('./dead-code-readers.ts')).readVulture,
  knip: async (): Promise<ReportReader> => (await import('./dead-code-readers.ts')).readKnip,
  bandit: async (): Promise<ReportReader> => (await import('./checker-readers.ts')).readBandit,
  pip_audit: async (): Promise<ReportReader> => (await import('./advisory-readers.ts')).readPipAudit,
  npm_audit: async (): Promise<ReportReader> => (await import('./advisory-readers.ts')).readNpmAudit,
  cargo_audit: async (): Promise<ReportReader> => (await import('./advisory-readers.ts')).readCargoAudit,
} as const satisfies Readonly<Record<string, () => Promise<ReportReader>>>;

export type ReportFormat = keyof typeof REPORT_READERS;
