import * as z from 'zod';
import { OPERATOR_ROLE_NAMES, type OperatorRole } from '../../contract/access/rights.ts';
import { isLoopbackUrl } from '../../contract/repository/loopback.ts';
import { parseRepositoryUrl } from '../../contract/repository/repository-url.ts';

const ClaimName = z.string().regex(/^[\w:./-]{1,200}$/, 'must be the name of a claim');

/** Characters that a claim may put into the URL of a repository. */
const REPOSITORY_PART = /^[\w.-]+(?:\/[\w.-]+)*$/;
const PLACEHOLDER = /\{([\w:.-]+)\}/g;

/** Repositories, as the URL of one or of what they are below; `{claim}` stands for the value of a claim. */
const RepositoryTemplate = z
  .string()
  .max(500)
  .refine(
    (template) => !('error' in parseRepositoryUrl(template.replaceAll(PLACEHOLDER, 'x'))),
    'must be the URL of a repository, or of what repositories are below',
  )
  .refine(
    (template) => !template.slice(0, template.indexOf('/', 'https://'.length)).includes('{'),
    'must name its host: a claim may only stand in the path',
  );

const OidcRule = z.strictObject({
  claims: z
    .record(ClaimName, z.array(z.string().min(1).max(300)).min(1).max(50))
    .refine((claims) => Object.keys(claims).length > 0, 'must name a claim')
    .describe(
      'Values of each claim: one of them must be equal, or a value of a list in the claim; `*` at the end stands for any rest.',
    ),
  role: z.enum(OPERATOR_ROLE_NAMES as [OperatorRole, ...OperatorRole[]]).describe('Role of the caller.'),
  repositories: z
    .array(RepositoryTemplate)
    .min(1)
    .max(20)
    .optional()
    .describe('Repositories of the caller. Absent: all.'),
});

/** An issuer of identity tokens. */
export const OidcIssuer = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,29}$/, 'must be 1 to 30 lower-case letters, digits or "-"')
    .describe('Callers are named `<name>:<subject>`.'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopbackUrl(url), 'must be an https:// URL')
    .describe('Exactly as in the claim `iss`.'),
  audiences: z.array(z.string().min(1).max(500)).min(1).max(20).describe('One of them must be in the token.'),
  audience_claim: z
    .enum(['aud', 'client_id'])
    .default('aud')
    .describe('`client_id`: access tokens of Cognito, which have no `aud`.'),
  subject_claim: ClaimName.default('sub').describe(
    'Claim that names the caller in tasks and reviews. It must be unique, and no one may change their own.',
  ),
  rules: z.array(OidcRule).min(1).max(50).describe('The first one that the claims satisfy counts.'),
});
export type OidcIssuer = z.infer<typeof OidcIssuer>;

/** `assay:oidc`, and the file of `assay up --oidc`. */
export const OidcIssuers = z
  .array(OidcIssuer)
  .min(1)
  .max(10)
  .superRefine((issuers, context) => {
    for (const field of ['name', 'issuer'] as const)
      for (const [index, each] of issuers.entries())
        if (issuers.findIndex((other) => other[field] === each[field]) !== index)
          context.addIssue({ code: 'custom', path: [index, field], message: 'is listed twice' });
  });
export type OidcIssuers = z.infer<typeof OidcIssuers>;

/** Caller whom the claims of a token name. */
export interface OidcIdentity {
  readonly name: string;
  readonly role: OperatorRole;
  /** URLs; empty: all. */
  readonly repositories: readonly string[];
}

export type TokenClaims = Readonly<Record<string, unknown>>;

/** Longest subject; a name is shown in tasks and reviews. */
const MAX_SUBJECT = 200;

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) =>
    typeof each === 'string' ? [each] : typeof each === 'boolean' ? [String(each)] : [],
  );
const matchesValue = (pattern: string, value: string): boolean =>
  pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
/** Returns a claim. An address that nobody has confirmed can be anyone's: it counts as absent. */
const ownClaim = (claims: TokenClaims, name: string): unknown =>
  !Object.hasOwn(claims, name) || (name === 'email' && claims['email_verified'] !== true)
    ? undefined
    : claims[name];

/** Fills the claims into a URL. Returns null if a claim is missing, or is nothing that a path has. */
function fillTemplate(template: string, claims: TokenClaims): string | null {
  let isValid = true;
  const url = template.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = ownClaim(claims, name);
    if (typeof value === 'string' && REPOSITORY_PART.test(value) && !/(^|\/)\.+(\/|$)/.test(value))
      return value;
    isValid = false;
    return '';
  });
  const parsed = isValid ? parseRepositoryUrl(url) : { error: 'a claim' };
  return 'error' in parsed ? null : url;
}

/** Returns the caller that verified claims name, or null if no rule of the issuer maps them. */
export function mapClaims(
  { name, subject_claim, rules }: OidcIssuer,
  claims: TokenClaims,
): OidcIdentity | null {
  const subject = ownClaim(claims, subject_claim);
  if (typeof subject !== 'string' || !/^[\x21-\x7e]+$/.test(subject) || subject.length > MAX_SUBJECT)
    return null;
  const rule = rules.find((each) =>
    Object.entries(each.claims).every(([claim, patterns]) => {
      const values = textsOf(ownClaim(claims, claim));
      return patterns.some((pattern) => values.some((value) => matchesValue(pattern, value)));
    }),
  );
  if (rule === undefined) return null;
  const repositories = (rule.repositories ?? []).map((template) => fillTemplate(template, claims));
  if (repositories.includes(null)) return null;
  return {
    name: `${name}:${subject}`,
    role: rule.role,
    repositories: repositories.filter((url) => url !== null),
  };
}
