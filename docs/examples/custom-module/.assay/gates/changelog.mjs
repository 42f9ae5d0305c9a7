// A gate is the default export: what it is called, when it runs, and what it does. It runs in a process of its own, in a
// checkout of the patch, as any command does. `root` is that checkout, `changes` lists {path, kind, from}.
export default {
  name: 'changelog',
  required: true,
  condition: 'changed: src/**',
  async run({ changes }) {
    if (changes.some(({ path }) => path === 'CHANGELOG.md'))
      return { outcome: 'passed', detail: 'has an entry' };
    return {
      outcome: 'failed',
      detail: 'src/ was changed without a word in CHANGELOG.md',
      findings: [{ file: 'CHANGELOG.md', line: null, rule: 'entry_missing', message: 'add an entry' }],
    };
  },
};
