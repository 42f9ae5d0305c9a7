import { expect, test } from 'vitest';
import { findRailsMigrationProblems } from '../../gates/rules/migration-reversibility/rails-migrations.ts';

const MEGABYTE = 1_000_000;

test('a way back of a migration that is one line with a megabyte of spaces is read in linear time', () => {
  const spaces = ' '.repeat(MEGABYTE);
  const migration = `class A < ActiveRecord::Migration[7.1]\n  def up; drop_table :a; end\n  def down; ${spaces}x end\nend\n`;
  expect(Array.isArray(findRailsMigrationProblems(migration))).toBe(true);
});
