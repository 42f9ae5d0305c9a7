import { describe, expect, it } from 'vitest';
import {
  buildSmokeTokenCommand,
  type CheckResult,
  listDeployProblems,
  listUncheckedPrerequisites,
  parseDeployArguments,
  readDeployOutputs,
} from '../../infra/deploy.ts';

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

  it.each([
    [['--context', 'assay:stage=dev']],
    [['--context=assay:stage=dev']],
    [['-c=assay:stage=dev']],
    [['-cassay:stage=dev']],
    [['-c', 'assay:stage=prod', '-c', 'assay:stage=dev']],
  ])('checks the stack that the CDK deploys for %j', (cdk) => {
    expect(parseDeployArguments(cdk)).toMatchObject({ cdk, stack: 'Assay-dev' });
  });

  it('takes the repository behind an equals sign, and refuses none', () => {
    const url = 'https://github.com/a/b';
    expect(parseDeployArguments([`--repository=${url}`, '--verbose'])).toMatchObject({
      cdk: ['--verbose'],
      repository: url,
    });
    for (const argv of [['--repository'], ['--repository='], ['--repository', '--verbose']])
      expect(() => parseDeployArguments(argv)).toThrow('--repository needs the URL of a repository.');
  });

  it('goes on only with the outputs of the stack that was checked', () => {
    const outputs = { ApiUrl: 'https://api.example', TableName: 'Assay-Tasks' };
    expect(readDeployOutputs(JSON.stringify({ Assay: { ...outputs, Region: 'x' } }), 'Assay')).toEqual(
      outputs,
    );
    expect(() => readDeployOutputs(JSON.stringify({ 'Assay-dev': outputs }), 'Assay')).toThrow(
      'Deployed was Assay-dev and not Assay',
    );
    expect(() => readDeployOutputs('{}', 'Assay')).toThrow('Deployed was nothing and not Assay');
  });

  it('makes a token for the smoke test that is no administrator and expires', () => {
    const command = buildSmokeTokenCommand('Assay-Tasks').join(' ');
    expect(command).toContain('--role submit --expires 1h');
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

  it('names what could not be checked, of what a deployment needs', () => {
    const checks = [
      check('credentials', 'ok'),
      check('bootstrap', 'could_not_run'),
      check('quotas', 'could_not_run'),
    ];
    expect(listUncheckedPrerequisites(checks)).toEqual(['bootstrap: bootstrap is not there']);
    expect(listDeployProblems(checks, parseDeployArguments([]))).toEqual([]);
  });

  it('leaves models to the settings where the arguments choose some', () => {
    const given = parseDeployArguments(['-c', 'assay:models={}']);
    expect(listDeployProblems([check('model_access', 'missing')], given)).toEqual([]);
  });
});
