import { Stack } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServiceFunction } from './function.ts';

/** A key of the user's own for what lies in the table and in the bucket. */
export class DataEncryptionKey extends Construct {
  readonly key: IKey;
  readonly #allowed = new Set<string>();

  constructor(scope: Construct, id: string, props: { readonly arn: string }) {
    super(scope, id);
    this.key = Key.fromKeyArn(this, 'Key', props.arn);
  }

  /** Lets a function use the key through a service, and in no other way. Who signs a URL needs it for what the URL reads or writes. */
  allow(grantee: ServiceFunction, service: 'dynamodb' | 's3'): void {
    const once = `${grantee.node.path} ${service}`;
    if (this.#allowed.has(once)) return;
    this.#allowed.add(once);
    grantee.allow({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      on: [this.key.keyArn],
      when: {
        StringEquals: { 'kms:ViaService': `${service}.${Stack.of(this).region}.${Stack.of(this).urlSuffix}` },
      },
    });
  }
}
