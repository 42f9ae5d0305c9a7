import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngineCredentials } from '../../../local/engine-credentials.ts';
import type { ResolvedResource } from '../../../local/shared-types.ts';
import { LOCAL_REGION } from '../../../local/template/identity.ts';

export const resource = (
  logicalId: string,
  type: string,
  properties: Record<string, unknown>,
): ResolvedResource => ({ logicalId, type, properties, metadata: {} });

/** A table with a stream, one index, and a time to live. */
export const TABLE = resource('Things', 'AWS::DynamoDB::GlobalTable', {
  TableName: 'Things',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'owner', 'rank'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by_owner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['title', 'colour'] },
    },
  ],
  StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
});

/** A directory that is gone after the test. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'assay-local-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The credentials of engines that a test starts. */
export const CREDENTIALS = createEngineCredentials();

/** What every SDK client of the tests needs to talk to loopback. */
export const clientConfig = (endpoint: string) => ({
  endpoint,
  region: LOCAL_REGION,
  credentials: CREDENTIALS,
});
