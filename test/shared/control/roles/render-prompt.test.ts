import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROMPT_PART_NAMES } from '../../../../shared/contract/roles/prompt-parts.ts';
import { findUnknownPlaceholders, renderTaskPrompt } from '../../../../shared/control/roles/render-prompt.ts';

describe('a prompt', () => {
  it('has title, description and files where the template wants them', () => {
    expect(
      renderTaskPrompt('# {{TASK_TITLE}}\n{{ TASK_DESCRIPTION }}\n\n{{FILES}}', {
        TASK_TITLE: 'Round',
        TASK_DESCRIPTION: 'half to even',
        FILES: '## Files\n- a.ts\n',
      }),
    ).toBe('# Round\nhalf to even\n\n## Files\n- a.ts\n');
  });

  it('never loses a part that its template leaves out, whatever that is', () => {
    const text = fc.stringMatching(/^[a-z]{8,12}$/);
    const template = fc
      .array(fc.constantFrom(...PROMPT_PART_NAMES.map((part) => `{{${part}}}`), 'words', '\n', '{{OTHER}}'))
      .map((pieces) => pieces.join(' '));
    fc.assert(
      fc.property(template, fc.array(text, { minLength: 8, maxLength: 8 }), (written, texts) => {
        const parts = Object.fromEntries(PROMPT_PART_NAMES.map((part, index) => [part, texts[index] ?? '']));
        const prompt = renderTaskPrompt(written, parts);
        for (const each of texts) expect(prompt).toContain(each);
      }),
    );
  });

  it('is filled once: what a task says is never taken for a template', () => {
    const prompt = renderTaskPrompt('{{TASK_TITLE}} {{FILES}}', { TASK_TITLE: '{{FILES}}$&', FILES: 'f' });
    expect(prompt).toBe('{{FILES}}$& f\n');
  });

  it('has placeholders that are not known named, with their lines', () => {
    expect(findUnknownPlaceholders('{{TASK_TITLE}}\n{{FILS}} and {{MODEL}}')).toEqual([
      { name: 'FILS', line: 2 },
      { name: 'MODEL', line: 2 },
    ]);
  });
});
