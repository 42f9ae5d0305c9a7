import type { TemplateLinter } from './template-linters.ts';

/** A rule that is not kept, with what it is not kept by and why. One that nothing breaks any more fails, and has to go. */
export interface LintSuppression {
  readonly linter: TemplateLinter;
  readonly rule: string;
  /** Logical ids; all that break the rule. */
  readonly logicalIds: RegExp;
  readonly reason: string;
}

const ALL = /./;

export const LINT_SUPPRESSIONS: readonly LintSuppression[] = [
  {
    linter: 'cfn-lint',
    rule: 'W3005',
    logicalIds: ALL,
    reason:
      'The CDK writes DependsOn of a function to its role beside that to its policy. The second is needed: a function must not be called before it may do its work.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_18',
    logicalIds: /^StorageBucket/,
    reason:
      'Access logs need a second bucket and bill every request of every box. Who reads or writes what is in CloudTrail data events, where an account wants them.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_21',
    logicalIds: /^StorageBucket/,
    reason:
      'Objects are named by their content and written once: the role that writes may not overwrite (s3:if-none-match), so that there is no second version.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_158',
    logicalIds: ALL,
    reason:
      'CloudWatch encrypts every log with a key of its own. A key of ours costs a dollar a month and a call for each batch, and keeps nobody out whom the policies let in.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_116',
    logicalIds: ALL,
    reason:
      'Stream readers have theirs in their event source mapping, queues in their redrive policy. What the API, the machines and the schedule call gets its error back or comes again in a minute.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_117',
    logicalIds: ALL,
    reason:
      'Functions call AWS and git hosts only. In a VPC that would need a NAT gateway or six interface endpoints, at 36 dollars a month and more, and would protect nothing: their roles do.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_115',
    logicalIds: ALL,
    reason:
      "Reserved executions are taken from the account's other functions, and a new account has ten. Settings reserve some; the queues and streams have theirs in their mappings, the API has its throttle.",
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_173',
    logicalIds: ALL,
    reason: 'Lambda encrypts them with its own key, and there is no secret in them: names, limits and ARNs.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_27',
    logicalIds: ALL,
    reason:
      'SQS encrypts with keys of its own unless told otherwise; the rule asks for KMS, which bills each message.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_65',
    logicalIds: /^WorkforceBoxesCluster/,
    reason:
      'Container Insights bills every metric of a cluster and of each family, also between tasks; what is asked of a box is in its records.',
  },
  {
    linter: 'checkov',
    rule: 'CKV_AWS_258',
    logicalIds: /^ModelsGateway/,
    reason:
      'Agents have no AWS identity. The gateway asks for the token of the attempt itself, before it reads anything else (ADR 60).',
  },
];
