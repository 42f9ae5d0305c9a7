import { actionRisk, isHumanApprovalRequired } from '../../contract/approval/risk.ts';

/** What the rules make of a tool call. `escalate`: it needs leave for this action. */
export type ToolCallDecision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly rule: string; readonly reason: string }
  | { readonly decision: 'escalate'; readonly rule: string; readonly action: string };

/** Characters of a call, and of what came back, that are looked at. */
const LOOKED_AT = 8_000;

/** Where a command begins within a line: at its start, behind what joins commands, or behind what runs one. */
const START = String.raw`(?:^|[;&|(\n\x60]|\$\(|["']|\b(?:sudo|env|exec|time|nohup)\s)\s*`;
const command = (words: string): RegExp => new RegExp(`${START}(?:${words})(?:\\s|$|["'])`, 'u');

/** What no agent needs for any task: who asks for it looks for what is not its own. */
const DENIED_CALLS: readonly (readonly [string, RegExp, string])[] = [
  [
    'instance_metadata',
    /\b169\.254\.(?:169\.254|170\.2|170\.23)\b|\bmetadata\.google\.internal\b/u,
    'it asks for the credentials of the machine',
  ],
  [
    'foreign_environment',
    /\/proc\/(?:\d+|\*|\[[^\]]*\])\/environ\b/u,
    'it reads the environment of other processes',
  ],
];

/** What leaves the box. Only actions that need a person at every level of autonomy are asked about. */
const CALLS_NEEDING_APPROVAL: readonly (readonly [string, RegExp, string])[] = [
  [
    'deploys',
    command(
      String.raw`terraform\s+(?:apply|destroy)|cdk\s+(?:deploy|destroy)|helm\s+(?:install|upgrade|uninstall)|kubectl\s+(?:apply|delete)|serverless\s+deploy|sam\s+deploy|pulumi\s+(?:up|destroy)`,
    ),
    'deploy:production',
  ],
  [
    'publishes',
    command(
      String.raw`npm\s+publish|pnpm\s+publish|yarn\s+npm\s+publish|cargo\s+publish|twine\s+upload|gem\s+push|docker\s+push`,
    ),
    'deploy:production',
  ],
  ['pushes', command(String.raw`git\s+(?:-[cC]\s+\S+\s+)*push`), 'vcs:push'],
];

/** What a security rule says of a call before it is done. */
export function decideToolCall(input: string): ToolCallDecision {
  const text = input.slice(0, LOOKED_AT);
  const denied = DENIED_CALLS.find(([, shape]) => shape.test(text));
  if (denied) return { decision: 'deny', rule: denied[0], reason: denied[2] };
  const asked = CALLS_NEEDING_APPROVAL.find(
    ([, shape, action]) => isHumanApprovalRequired(actionRisk(action)) && shape.test(text),
  );
  return asked ? { decision: 'escalate', rule: asked[0], action: asked[2] } : { decision: 'allow' };
}

const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['an AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u],
  ['a private key', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u],
  ['a token of GitHub', /\bgh[pousr]_[A-Za-z0-9]{36}\b/u],
  ['a key of a model provider', /\bsk-(?:ant-|proj-)[\w-]{20,}/u],
];

/** Kinds of secrets in what a tool has given back; never the secrets. */
export const findSecretKinds = (output: string): string[] =>
  SECRETS.filter(([, shape]) => shape.test(output.slice(0, LOOKED_AT))).map(([what]) => what);
