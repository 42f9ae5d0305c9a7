import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { createAssayApp } from '../../infra/app.ts';
import {
  type BundleDirectories,
  CONTAINER_ENTRY_POINTS,
  getBundleDirectories,
  LAMBDA_ENTRY_POINTS,
} from '../../infra/bundles.ts';
import { TOOLCHAINS } from '../../infra/images.ts';
import type { AssayStack } from '../../infra/stack.ts';

/** Stands in for the bundles: the template does not depend on what is in them. */
function emptyBundles(folder: string): BundleDirectories {
  const place = (path: string, name: string, content: string) => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, name), content);
  };
  for (const name of Object.keys(LAMBDA_ENTRY_POINTS))
    place(`functions/${name}`, name === 'judge' ? 'index.mjs' : 'index.js', `// ${name}`);
  place('functions/deliver', 'Dockerfile', '# deliver');
  for (const name of Object.keys(CONTAINER_ENTRY_POINTS))
    for (const file of ['Dockerfile', ...TOOLCHAINS.map((each) => `Dockerfile.${each}`)])
      place(`containers/${name}`, file, `# ${name}`);
  return getBundleDirectories(folder);
}

/** Synthesises the stack as `npm run synth` does, checks included. `change` may spoil it first. Throws what synthesis throws. */
export function synthesiseChecked(
  context: Record<string, unknown> = {},
  change: (stack: AssayStack) => void = () => {},
): Template {
  const folder = mkdtempSync(join(tmpdir(), 'assay-synth-'));
  try {
    const bundles = emptyBundles(join(folder, 'bundles'));
    const { app, stack } = createAssayApp({ bundles, context, outdir: join(folder, 'assembly') });
    change(stack);
    const { template } = app.synth().getStackByName(stack.stackName);
    // Also refuses circular dependencies.
    return Template.fromJSON(template);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Assembly {
  readonly folder: string;
  readonly template: object;
}

/** What was made without checks, by its context: all files of a process share it, and each test gets a template of its own. */
const assemblies = new Map<string, Assembly>();

/** The assembly without the checks, which take most of the time; one test that runs them is enough. */
function assemblyOf(context: Record<string, unknown>): Assembly {
  const key = JSON.stringify(context);
  const made = assemblies.get(key);
  if (made) return made;
  const folder = mkdtempSync(join(tmpdir(), 'assay-synth-'));
  process.env['CDK_VALIDATION'] = 'false';
  try {
    const bundles = emptyBundles(join(folder, 'bundles'));
    const { app, stack } = createAssayApp({ bundles, context, outdir: join(folder, 'assembly') });
    const { template } = app.synth().getStackByName(stack.stackName);
    const assembly = { folder: join(folder, 'assembly'), template: template as object };
    assemblies.set(key, assembly);
    return assembly;
  } finally {
    delete process.env['CDK_VALIDATION'];
  }
}

/** Synthesises the stack without checks. Throws what synthesis throws. */
export const synthesise = (context: Record<string, unknown> = {}): Template =>
  Template.fromJSON(structuredClone(assemblyOf(context).template));

/** The folder of the cloud assembly; nobody writes into it. */
export const assemblyFolder = (context: Record<string, unknown> = {}): string => assemblyOf(context).folder;

type Found = ReturnType<Template['findResources']>[string];
/** As loose as a template is. */
export type Properties = Found[string];
export interface Resource {
  readonly DependsOn?: readonly string[];
  readonly Properties: Properties;
  readonly DeletionPolicy?: string;
}

/** The one resource of a type, or the one whose logical id begins so. */
export function only(template: Template, type: string, prefix = ''): Resource {
  const found = Object.entries(template.findResources(type)).filter(([id]) => id.startsWith(prefix));
  const [first] = found;
  if (!first || found.length !== 1)
    throw new Error(`there are ${found.length} of ${type} ${prefix}: ${found.map(([id]) => id).join(', ')}`);
  return {
    Properties: first[1]['Properties'],
    DependsOn: first[1]['DependsOn'],
    DeletionPolicy: first[1]['DeletionPolicy'],
  };
}

/** Text of a value with references: `Fn::Join` joined, `Ref` and `Fn::GetAtt` as `<id>` and `<id.attribute>`. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  const {
    Ref: ref,
    'Fn::GetAtt': attribute,
    'Fn::Join': join,
    'Fn::Sub': sub,
  } = value as Record<string, unknown>;
  if (Array.isArray(join)) return (join[1] as unknown[]).map(text).join(String(join[0]));
  if (Array.isArray(attribute)) return `<${attribute.join('.')}>`;
  if (typeof sub === 'string') return sub;
  if (typeof ref === 'string') return `<${ref}>`;
  throw new Error(`cannot tell what ${JSON.stringify(value)} is`);
}

/** A policy document with the logical ids of its roles, wherever it is written. */
export interface TemplatePolicy {
  /** Logical id of the policy, or of the role that holds it. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly statements: readonly Properties[];
}

/** Every policy of a role: those in the role, and those attached to it. */
export const policiesOf = (template: Template): readonly TemplatePolicy[] => [
  ...Object.entries(template.findResources('AWS::IAM::Policy')).map(([id, { Properties }]) => ({
    id,
    roles: Properties.Roles.map((role: unknown) => text(role).slice(1, -1)),
    statements: Properties.PolicyDocument.Statement,
  })),
  ...Object.entries(template.findResources('AWS::IAM::Role')).flatMap(([id, { Properties }]) =>
    (Properties.Policies ?? []).map(({ PolicyDocument }: Properties) => ({
      id,
      roles: [id],
      statements: PolicyDocument.Statement,
    })),
  ),
];

/** Names of the functions by the beginning of the logical ids that the stack gives them. */
export const FUNCTION_IDS = {
  'api-authorizer': 'Apiapiauthorizer',
  'api-submit': 'Apiapisubmit',
  'api-work': 'Apiapiwork',
  'api-upload': 'Apiapiupload',
  'api-evidence': 'Apiapievidence',
  'api-read': 'Apiapiread',
  conductor: 'ConductorConduct',
  ledger: 'AnalyticsLedger',
  compactor: 'AnalyticsCompactor',
  resolver: 'VerificationResolver',
  cascade: 'VerificationCascadeSteps',
  janitor: 'VerificationJanitorSteps',
  judge: 'VerificationJudgeAsk',
  dispatcher: 'DispatcherLaunch',
  reconciler: 'ReconcilerReconcile',
  models: 'ModelsGateway',
  deliver: 'DeliveryDeliver',
  minter: 'MinterMint',
  'push-minter': 'MinterPush',
  page: 'Apipage',
  'dead-letters': 'DeadLettersRead',
  'api-webhook': 'Apiapiwebhook',
  'forge-tell': 'ForgeTell',
  traces: 'TracesTell',
  notify: 'NotifySend',
} as const satisfies Record<keyof typeof LAMBDA_ENTRY_POINTS, string>;

/** Arguments that the agent's image is built with. */
export function agentBuildArguments(context: Record<string, unknown>): unknown {
  const assets = JSON.parse(readFileSync(join(assemblyFolder(context), 'Assay.assets.json'), 'utf8')) as {
    dockerImages: Record<string, { source: { dockerBuildArgs?: object } }>;
  };
  return Object.values(assets.dockerImages).flatMap(({ source }) =>
    Object.keys(source.dockerBuildArgs ?? {}).length > 0 ? [source.dockerBuildArgs] : [],
  );
}
