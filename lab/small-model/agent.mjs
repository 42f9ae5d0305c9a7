// An agent for a model that knows no tools: asks for a line of text by OpenAI's API and writes it into hello.txt.
import { writeFileSync } from 'node:fs';

const [model] = process.argv.slice(2);
const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model,
    max_tokens: 40,
    messages: [{ role: 'user', content: 'Write a greeting of one line.' }],
  }),
});
const text = await answer.text();
if (!answer.ok) {
  console.error(text);
  process.exit(1);
}
writeFileSync('hello.txt', `${JSON.parse(text).choices[0].message.content.trim()}\n`);
