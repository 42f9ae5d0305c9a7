import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORGE_URL, PUSH_TOKEN, REPOSITORY_URL } from '../forge/git-forge.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/how-to/deploy.md'), 'utf8');

/** Returns the only block of a language in the section `## Steps`. @throws Error where there is none */
function readBlock(language: string): string {
  const [, section = ''] = /^## Steps\n(.*?)^## /ms.exec(PAGE) ?? [];
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(section) ?? [];
  if (text === undefined) throw new Error(`docs/how-to/deploy.md has no block of ${language} in its steps`);
  return text
    .replaceAll('https://github.com/you/sandbox', REPOSITORY_URL)
    .replaceAll('https://github.com/you', FORGE_URL)
    .replaceAll('github_pat_…', PUSH_TOKEN);
}

/** Commands of the page on deploying, from the clone to the first pull request, with the names of the emulator's forge. */
export const DEPLOY_COMMANDS: readonly string[] = readBlock('sh')
  .trim()
  .replaceAll(/ \\\n */g, ' ')
  .split('\n')
  // What they print.
  .filter((line) => !line.startsWith('# '));

/** JSON of the secret that the page makes. */
export const FORGE_SECRET = readBlock('json');

/** Id that the tests give the page's first task. */
export const FIRST_TASK_ID = 'first-pull-request';

/** YAML of the page's first task. */
export const FIRST_TASK = readBlock('yaml');

const DEPLOY = 'npm run deploy -- ';

/** Returns the settings of the page's command that deploys, as a shell hands them over. */
export function readDeploySettings(secretArn: string): Record<string, string> {
  const command = DEPLOY_COMMANDS.find((each) => each.startsWith(DEPLOY)) ?? '';
  const line = `printf '%s\\0' ${command.slice(DEPLOY.length)}`;
  const words = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { SECRET: secretArn } }).split(
    '\0',
  );
  return Object.fromEntries(
    words.flatMap((word, index) => {
      const [, name = '', value = ''] = words[index - 1] === '-c' ? (/^(.*?)=(.*)$/s.exec(word) ?? []) : [];
      return name === '' ? [] : [[name, value]];
    }),
  );
}
