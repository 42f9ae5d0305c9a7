import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adaptersPage } from './generator/adapters.ts';
import { adrIndex } from './generator/adrs.ts';
import { cliPage } from './generator/cli.ts';
import { configurationSchema } from './generator/configuration.ts';
import { assayYamlPage, errorsPage, tasksYamlPage } from './generator/configuration-pages.ts';
import { eventSchemas, eventsPage } from './generator/events.ts';
import { gateMatrix } from './generator/gate-matrix.ts';
import { gateList } from './generator/gates.ts';
import { deadLettersPage, lifecyclesPage, taskLifecyclePage } from './generator/lifecycles.ts';
import { openapi } from './generator/openapi.ts';
import { prompts } from './generator/prompts.ts';
import { recordsPage } from './generator/records.ts';
import { builtinRoles } from './generator/roles.ts';
import { rulesPage } from './generator/rules.ts';

/** Every generated file, by its path from this folder. */
export const generated = (): Readonly<Record<string, string>> => ({
  'openapi.json': `${JSON.stringify(openapi(), null, 2)}\n`,
  'assay.schema.json': `${JSON.stringify(configurationSchema(), null, 2)}\n`,
  'reference/task-lifecycle.md': taskLifecyclePage(),
  'reference/dead-letters.md': deadLettersPage(),
  'reference/life-cycles.md': lifecyclesPage(),
  'reference/cli.md': cliPage(),
  'reference/gate-list.md': gateList(),
  'reference/adapters.md': adaptersPage(),
  'adr/README.md': adrIndex(),
  'reference/events.md': eventsPage(),
  'reference/records.md': recordsPage(),
  'reference/red-team.md': gateMatrix(),
  'events.schema.json': `${JSON.stringify(eventSchemas(), null, 2)}\n`,
  'reference/rules.md': rulesPage(),
  'reference/assay-yaml.md': assayYamlPage(),
  'reference/tasks-yaml.md': tasksYamlPage(),
  'reference/errors.md': errorsPage(),
  '../shared/reviews/judging/prompts.ts': prompts(),
  '../shared/control/roles/builtin.ts': builtinRoles(),
});

const readOr = (file: string, otherwise: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
};

function main(check: boolean): number {
  const stale = Object.entries(generated()).filter(
    ([name, text]) => readOr(join(import.meta.dirname, name), '') !== text,
  );
  for (const [name, text] of stale) {
    if (!check) writeFileSync(join(import.meta.dirname, name), text);
    console.log(`docs/${name} ${check ? 'is stale' : 'written'}`);
  }
  if (check && stale.length > 0) {
    console.error('Run `npm run generate` and commit what it writes.');
    return 1;
  }
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.includes('--check'));
