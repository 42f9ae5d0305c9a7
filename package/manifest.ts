import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../infra/build.ts';

interface Root {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What the bundle leaves out: native code, and what is the user's own CDK. Nobody who runs `assay check` needs them. */
export const PEERS = ['@duckdb/node-api', 'aws-cdk-lib', 'constructs'] as const;

/** Oldest Node that the package runs on, as its start checks it, too. */
export const NODE = '22.15.0';

/** package.json of the published package: bundles, so no dependencies; what is optional is a peer. */
export function manifest(): object {
  const root: Root = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8'));
  const versions = { ...root.devDependencies, ...root.dependencies };
  return {
    name: root.name,
    version: root.version,
    description: root.description,
    license: root.license,
    type: 'module',
    engines: { node: `>=${NODE}` },
    bin: { assay: 'bin/assay.js' },
    exports: {
      '.': { types: './types/construct.d.ts', default: './infra/construct.js' },
      './config': { types: './types/config.d.ts' },
      './assay.schema.json': './types/assay.schema.json',
      './events.schema.json': './types/events.schema.json',
      './package.json': './package.json',
    },
    peerDependencies: Object.fromEntries(PEERS.map((name) => [name, `^${versions[name]}`])),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  };
}
