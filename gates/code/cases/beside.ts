import { attributesOf, isForTests } from '../parsing/definitions.ts';
import { parse } from '../parsing/parse.ts';
import type { Syntax } from '../parsing/syntax.ts';
import { Unreadable } from '../parsing/unreadable.ts';

interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The modules of a file of Rust that are built for tests only, with what marks them. */
function testModules(root: Syntax): Part[] {
  return root.children.filter(isForTests).map((item) => {
    const start = attributesOf(item)[0]?.start ?? item.start;
    return { start, end: item.end, text: root.source.slice(start, item.end) };
  });
}

/** Code of Rust with the tests that stand beside other code; null where neither has any, or nobody can read them. */
export async function withTestsOf(code: string, tests: string): Promise<string | null> {
  const [own, others] = await Promise.all([code, tests].map(testsBeside));
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
export async function sameTestsBeside(one: string, other: string): Promise<boolean> {
  const texts = await Promise.all(
    [one, other].map(async (text) => (await testsBeside(text))?.map((part) => part.text).join('\n')),
  );
  return texts[0] === texts[1];
}

async function testsBeside(text: string): Promise<Part[] | null> {
  try {
    return testModules((await parse('rust', text)).root);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}
