import { Construct } from 'constructs';
import type { GitCredentialsSource } from '../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { ServiceFunctionName } from './bundles.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface CredentialMinterProps {
  readonly common: CommonConstructProps;
  readonly table: TasksTable;
  /** Complete ARN of the secret with what repositories are read with. @default - every repository is asked without a credential */
  readonly secretArn?: string | undefined;
  /** URL prefixes that it covers. */
  readonly readScopes: readonly string[];
}

/**
 * Makes what is said to private repositories: the one function that makes what reads, and the one that makes what writes, may read the secret, and
 * do nothing else. There are two so that who may ask for the one may not ask for the other.
 */
export class CredentialMinter extends Construct {
  readonly #reading: ServiceFunction;
  readonly #pushing: ServiceFunction;
  readonly #readScopes: readonly string[];

  constructor(scope: Construct, id: string, props: CredentialMinterProps) {
    super(scope, id);
    const { common, table, secretArn } = props;
    const place: GitCredentialsSource =
      secretArn === undefined ? { via: 'none' } : { via: 'secret', arn: secretArn };
    this.#readScopes = props.readScopes;
    const made = (id: string, name: ServiceFunctionName, description: string): ServiceFunction => {
      const each = new ServiceFunction(this, id, {
        common,
        name,
        description,
        callsOut: true,
        environment: {
          [FUNCTION_ENV_NAMES.table]: table.table.tableName,
          [FUNCTION_ENV_NAMES.gitSecret]: JSON.stringify(place),
        },
      });
      table.allow(each);
      if (secretArn !== undefined)
        each.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
      return each;
    };
    this.#reading = made('Mint', 'minter', 'Makes what reads one repository, for boxes and the resolver');
    this.#pushing = made('Push', 'push-minter', 'Makes what writes to one repository, for its delivery');
  }

  /** What a function is told that asks for what reads. */
  get environment(): Record<string, string> {
    return this.#told(this.#reading);
  }

  /** What the function that delivers is told. */
  get pushEnvironment(): Record<string, string> {
    return this.#told(this.#pushing);
  }

  /** Lets a function ask for what reads. What it may have, the minter finds out from the task that it names. */
  allow(grantee: ServiceFunction): void {
    grantee.allow({ actions: ['lambda:InvokeFunction'], on: [this.#reading.lambda.functionArn] });
  }

  /** Lets the function that delivers ask for what writes. For which launch, it shows by that launch's token. */
  allowPush(grantee: ServiceFunction): void {
    grantee.allow({ actions: ['lambda:InvokeFunction'], on: [this.#pushing.lambda.functionArn] });
  }

  #told(minter: ServiceFunction): Record<string, string> {
    return {
      [FUNCTION_ENV_NAMES.minterFunction]: minter.lambda.functionName,
      [FUNCTION_ENV_NAMES.readScopes]: JSON.stringify(this.#readScopes),
    };
  }
}
