import { Construct } from 'constructs';
import { ENV } from '../shared/names.ts';
import type { GitSecretPlace } from '../shared/repository/git-secret.ts';
import { type Common, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface MinterProps {
  readonly common: Common;
  readonly table: TasksTable;
  /** Complete ARN of the secret with what repositories are read with. @default - every repository is asked without a credential */
  readonly secretArn?: string | undefined;
  /** URL prefixes that it covers. */
  readonly readFrom: readonly string[];
}

/** Makes what boxes and the resolver say to private repositories: the one function that may read the secret, and it does nothing else. */
export class Minter extends Construct {
  readonly #function: ServiceFunction;
  readonly #readFrom: readonly string[];

  constructor(scope: Construct, id: string, props: MinterProps) {
    super(scope, id);
    const { common, table, secretArn } = props;
    const place: GitSecretPlace =
      secretArn === undefined ? { via: 'none' } : { via: 'secret', arn: secretArn };
    this.#readFrom = props.readFrom;
    this.#function = new ServiceFunction(this, 'Mint', {
      common,
      name: 'minter',
      description: 'Makes credentials for one repository and an hour, for boxes and the resolver',
      callsOut: true,
      environment: { [ENV.table]: table.table.tableName, [ENV.gitSecret]: JSON.stringify(place) },
    });
    table.allow(this.#function);
    if (secretArn !== undefined)
      this.#function.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
  }

  /** What a function that asks the minter is told. */
  get environment(): Record<string, string> {
    return {
      [ENV.minter]: this.#function.lambda.functionName,
      [ENV.readFrom]: JSON.stringify(this.#readFrom),
    };
  }

  /** Lets a function ask for credentials. What it may have, the minter finds out from the task that it names. */
  allow(grantee: ServiceFunction): void {
    grantee.allow({ actions: ['lambda:InvokeFunction'], on: [this.#function.lambda.functionArn] });
  }
}
