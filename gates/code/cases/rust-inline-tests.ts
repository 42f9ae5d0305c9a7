import { isRustTestModule, listRustAttributes } from '../parsing/definitions.ts';
import { parseSource } from '../parsing/parse-source.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { UnreadableCodeError } from '../parsing/unreadable-code-error.ts';

interface SourceSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The modules of a file of Rust that are built for tests only, with what marks them. */
function testModules(root: SyntaxNode): SourceSpan[] {
  return root.children.filter(isRustTestModule).map((item) => {
    const start = listRustAttributes(item)[0]?.start ?? item.start;
    return { start, end: item.end, text: root.source.slice(start, item.end) };
  });
}

/** Code of Rust with the tests that stand beside other code; null where neither has any, or nobody can read them. */
export async function replaceRustInlineTests(code: string, tests: string): Promise<string | null> {
  const [own, others] = await Promise.all([code, tests].map(findInlineTests));
  if (!own || !others || own.length + others.length === 0) return null;
  let result = '';
  let at = 0;
  for (const { start, end } of own) {
    result += code.slice(at, start);
    at = end;
  }
  result += code.slice(at);
  return `${result.trimEnd()}\n\n${others.map(({ text }) => text).join('\n\n')}\n`;
}

/** Whether two versions of a file of Rust have the same tests beside their code. */
export async function hasSameRustInlineTests(one: string, other: string): Promise<boolean> {
  const texts = await Promise.all(
    [one, other].map(async (text) => (await findInlineTests(text))?.map((part) => part.text).join('\n')),
  );
  return texts[0] === texts[1];
}

async function findInlineTests(text: string): Promise<SourceSpan[] | null> {
  try {
    return testModules((await parseSource('rust', text)).root);
  } catch (error) {
    if (error instanceof UnreadableCodeError) return null;
    throw error;
  }
}
