import { describe, expect, test } from 'vitest';
import { migrationReversibilityGate } from '../../gates/gates/migration-reversibility.ts';
import {
  findJavascriptMigrationProblems,
  isJavascriptMigration,
} from '../../gates/rules/migration-reversibility/javascript-migrations.ts';
import { findPythonMigrationProblems } from '../../gates/rules/migration-reversibility/python-migrations.ts';
import { splitPythonStatements } from '../../gates/rules/migration-reversibility/python-statements.ts';
import {
  findRailsMigrationProblems,
  isRailsMigration,
} from '../../gates/rules/migration-reversibility/rails-migrations.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

const UP = "def upgrade():\n    op.create_table('a')\n\n";
const alembic = (down: string): FileEdits => ({
  'alembic/versions/1_a.py': `revision = '1'\ndown_revision = None\n\n${UP}${down}`,
});

const rails = (body: string): FileEdits => ({
  'db/migrate/20260101_x.rb': `class X < ActiveRecord::Migration[7.1]\n${body}end\n`,
});

const js = (text: string, path = 'migrations/1_a.js'): FileEdits => ({ [path]: text });

const knexUp =
  "exports.up = (knex) => knex.schema.createTable('a', (table) => {\n  table.increments();\n});\n";

const found = async (base: FileContents, edits: FileEdits): Promise<[string, string[]]> => {
  const result = await runGate(migrationReversibilityGate, base, edits);
  return [result.outcome, result.findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`)];
};

const FILE = 'alembic/versions/1_a.py';

/** What is wrong with the one migration of a patch, by its rule; nothing when it is fine. */
const problemsOf = (edits: FileEdits): string[] =>
  Object.entries(edits).flatMap(([path, content]) => {
    const text = String(content);
    if (isRailsMigration(path)) return findRailsMigrationProblems(text).map(({ rule }) => rule);
    if (path.endsWith('.py')) return findPythonMigrationProblems(path, text).map(({ rule }) => rule);
    return isJavascriptMigration(path, text)
      ? findJavascriptMigrationProblems(path, text).map(({ rule }) => rule)
      : ['none'];
  });
const outcomeOf = (edits: FileEdits): string => {
  const problems = problemsOf(edits);
  return problems.length === 0 ? 'passed' : problems.includes('none') ? 'skipped' : 'failed';
};

describe('a migration of Alembic', () => {
  test.each<[string, string]>([
    ['drops what was made', "def downgrade():\n    op.drop_table('a')\n"],
    ['does so in one line', "def downgrade(): op.drop_table('a')\n"],
    [
      'does so behind a docstring',
      'def downgrade() -> None:\n    """Take it back."""\n    op.drop_table("a")\n',
    ],
    [
      'does so in a block',
      "def downgrade():\n    with op.batch_alter_table('a') as batch:\n        batch.drop_column('b')\n",
    ],
    ['does so in a loop', "def downgrade():\n    for name in ('a', 'b'):\n        op.drop_table(name)\n"],
    ['does so in SQL', 'def downgrade():\n    op.execute("""\n        DROP TABLE a\n    """)\n'],
    [
      'refuses only under a condition',
      "def downgrade():\n    if not allowed:\n        raise RuntimeError('no')\n    op.drop_table('a')\n",
    ],
    ['is written with tabs', "def downgrade():\n\top.drop_table('a')\n"],
    [
      'is defined twice, the second time well',
      "def downgrade():\n    pass\n\n\ndef downgrade():\n    op.drop_table('a')\n",
    ],
  ])('passes when it %s', (_, down) => {
    expect(problemsOf(alembic(down))).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['is missing', '', 'missing_downgrade'],
    ['is only there in a comment', "# def downgrade():\n#     op.drop_table('a')\n", 'missing_downgrade'],
    [
      'is only there in a string',
      'TEXT = """\ndef downgrade():\n    op.drop_table("a")\n"""\n',
      'missing_downgrade',
    ],
    ['is `pass`', 'def downgrade():\n    pass\n', 'empty_downgrade'],
    ['is `pass` in its own line', 'def downgrade(): pass\n', 'empty_downgrade'],
    ['is several times nothing', 'def downgrade():\n    pass; pass\n    ...\n    None\n', 'empty_downgrade'],
    ['is a docstring', 'def downgrade():\n    """op.drop_table("a")"""\n', 'empty_downgrade'],
    ['is an ellipsis', 'def downgrade() -> None:\n    ...\n', 'empty_downgrade'],
    ['is a comment and `pass`', "def downgrade():\n    # op.drop_table('a')\n    pass\n", 'empty_downgrade'],
    ['returns at once', "def downgrade():\n    return\n    op.drop_table('a')\n", 'empty_downgrade'],
    ['raises', "def downgrade():\n    raise NotImplementedError('cannot')\n", 'empty_downgrade'],
    [
      'raises first',
      "def downgrade():\n    raise RuntimeError(op.f('a'))\n    op.drop_table('a')\n",
      'empty_downgrade',
    ],
    ['prints', "def downgrade():\n    print('nothing to do')\n", 'empty_downgrade'],
    ['logs', "def downgrade():\n    logger.warning('nothing (to) do')\n", 'empty_downgrade'],
    ['never gets there', "def downgrade():\n    if False:\n        op.drop_table('a')\n", 'empty_downgrade'],
    [
      'never gets there either',
      "def downgrade():\n    while 0:\n        op.drop_table('a')\n    pass\n",
      'empty_downgrade',
    ],
    [
      'only looks',
      "def downgrade():\n    bind = op.get_bind()\n    op.execute('SELECT 1')\n",
      'empty_downgrade',
    ],
    [
      'runs nothing',
      "def downgrade():\n    op.execute('')\n    op.execute(sa.text('-- nothing'))\n",
      'empty_downgrade',
    ],
    [
      'opens a block and does nothing in it',
      "def downgrade():\n    with op.batch_alter_table('a'):\n        pass\n",
      'empty_downgrade',
    ],
    [
      'is replaced by one that does nothing',
      "def downgrade():\n    op.drop_table('a')\n\n\ndef downgrade():\n    pass\n",
      'empty_downgrade',
    ],
    ['only sets a variable', 'def downgrade():\n    done = True\n', 'empty_downgrade'],
  ])('fails when the way back %s', (_, down, rule) => {
    expect(problemsOf(alembic(down))).toEqual([rule]);
  });

  test('that only joins two branches needs no way back', async () => {
    const edits = {
      [FILE]: "down_revision = ('1', '2')\n\n\ndef upgrade():\n    pass\n\n\ndef downgrade():\n    pass\n",
    };
    expect(await found({}, edits)).toEqual(['passed', []]);
  });

  test('is known by what it says, wherever it lies', async () => {
    const edits = {
      'src/db/one.py': `revision = '1'\ndown_revision: str | None = '0'\n${UP}def downgrade():\n    pass\n`,
    };
    expect(await found({}, edits)).toEqual(['failed', ['src/db/one.py:6 empty_downgrade']]);
  });
});

describe('the gate', () => {
  test.each<[string, FileEdits, [string, string[]]]>([
    ['of Python', alembic(''), ['failed', [`${FILE}:null missing_downgrade`]]],
    [
      'of Rails',
      rails("  def change\n    execute 'UPDATE a'\n  end\n"),
      ['failed', ['db/migrate/20260101_x.rb:3 irreversible_step']],
    ],
    ['in JavaScript', js(knexUp), ['failed', ['migrations/1_a.js:null missing_downgrade']]],
    ['of no kind', { 'src/a.ts': 'export const up = 1;\n' }, ['skipped', []]],
  ])('looks at migrations %s', async (_, edits, expected) => {
    expect(await found({}, edits)).toEqual(expected);
  });
});

describe('only what the patch adds or changes counts', () => {
  const bad = alembic('def downgrade():\n    pass\n') as FileContents;
  test('a migration that it does not touch is not looked at', async () => {
    expect(await found(bad, { 'a.py': 'x = 1\n' })).toEqual(['skipped', []]);
  });

  test('one that had no way back before is reported only', async () => {
    expect(await found(bad, { [FILE]: `${bad[FILE]}# touched\n` })).toEqual([
      'passed',
      [`${FILE}:7 empty_downgrade`],
    ]);
  });

  test('one that loses its way back fails', async () => {
    expect(await found(alembic("def downgrade():\n    op.drop_table('a')\n") as FileContents, bad)).toEqual([
      'failed',
      [`${FILE}:7 empty_downgrade`],
    ]);
  });
});

const django = (operations: string, before = ''): FileEdits => ({
  'shop/migrations/0002_x.py': `from django.db import migrations\n\n${before}\nclass Migration(migrations.Migration):\n    operations = [\n        ${operations}\n    ]\n`,
});

describe('a migration of Django', () => {
  test.each<[string, FileEdits, string]>([
    ['made of its own steps', django("migrations.AddField('a', 'b', models.IntegerField()),"), 'passed'],
    [
      'with code and the way back',
      django(
        'migrations.RunPython(forwards, backwards),',
        'def backwards(apps, editor):\n    apps.get_model()\n',
      ),
      'passed',
    ],
    [
      'with code and the way back by name',
      django(
        'migrations.RunPython(\n            forwards,\n            reverse_code=migrations.RunPython.noop,\n        ),',
      ),
      'passed',
    ],
    ['with code and no way back', django('migrations.RunPython(forwards),'), 'failed'],
    [
      'with code, no way back, and other arguments',
      django('migrations.RunPython(forwards, atomic=False),'),
      'failed',
    ],
    [
      'with code and a way back that only refuses',
      django(
        'migrations.RunPython(forwards, backwards),',
        'def backwards(apps, editor):\n    raise RuntimeError\n',
      ),
      'failed',
    ],
    [
      'with code and None for the way back',
      django('migrations.RunPython(forwards, reverse_code=None),'),
      'failed',
    ],
    [
      'with SQL and the way back',
      django("migrations.RunSQL('CREATE INDEX a', reverse_sql='DROP INDEX a'),"),
      'passed',
    ],
    ['with SQL and no way back', django("migrations.RunSQL('CREATE INDEX a, b')"), 'failed'],
    ['with a step in a comment', django('# migrations.RunPython(forwards),'), 'passed'],
  ])('%s', (_, edits, outcome) => {
    expect(outcomeOf(edits)).toBe(outcome);
  });
});

describe('a migration in SQL', () => {
  const up = 'CREATE TABLE a (b int);\n';
  const down = 'DROP TABLE a;\n';
  test.each<[string, FileContents, FileEdits, string, string[]]>([
    [
      'with both files',
      {},
      { 'db/migrations/1_a.up.sql': up, 'db/migrations/1_a.down.sql': down },
      'passed',
      [],
    ],
    [
      'with both files, named otherwise',
      {},
      { 'migrations/1_up.sql': up, 'migrations/1_down.sql': down },
      'passed',
      [],
    ],
    [
      'without the other file',
      {},
      { 'migrations/1_a.up.sql': up },
      'failed',
      ['migrations/1_a.up.sql:null missing_downgrade'],
    ],
    [
      'with an empty one',
      {},
      {
        'migrations/1_a.up.sql': up,
        'migrations/1_a.down.sql': '-- DROP TABLE a;\n/* nothing */;\nSELECT 1;\n',
      },
      'failed',
      ['migrations/1_a.up.sql:null empty_downgrade'],
    ],
    [
      'whose other file was there',
      { 'migrations/1.down.sql': down },
      { 'migrations/1.up.sql': up },
      'passed',
      [],
    ],
    [
      'whose other file is deleted',
      { 'migrations/1.up.sql': up, 'migrations/1.down.sql': down },
      { 'migrations/1.down.sql': null },
      'failed',
      ['migrations/1.up.sql:null missing_downgrade'],
    ],
    [
      'whose other file is emptied',
      { 'migrations/1.up.sql': up, 'migrations/1.down.sql': down },
      { 'migrations/1.down.sql': '\n' },
      'failed',
      ['migrations/1.up.sql:null empty_downgrade'],
    ],
    [
      'that is deleted as a whole',
      { 'migrations/1.up.sql': up, 'migrations/1.down.sql': down },
      { 'migrations/1.up.sql': null, 'migrations/1.down.sql': null },
      'skipped',
      [],
    ],
    [
      'with both ways in one file',
      {},
      { 'db/1.sql': `-- +goose Up\n${up}-- +goose Down\n${down}` },
      'passed',
      [],
    ],
    [
      'with one way in such a file',
      {},
      { 'db/1.sql': `-- migrate:up\n${up}\n-- migrate:down\n` },
      'failed',
      ['db/1.sql:4 empty_downgrade'],
    ],
    [
      'with no section for the other way',
      {},
      { 'db/1.sql': `-- +migrate Up\n${up}` },
      'failed',
      ['db/1.sql:null missing_downgrade'],
    ],
    ['of a tool that knows no way back', {}, { 'prisma/migrations/1/migration.sql': up }, 'skipped', []],
    ['outside of a folder for them', {}, { 'queries/a.up.sql': up }, 'skipped', []],
  ])('%s', async (_, base, edits, outcome, places) => {
    expect(await found(base, edits)).toEqual([outcome, places]);
  });
});

describe('a migration of Rails', () => {
  test.each<[string, FileEdits, string]>([
    ['that can be read backwards', rails('  def change\n    add_column :a, :b, :string\n  end\n'), 'passed'],
    ['with a step that cannot', rails("  def change\n    execute 'UPDATE a'\n  end\n"), 'failed'],
    [
      'with a step that says how',
      rails("  def change\n    reversible do |dir|\n      dir.up { execute 'UPDATE a' }\n    end\n  end\n"),
      'passed',
    ],
    [
      'that drops a column of unknown type',
      rails('  def change\n    remove_column :a, :b\n  end\n'),
      'failed',
    ],
    [
      'that drops a column of known type',
      rails('  def change\n    remove_column :a, :b, :string\n  end\n'),
      'passed',
    ],
    [
      'with both ways',
      rails('  def up\n    drop_table :a\n  end\n\n  def down\n    create_table :a\n  end\n'),
      'passed',
    ],
    ['with one way', rails('  def up\n    drop_table :a\n  end\n'), 'failed'],
    [
      'that refuses to go back',
      rails(
        '  def up\n    drop_table :a\n  end\n\n  def down\n    raise ActiveRecord::IrreversibleMigration\n  end\n',
      ),
      'failed',
    ],
    ['with an empty way back', rails('  def up\n    drop_table :a\n  end\n\n  def down; end\n'), 'failed'],
    [
      'with a way back in a comment',
      rails('  def up\n    drop_table :a\n  end\n\n  def down\n    # create_table :a\n  end\n'),
      'failed',
    ],
  ])('%s', (_, edits, outcome) => {
    expect(outcomeOf(edits)).toBe(outcome);
  });
});

describe('a migration in JavaScript or TypeScript', () => {
  test.each<[string, FileEdits, string]>([
    ['with both ways', js(`${knexUp}exports.down = (knex) => knex.schema.dropTable('a');\n`), 'passed'],
    [
      'with both ways as functions',
      js(
        "export async function up(knex) {\n  await knex.schema.createTable('a');\n}\nexport async function down(knex) {\n  await knex.schema.dropTable('a');\n}\n",
      ),
      'passed',
    ],
    [
      'with both ways as methods',
      js(
        'export class A1 implements MigrationInterface {\n  public async up(runner: QueryRunner): Promise<void> {\n    await runner.query(`CREATE TABLE a`);\n  }\n\n  public async down(runner: QueryRunner): Promise<void> {\n    await runner.query(`DROP TABLE a`);\n  }\n}\n',
        'src/migrations/1-a.ts',
      ),
      'passed',
    ],
    [
      'with both ways in an object',
      js(
        "module.exports = {\n  async up(q) {\n    await q.createTable('a');\n  },\n  down: async (q) => {\n    await q.dropTable('a');\n  },\n};\n",
      ),
      'passed',
    ],
    ['with one way', js(knexUp), 'failed'],
    ['with an empty way back', js(`${knexUp}exports.down = async () => {};\n`), 'failed'],
    [
      'with a way back that only refuses',
      js(`${knexUp}exports.down = function (knex) {\n  throw new Error('cannot');\n};\n`),
      'failed',
    ],
    [
      'with a way back behind a return',
      js(`${knexUp}exports.down = async (knex) => {\n  return;\n  await knex.schema.dropTable('a');\n};\n`),
      'failed',
    ],
    [
      'with a way back in a comment',
      js(`${knexUp}exports.down = async (knex) => {\n  // await knex.schema.dropTable('a');\n};\n`),
      'failed',
    ],
    ['with a way back that runs nothing', js(`${knexUp}exports.down = (knex) => knex.raw('');\n`), 'failed'],
    [
      'with a way back that only looks',
      js(`${knexUp}exports.down = async (knex) => {\n  await knex.raw("SELECT 1");\n};\n`),
      'failed',
    ],
    ['with a way back that is none', js(`${knexUp}exports.down = () => Promise.resolve();\n`), 'failed'],
    [
      'with false for the way back',
      js('exports.up = (pgm) => {\n  pgm.createTable("a");\n};\nexports.down = false;\n'),
      'failed',
    ],
    [
      'that only logs on the way back',
      js(`${knexUp}exports.down = async () => {\n  console.log('nothing to do');\n};\n`),
      'failed',
    ],
    [
      'that does nothing in either way',
      js('exports.up = async () => {};\nexports.down = async () => {};\n'),
      'passed',
    ],
    ['which is none', js('export const migrate = () => run();\n', 'src/migrations/index.ts'), 'skipped'],
  ])('%s', (_, edits, outcome) => {
    expect(outcomeOf(edits)).toBe(outcome);
  });
});

describe('Python', () => {
  test('is taken apart into statements, whatever quotes and brackets are in it', () => {
    const text =
      'a = f(\n  1, # x)\n  "b)",\n); b = 2\nif x: pass\n\tc = r"""\n"#\n"""\nd = \'e\\\'\' + \\\n  "f"\n';
    expect(
      splitPythonStatements(text).map(({ line, indent, code, strings }) => [
        line,
        indent,
        code,
        [...strings],
      ]),
    ).toEqual([
      [1, 0, 'a = f(   1,    "#0", )', ['b)']],
      [4, 0, 'b = 2', []],
      [5, 0, 'if x: pass', []],
      [6, 8, 'c = "#0"', ['\n"#\n']],
      [9, 0, `d = "#0" +    "#1"`, ["e\\'", 'f']],
    ]);
  });

  test('that is broken ends somewhere', () => {
    for (const text of ['def f(:', '"""', "'", 'x = (((', '\\', '\\\n', ')))', 'def downgrade():'])
      expect(Array.isArray(splitPythonStatements(text))).toBe(true);
  });
});

test('a file in a folder of migrations that is too large to be read holds for a person', async () => {
  const edits = { 'migrations/1.up.sql': `${'-- x\n'.repeat(220_000)}` };
  expect((await found({}, edits))[0]).toBe('could_not_run');
});
