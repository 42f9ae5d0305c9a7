import { describe, expect, it } from 'vitest';
import { type CheckResult, listDeployProblems, parseDeployArguments } from '../../infra/deploy.ts';

const check = (name: string, outcome: string): CheckResult => ({
  check: name,
  outcome,
  detail: `${name} is not there`,
  advice: `make ${name}`,
});

describe('npm run deploy', () => {
  it('hands to the CDK everything but the repository of the smoke test', () => {
    const argv = [
      '-c',
      'assay:stage=dev',
      '--repository',
      'https://github.com/a/b',
      '--require-approval',
      'never',
    ];
    expect(parseDeployArguments(argv)).toEqual({
      cdk: ['-c', 'assay:stage=dev', '--require-approval', 'never'],
      stack: 'Assay-dev',
      repository: 'https://github.com/a/b',
      choosesModels: false,
    });
    expect(parseDeployArguments([])).toMatchObject({ stack: 'Assay', repository: null });
  });

  it('stops before CloudFormation with one sentence for each thing that would fail', () => {
    const checks = [
      check('bootstrap', 'missing'),
      check('ecs_role', 'ok'),
      check('model_access', 'missing'),
      check('images', 'missing'),
      check('lambda_concurrency', 'attention'),
    ];
    expect(listDeployProblems(checks, parseDeployArguments([]))).toEqual([
      'bootstrap: bootstrap is not there. Do this: make bootstrap',
      'model_access: model_access is not there. Do this: make model_access',
    ]);
  });

  it('leaves models to the settings where the arguments choose some', () => {
    const given = parseDeployArguments(['-c', 'assay:models={}']);
    expect(listDeployProblems([check('model_access', 'missing')], given)).toEqual([]);
  });
});
