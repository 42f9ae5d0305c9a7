import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';

/** The stack of a cloud assembly: its template, and where its assets are in the assembly. */
export interface AssemblyStack {
  readonly name: string;
  readonly template: UnknownRecord;
  readonly assets: AssetLocator;
}

export interface AssetLocator {
  /** Returns the path of the file asset with this object key (`<hash>.zip`, `<hash>.json`), or null. */
  file(objectKey: string): string | null;
  /** Returns the directory of the Docker image asset with this URI, or null. */
  image(imageUri: unknown): string | null;
}

const readJson = (path: string): UnknownRecord => {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(parsed)) throw new Error(`${path} is not a JSON object`);
  return parsed;
};

const record = (value: unknown): UnknownRecord => (isRecord(value) ? value : {});

/** Reads the one stack of a cloud assembly. @throws Error if the directory has none, or several. */
export function readAssembly(directory: string): AssemblyStack {
  const artifacts = Object.entries(record(readJson(join(directory, 'manifest.json'))['artifacts']));
  const stacks = artifacts.filter(([, artifact]) => record(artifact)['type'] === 'aws:cloudformation:stack');
  const [stack, ...others] = stacks;
  if (stack === undefined || others.length > 0) {
    throw new Error(`${directory} must hold exactly one stack, not ${stacks.length}`);
  }
  const [name, artifact] = stack;
  const templateFile = record(record(artifact)['properties'])['templateFile'];
  const manifests = artifacts
    .map(([, candidate]) => record(candidate))
    .filter((candidate) => candidate['type'] === 'cdk:asset-manifest')
    .map((candidate) => readJson(join(directory, String(record(candidate['properties'])['file']))));
  return {
    name,
    template: readJson(join(directory, String(templateFile))),
    assets: readAssets(directory, manifests),
  };
}

function readAssets(directory: string, manifests: readonly UnknownRecord[]): AssetLocator {
  const files = new Map<string, string>();
  const images = new Map<string, string>();
  for (const manifest of manifests) {
    for (const asset of Object.values(record(manifest['files'])).map(record)) {
      const path = record(asset['source'])['path'];
      for (const destination of Object.values(record(asset['destinations'])).map(record)) {
        files.set(String(destination['objectKey']), join(directory, String(path)));
      }
    }
    for (const asset of Object.values(record(manifest['dockerImages'])).map(record)) {
      const path = record(asset['source'])['directory'];
      for (const destination of Object.values(record(asset['destinations'])).map(record)) {
        images.set(String(destination['imageTag']), join(directory, String(path)));
      }
    }
  }
  return {
    file: (objectKey) => files.get(objectKey) ?? null,
    image: (imageUri) => images.get(String(imageUri).split(':').at(-1) ?? '') ?? null,
  };
}
