import type { DetectionPattern, PatternCandidate } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { classifyTokenSeverity, isPublishedExampleValue } from './allowed-values.ts';

/** What follows a token of fixed length: no more of it. */
const END = /\(\?!\[[^\]]*\]\)$/;

/** A token that one can tell by its shape. Letters and digits must not go on before or after it. */
const token = (
  rule: string,
  title: string,
  anchors: readonly string[],
  pattern: string,
  more: Partial<DetectionPattern> = {},
): DetectionPattern => ({
  rule,
  title,
  severity: 'high',
  anchors,
  before: 0,
  after: 320,
  pattern: new RegExp(`(?<![A-Za-z0-9])(?:${pattern})`),
  contextFreePattern: new RegExp(pattern.replace(END, '')),
  rank: DETECTOR_RANK.token,
  inBinary: true,
  ...more,
});

/** The header of a key by itself, in quotes, is what a program looks for; the key follows in the next few bytes. */
function keySeverity({ text, at, value }: PatternCandidate) {
  const rest = text.slice(at + value.length, at + value.length + 400);
  const alone = /^["'`]/.test(rest) && !/[A-Za-z0-9+/]{40}/.test(rest);
  return alone ? ('medium' as const) : ('high' as const);
}

/** Rules for what is a secret by its shape, wherever it stands. */
export function buildTokenPatterns(prefixes: readonly string[]): DetectionPattern[] {
  const rateCandidate = (candidate: PatternCandidate) => classifyTokenSeverity(candidate, prefixes);
  const rules: DetectionPattern[] = [
    token(
      'aws_access_key',
      'AWS access key',
      ['akia', 'asia', 'abia', 'acca'],
      '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    ),
    token(
      'github_token',
      'GitHub token',
      ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
      '(?:gh[pousr]_[A-Za-z0-9_]{36,255}|github_pat_[A-Za-z0-9_]{22,255})',
    ),
    token(
      'gitlab_token',
      'GitLab token',
      ['glpat-', 'gr1348941'],
      '(?:glpat-|GR1348941)[A-Za-z0-9_-]{20,128}',
    ),
    token(
      'slack_token',
      'Slack token',
      ['xoxb-', 'xoxp-', 'xoxo-', 'xoxr-', 'xoxa-', 'xoxs-', 'xoxe', 'xapp-'],
      '(?:xox[bporas]-|xoxe[.-]|xapp-)[A-Za-z0-9.-]{10,255}',
    ),
    token(
      'webhook_url',
      'address of a webhook, which is its own password',
      [
        'hooks.slack.com/',
        'discord.com/api/webhooks/',
        'discordapp.com/api/webhooks/',
        'webhook.office.com/',
      ],
      'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,120}|discord(?:app)?\\.com/api/webhooks/\\d{15,25}/[A-Za-z0-9_-]{40,100}|webhook\\.office\\.com/webhookb2/[A-Za-z0-9@-]{30,120}/[A-Za-z]{1,40}/[a-f0-9]{32}',
    ),
    token(
      'stripe_key',
      'Stripe key',
      ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
      '(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,100})',
    ),
    token('google_api_key', 'Google API key', ['aiza'], 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'),
    token(
      'google_oauth_token',
      'Google OAuth token',
      ['ya29.', 'gocspx-'],
      '(?:ya29\\.[A-Za-z0-9_-]{50,300}|GOCSPX-[A-Za-z0-9_-]{28})',
    ),
    token('npm_token', 'npm token', ['npm_'], 'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
    token('pypi_token', 'PyPI token', ['pypi-'], 'pypi-[A-Za-z0-9_-]{50,300}'),
    token(
      'docker_token',
      'Docker Hub token',
      ['dckr_pat_', 'dckr_oat_'],
      'dckr_[po]at_[A-Za-z0-9_-]{20,100}',
    ),
    token('sendgrid_key', 'SendGrid key', ['sg.'], 'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{32,64}'),
    token(
      'twilio_key',
      'Twilio key',
      [...'0123456789abcdef'].map((digit) => `sk${digit}`),
      'SK[0-9a-f]{32}(?![A-Za-z0-9])',
      { after: 40 },
    ),
    token('mailgun_key', 'Mailgun key', ['key-'], 'key-[0-9a-f]{32}(?![A-Za-z0-9])'),
    token(
      'openai_key',
      'OpenAI or Anthropic key',
      ['sk-proj-', 'sk-ant-', 'sk-svcacct-', 'sk-admin-'],
      'sk-(?:proj|ant|svcacct|admin)-[A-Za-z0-9_-]{24,255}',
    ),
    token(
      'digitalocean_token',
      'DigitalOcean token',
      ['dop_v1_', 'doo_v1_', 'dor_v1_'],
      'do[opr]_v1_[a-f0-9]{64}',
    ),
    token('vault_token', 'Vault token', ['hvs.', 'hvb.'], 'hv[sb]\\.[A-Za-z0-9_-]{24,300}'),
    token('telegram_token', 'Telegram bot token', [':aa'], '\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])', {
      before: 12,
    }),
    token('age_key', 'age secret key', ['age-secret-key-1'], 'AGE-SECRET-KEY-1[A-Z0-9]{58}'),
    token(
      'azure_key',
      'Azure account key',
      ['accountkey', 'sharedaccesskey'],
      '(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/]{40,100}={0,2})',
    ),
  ];
  return [
    ...rules.map((rule) => ({ ...rule, rateCandidate })),
    token(
      'jwt_token',
      'JSON web token',
      ['eyj'],
      '(?<![_-])eyJ[A-Za-z0-9_-]{17,2000}\\.[A-Za-z0-9_-]{20,6000}\\.[A-Za-z0-9_-]{20,1000}',
      { after: 9_100, rateCandidate: ({ value }) => (isPublishedExampleValue(value) ? 'medium' : 'high') },
    ),
    {
      ...token('private_key', 'private key', ['private key', 'putty-user-key-file'], ''),
      before: 48,
      after: 420,
      contextFreePattern: /-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/,
      pattern:
        /-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]: [a-z0-9-]{3,24}/,
      rateCandidate: keySeverity,
    },
    {
      ...token('gcp_service_account', 'Google service account', ['service_account'], ''),
      before: 40,
      contextFreePattern: /["']type["'][ \t]{0,8}:[ \t]{0,8}["']service_account["']/,
      pattern: /["']type["'][ \t]{0,8}:[ \t]{0,8}["']service_account["']/,
    },
  ];
}
