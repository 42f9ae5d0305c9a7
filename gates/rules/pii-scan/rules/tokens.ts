import type { RuleDefinition } from '../../framework/rule-family.ts';
import {
  makeFakeSecret,
  SECRET_DECIMAL_DIGITS,
  SECRET_HEX_DIGITS,
  SECRET_UPPERCASE_CHARACTERS,
} from '../../scan/fake-secrets.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** Put together at run time, so that no scanner finds one in this file. */
const glue = (...parts: readonly string[]): string => parts.join('');
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What is a secret by its shape, wherever it stands. */
export const TOKEN_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'aws_access_key',
    default: 'error',
    summary: 'an access key of AWS',
    rationale:
      'It opens an account of AWS as far as its user may go. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'src/aws.ts',
      `const id = '${glue('AK', 'IA')}${makeFakeSecret(16, SECRET_UPPERCASE_CHARACTERS)}';`,
    ],
    harmlessFile: ['src/aws.ts', 'const id = process.env.AWS_ACCESS_KEY_ID;'],
  }),
  defineScanRule({
    id: 'github_token',
    default: 'error',
    summary: 'a token of GitHub',
    rationale:
      'It reads and writes repositories in the name of whoever made it. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/gh.ts', `const token = '${glue('gh', 'p_')}${makeFakeSecret(36)}';`],
    harmlessFile: ['src/gh.ts', 'const token = process.env.GITHUB_TOKEN;'],
  }),
  defineScanRule({
    id: 'gitlab_token',
    default: 'error',
    summary: 'a token of GitLab',
    rationale:
      'It reads and writes repositories in the name of whoever made it. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['ci.yml', `token: ${glue('gl', 'pat-')}${makeFakeSecret(20)}`],
    harmlessFile: ['ci.yml', 'token: $CI_JOB_TOKEN'],
  }),
  defineScanRule({
    id: 'slack_token',
    default: 'error',
    summary: 'a token of Slack',
    rationale:
      'It reads and writes messages of a workspace. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'bot.rb',
      `c.token = '${glue('xo', 'xb-')}${makeFakeSecret(12, SECRET_DECIMAL_DIGITS)}-${makeFakeSecret(24)}'`,
    ],
    harmlessFile: ['bot.rb', 'c.token = ENV["SLACK_TOKEN"]'],
  }),
  defineScanRule({
    id: 'webhook_url',
    default: 'error',
    summary: 'the address of a webhook, which is its own password',
    rationale:
      'Whoever knows the address can post there. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'notify.sh',
      `curl https://hooks.${glue('slack', '.com/services/T')}${makeFakeSecret(8, SECRET_UPPERCASE_CHARACTERS)}/B${makeFakeSecret(8, SECRET_UPPERCASE_CHARACTERS)}/${makeFakeSecret(24)}`,
    ],
    harmlessFile: ['notify.sh', 'curl https://hooks.example.com/services'],
  }),
  defineScanRule({
    id: 'stripe_key',
    default: 'error',
    summary: 'a key of Stripe',
    rationale:
      'It moves money of the account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/pay.ts', `new Stripe('${glue('sk', '_live_')}${makeFakeSecret(24)}')`],
    harmlessFile: ['src/pay.ts', 'new Stripe(config.stripeKey)'],
  }),
  defineScanRule({
    id: 'google_api_key',
    default: 'error',
    summary: 'an API key of Google',
    rationale:
      'Others can use services at the cost of the project. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['web/map.js', `load('${glue('AI', 'za')}${makeFakeSecret(35)}')`],
    harmlessFile: ['web/map.js', 'load(window.mapKey)'],
  }),
  defineScanRule({
    id: 'google_oauth_token',
    default: 'error',
    summary: 'an OAuth token of Google',
    rationale:
      'It opens the account of whoever signed in. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/oauth.py', `creds = Credentials('${glue('ya', '29.')}${makeFakeSecret(60)}')`],
    harmlessFile: ['src/oauth.py', 'creds = Credentials(token)'],
  }),
  defineScanRule({
    id: 'npm_token',
    default: 'error',
    summary: 'a token of npm',
    rationale:
      'It publishes packages that others install. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['publish.sh', `echo ${glue('np', 'm_')}${makeFakeSecret(36)}`],
    harmlessFile: ['publish.sh', 'npm publish --provenance'],
  }),
  defineScanRule({
    id: 'pypi_token',
    default: 'error',
    summary: 'a token of PyPI',
    rationale:
      'It publishes packages that others install. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['publish.cfg', `upload ${glue('py', 'pi-')}${makeFakeSecret(60)}`],
    harmlessFile: ['publish.cfg', 'twine upload dist/*'],
  }),
  defineScanRule({
    id: 'docker_token',
    default: 'error',
    summary: 'a token of Docker Hub',
    rationale:
      'It replaces images that others run. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['build.sh', `docker login -u bot -p ${glue('dckr', '_pat_')}${makeFakeSecret(27)}`],
    harmlessFile: ['build.sh', 'docker login -u bot --password-stdin'],
  }),
  defineScanRule({
    id: 'sendgrid_key',
    default: 'error',
    summary: 'a key of SendGrid',
    rationale:
      'It sends mail in the name of the house. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/mail.js', `mail('${glue('S', 'G.')}${makeFakeSecret(22)}.${makeFakeSecret(43)}')`],
    harmlessFile: ['src/mail.js', 'mail(process.env.SENDGRID)'],
  }),
  defineScanRule({
    id: 'twilio_key',
    default: 'error',
    summary: 'a key of Twilio',
    rationale:
      'It calls and writes at the cost of the account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/sms.js', `const sid = '${glue('S', 'K')}7${makeFakeSecret(31, SECRET_HEX_DIGITS)}'`],
    harmlessFile: ['src/sms.js', 'const sid = env.TWILIO_SID'],
  }),
  defineScanRule({
    id: 'mailgun_key',
    default: 'error',
    summary: 'a key of Mailgun',
    rationale:
      'It sends mail in the name of the house. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'src/mail.py',
      `auth = ('api', '${glue('ke', 'y-')}${makeFakeSecret(32, SECRET_HEX_DIGITS)}')`,
    ],
    harmlessFile: ['src/mail.py', 'auth = (user, keyring.get(user))'],
  }),
  defineScanRule({
    id: 'openai_key',
    default: 'error',
    summary: 'a key of OpenAI or Anthropic',
    rationale:
      'Others can use models at the cost of the account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/llm.ts', `new Anthropic('${glue('sk-', 'ant-api03-')}${makeFakeSecret(90)}')`],
    harmlessFile: ['src/llm.ts', 'new Anthropic()'],
  }),
  defineScanRule({
    id: 'digitalocean_token',
    default: 'error',
    summary: 'a token of DigitalOcean',
    rationale:
      'It makes and deletes machines of the account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['main.tf', `  token = '${glue('dop', '_v1_')}${makeFakeSecret(64, SECRET_HEX_DIGITS)}'`],
    harmlessFile: ['main.tf', '  token = var.do_token'],
  }),
  defineScanRule({
    id: 'vault_token',
    default: 'error',
    summary: 'a token of Vault',
    rationale:
      'It opens other secrets, as far as its policy goes. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['deploy.sh', `export VAULT=${glue('hv', 's.')}${makeFakeSecret(95)}`],
    harmlessFile: ['deploy.sh', 'export VAULT_ADDR=https://vault.example.com'],
  }),
  defineScanRule({
    id: 'telegram_token',
    default: 'error',
    summary: 'a token of a Telegram bot',
    rationale:
      'It reads and writes what the bot does. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'bot.py',
      `Updater('${makeFakeSecret(9, SECRET_DECIMAL_DIGITS)}:A${glue('A', makeFakeSecret(33))}')`,
    ],
    harmlessFile: ['bot.py', 'Updater(os.environ["BOT"])'],
  }),
  defineScanRule({
    id: 'age_key',
    default: 'error',
    summary: 'a secret key of age',
    rationale:
      'It opens every file that was encrypted for it. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'keys.txt',
      `${glue('AGE-', 'SECRET-KEY-1')}${makeFakeSecret(58, SECRET_UPPERCASE_CHARACTERS)}`,
    ],
    harmlessFile: ['keys.txt', 'age1 is how public keys begin'],
  }),
  defineScanRule({
    id: 'azure_key',
    default: 'error',
    summary: 'an account key of Azure',
    rationale:
      'It reads and writes all of a storage account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['app.config', `AccountName=shop;${glue('Account', 'Key=')}${makeFakeSecret(86)}==`],
    harmlessFile: ['app.config', 'AccountName=shop;UseManagedIdentity=true'],
  }),
  defineScanRule({
    id: 'jwt_token',
    default: 'error',
    summary: 'a JSON web token',
    rationale:
      'Until it expires it is as good as a password. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'src/session.ts',
      `const c = '${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: '1234567', name: 'Ada' })}.${makeFakeSecret(43)}';`,
    ],
    harmlessFile: ['src/session.ts', 'const c = sign(payload, key);'],
  }),
  defineScanRule({
    id: 'private_key',
    default: 'error',
    summary: 'a private key',
    rationale:
      'It proves to others that one is who one is not. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'key.pem',
      `-----BEGIN RSA ${glue('PRIVATE', ' KEY')}-----\n${makeFakeSecret(64)}\n${makeFakeSecret(64)}\n-----END RSA ${glue('PRIVATE', ' KEY')}-----`,
    ],
    harmlessFile: ['key.pem', '-----BEGIN CERTIFICATE-----'],
  }),
  defineScanRule({
    id: 'gcp_service_account',
    default: 'error',
    summary: 'a service account of Google',
    rationale:
      'It acts in the cloud with all rights of the account. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['gcp.json', '{ "type": "service_account", "project_id": "shop" }'],
    harmlessFile: ['gcp.json', '{ "type": "authorized_user" }'],
  }),
];
