import type { RuleDefinition } from '../../framework/rule-family.ts';
import { makeFakeSecret, SECRET_HEX_DIGITS } from '../../scan/fake-secrets.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** What is a secret by its name, or by where it stands. */
export const NAMED_SECRET_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'aws_secret_key',
    default: 'error',
    summary: 'a secret key of AWS',
    rationale:
      'It opens an account of AWS as far as its user may go. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/aws.py', `AWS_SECRET_ACCESS_KEY = '9${makeFakeSecret(39)}'`],
    harmlessFile: ['src/aws.py', 'AWS_SECRET_ACCESS_KEY = os.environ["KEY"]'],
  }),
  defineScanRule({
    id: 'generic_api_key',
    default: 'error',
    summary: 'a key or token with the name of one',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/client.py', `api_key = '${makeFakeSecret(32, SECRET_HEX_DIGITS)}'`],
    harmlessFile: ['src/client.py', 'api_key = load_key()'],
  }),
  defineScanRule({
    id: 'high_entropy_assignment',
    default: 'error',
    summary: 'a random value with the name of a secret',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/random.ts', `const signingCredential = '${makeFakeSecret(32)}';`],
    harmlessFile: ['src/random.ts', 'const cacheKey = "orders:by-customer:v2:with-items";'],
  }),
  defineScanRule({
    id: 'password_assignment',
    default: 'error',
    summary: 'a password that is assigned',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/login.py', `DB_PASSWORD = '${makeFakeSecret(12)}'`],
    harmlessFile: ['src/login.py', 'password = getpass.getpass()'],
  }),
  defineScanRule({
    id: 'secret_argument',
    default: 'error',
    summary: 'a secret that is passed by name',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/Login.java', `props.setProperty("db.password", "${makeFakeSecret(12)}");`],
    harmlessFile: ['src/Login.java', 'request.getParameter("password");'],
  }),
  defineScanRule({
    id: 'secret_default',
    default: 'error',
    summary: 'a secret as a default value',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/login.js', `const p = process.env.DB_PASSWORD || '${makeFakeSecret(12)}';`],
    harmlessFile: ['src/login.js', 'const p = process.env.DB_PASSWORD || "";'],
  }),
  defineScanRule({
    id: 'terraform_default',
    default: 'error',
    summary: 'a secret as the default of a variable',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['main.tf', `variable "db_password" {\n  default = "${makeFakeSecret(12)}"\n}`],
    harmlessFile: ['main.tf', 'variable "db_password" {\n  sensitive = true\n}'],
  }),
  defineScanRule({
    id: 'password_setter',
    default: 'error',
    summary: 'a password that is passed to a setter',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/Db.java', `source.setPassword("${makeFakeSecret(12)}");`],
    harmlessFile: ['src/Db.java', 'source.setPassword(config.password());'],
  }),
  defineScanRule({
    id: 'config_assignment',
    default: 'error',
    summary: 'a secret in a configuration',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['.env', `DB_PASSWORD=${makeFakeSecret(12)}`],
    harmlessFile: ['.env', 'DB_PASSWORD=changeme'],
  }),
  defineScanRule({
    id: 'docker_env',
    default: 'error',
    summary: 'a secret in an image',
    rationale:
      'Whoever can pull the image has it, however it is deleted later on. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['Dockerfile', `ENV DB_PASSWORD ${makeFakeSecret(12)}`],
    harmlessFile: ['Dockerfile', 'ENV DB_PASSWORD_FILE /run/secrets/db'],
  }),
  defineScanRule({
    id: 'element_secret',
    default: 'error',
    summary: 'a secret in an element of a document',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['settings.xml', `<password>${makeFakeSecret(12)}</password>`],
    harmlessFile: ['settings.xml', '<password>{env}</password>'],
  }),
  defineScanRule({
    id: 'command_line_secret',
    default: 'error',
    summary: 'a secret on a command line',
    rationale:
      'Besides the file, every process of that machine can read it. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['run.sh', `deploy --token ${makeFakeSecret(24)} shop`],
    harmlessFile: ['run.sh', 'deploy --token "$TOKEN" shop'],
  }),
  defineScanRule({
    id: 'curl_user',
    default: 'error',
    summary: 'a user and password for curl',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['run.sh', `curl -u admin:${makeFakeSecret(12)} https://api.shop.io`],
    harmlessFile: ['run.sh', 'curl -u "$USER:$PASSWORD" https://api.shop.io'],
  }),
  defineScanRule({
    id: 'netrc_password',
    default: 'error',
    summary: 'a password of a .netrc',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['.netrc', `machine git.shop.io login ada password ${makeFakeSecret(12)}`],
    harmlessFile: ['.netrc', '# one line for each machine'],
  }),
  defineScanRule({
    id: 'npmrc_token',
    default: 'error',
    summary: 'a token of an .npmrc',
    rationale:
      'It publishes packages that others install. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['.npmrc', `//registry.shop.io/:_auth=${makeFakeSecret(24)}`],
    harmlessFile: ['.npmrc', `//registry.shop.io/:_authToken=${'$'}{NPM_TOKEN}`],
  }),
  defineScanRule({
    id: 'sql_password',
    default: 'error',
    summary: 'a password in SQL',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['schema.sql', `CREATE USER shop IDENTIFIED BY '${makeFakeSecret(12)}';`],
    harmlessFile: ['schema.sql', 'CREATE ROLE shop LOGIN;'],
  }),
  defineScanRule({
    id: 'connection_string',
    default: 'error',
    summary: 'the address of a database with a password',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/db.ts', `connect('postgres://shop:${makeFakeSecret(12)}@db.shop.io/shop');`],
    harmlessFile: ['src/db.ts', 'connect("redis://localhost:6379/0");'],
  }),
  defineScanRule({
    id: 'url_credentials',
    default: 'error',
    summary: 'an address with a password',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['.gitmodules', `\turl = https://ada:${makeFakeSecret(12)}@git.shop.io/lib.git`],
    harmlessFile: ['.gitmodules', '\turl = https://git.shop.io/lib.git'],
  }),
  defineScanRule({
    id: 'dsn_password',
    default: 'error',
    summary: 'a connection string with a password',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: ['src/db.cs', `"Server=db;Database=shop;User Id=sa;Password=${makeFakeSecret(12)};"`],
    harmlessFile: ['src/db.cs', '"Server=db;Database=shop;Integrated Security=true;"'],
  }),
  defineScanRule({
    id: 'bearer_token',
    default: 'error',
    summary: 'a token in a header',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'run.sh',
      `curl -H "Authorization: Bearer ${makeFakeSecret(32, SECRET_HEX_DIGITS)}" https://api.shop.io`,
    ],
    harmlessFile: ['run.sh', 'curl -H "Authorization: Bearer $TOKEN" https://api.shop.io'],
  }),
  defineScanRule({
    id: 'basic_auth_header',
    default: 'error',
    summary: 'a user and password in a header',
    rationale:
      'It is in every clone for good, so that changing it is the only way back. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      'src/http.py',
      `{"Authorization": "Basic ${Buffer.from(`ada:${makeFakeSecret(12)}`).toString('base64')}"}`,
    ],
    harmlessFile: ['src/http.py', '{"Authorization": basic(user, password)}'],
  }),
  defineScanRule({
    id: 'registry_auth',
    default: 'error',
    summary: 'a user and password of a registry',
    rationale:
      'It replaces what others pull from there. Take it back where it was given out, and read it from the environment.',
    violatingFile: [
      '.docker/config.json',
      `{"auths":{"r.shop.io":{"auth":"${Buffer.from(`ada:${makeFakeSecret(12)}`).toString('base64')}"}}}`,
    ],
    harmlessFile: ['.docker/config.json', '{"auths":{"r.shop.io":{}}}'],
  }),
];
