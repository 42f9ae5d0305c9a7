import { join } from 'node:path';

/** Every Lambda function and the module that exports its `handler`. */
export const LAMBDA_ENTRY_POINTS = {
  'api-authorizer': 'functions/api/authorizer.ts',
  'api-submit': 'functions/api/write-api.ts',
  'api-work': 'functions/api/work-api.ts',
  'api-upload': 'functions/api/upload-api.ts',
  'api-evidence': 'functions/api/evidence-api.ts',
  'api-read': 'functions/api/read-api.ts',
  'api-webhook': 'functions/api/webhook-api.ts',
  'forge-tell': 'functions/forge/report.ts',
  conductor: 'functions/conductor/handler.ts',
  ledger: 'functions/ledger/handler.ts',
  compactor: 'functions/compact/handler.ts',
  resolver: 'functions/resolve/handler.ts',
  cascade: 'functions/cascade/handler.ts',
  janitor: 'functions/janitor/handler.ts',
  judge: 'functions/judge/handler.ts',
  dispatcher: 'functions/dispatch/handler.ts',
  deliver: 'functions/deliver/handler.ts',
  reconciler: 'functions/reconcile/handler.ts',
  models: 'functions/models/handler.ts',
  minter: 'functions/mint/handler.ts',
  'push-minter': 'functions/mint/push-handler.ts',
  page: 'functions/page/handler.ts',
  traces: 'functions/traces/handler.ts',
  notify: 'functions/notify/handler.ts',
  'dead-letters': 'functions/dead-letters/handler.ts',
} as const;
export type ServiceFunctionName = keyof typeof LAMBDA_ENTRY_POINTS;

/** Every container image and its program. The Dockerfile lies beside the program. */
export const CONTAINER_ENTRY_POINTS = {
  agent: 'containers/agent/main.ts',
  gates: 'containers/gates/main.ts',
} as const;
export type ContainerName = keyof typeof CONTAINER_ENTRY_POINTS;

/** Folders that the template takes its assets from. */
export interface BundleDirectories {
  readonly functionDirectory: (name: ServiceFunctionName) => string;
  readonly imageDirectory: (name: ContainerName) => string;
}

/** The layout of a folder that `bundleFunctionsAndContainers` has filled. */
export const getBundleDirectories = (target: string): BundleDirectories => ({
  functionDirectory: (name) => join(target, 'functions', name),
  imageDirectory: (name) => join(target, 'containers', name),
});
