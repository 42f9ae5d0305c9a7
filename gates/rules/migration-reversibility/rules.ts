import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const { checkMigrations } = await import('./migration-check.ts');
  return (await checkMigrations(patch)).findings;
}

const BASE = { 'README.md': '# Shop\n' };
const UP = 'CREATE TABLE orders (id INT);\n';
const alembic = (downgrade: string) =>
  `from alembic import op\n\nrevision = 'a'\ndown_revision = None\n\n\ndef upgrade():\n    op.add_column('orders', 'note')\n\n${downgrade}`;
const GOOD = {
  name: 'a migration with its way back',
  before: BASE,
  after: {
    'migrations/1_orders.up.sql': UP,
    'migrations/1_orders.down.sql': 'DROP TABLE orders;\n',
    'migrations/versions/a.py': alembic("\ndef downgrade():\n    op.drop_column('orders', 'note')\n"),
  },
};

/** Rules of the gate `migration_reversibility`. */
export const MIGRATION_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'missing_downgrade',
    default: 'error',
    languages: 'all',
    summary: 'a migration has no way back',
    rationale: 'Once it has run, the version before it cannot be put back with its data.',
    invalidExamples: [
      {
        name: 'an Alembic migration without downgrade',
        before: BASE,
        after: { 'migrations/versions/a.py': alembic('') },
      },
    ],
    validExamples: [GOOD],
  },
  {
    id: 'empty_downgrade',
    default: 'error',
    languages: 'all',
    summary: 'the way back of a migration does nothing',
    rationale: 'Tools take the migration for undone while its changes are all still there.',
    invalidExamples: [
      {
        name: 'a downgrade that passes',
        before: BASE,
        after: { 'migrations/versions/a.py': alembic('\ndef downgrade():\n    pass\n') },
      },
      {
        name: 'a file for the way back with a comment in it',
        before: BASE,
        after: { 'migrations/1_orders.up.sql': UP, 'migrations/1_orders.down.sql': '-- nothing\n' },
      },
    ],
    validExamples: [GOOD],
  },
  {
    id: 'irreversible_step',
    default: 'error',
    languages: ['python'],
    summary: 'a step of a migration cannot be taken back',
    rationale: 'The framework refuses to undo it when it has to, which is in an emergency.',
    invalidExamples: [
      {
        name: 'RunPython without its reverse',
        before: BASE,
        after: {
          'shop/migrations/0002_fill.py':
            'from django.db import migrations\n\n\ndef fill(apps, editor):\n    pass\n\n\nclass Migration(migrations.Migration):\n    operations = [migrations.RunPython(fill)]\n',
        },
      },
    ],
    validExamples: [
      {
        name: 'RunPython with its reverse',
        before: BASE,
        after: {
          'shop/migrations/0002_fill.py':
            'from django.db import migrations\n\n\ndef fill(apps, editor):\n    pass\n\n\nclass Migration(migrations.Migration):\n    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]\n',
        },
      },
    ],
  },
]);
