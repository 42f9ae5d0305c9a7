import { FAKE_SECRETS } from './fake-secrets.ts';
import { BASE64_ALPHABET, HEX_DIGITS, LOWERCASE_LETTERS, SeededRandom } from './seeded-random.ts';

export interface SourceFile {
  readonly path: string;
  readonly content: Buffer;
}

export interface MixedSource {
  readonly files: readonly SourceFile[];
  readonly bytes: number;
  /** Lines with a secret, as `path:line`. */
  readonly plantedSecrets: readonly string[];
}

const WORDS =
  'order item price total user account name list index value result error request response token key path file line count next state handler client server config option default message event queue table row column'.split(
    ' ',
  );

type Line = (random: SeededRandom) => string;
const word: Line = (random) => random.pick(WORDS);
const camel: Line = (random) => {
  const second = word(random);
  return `${word(random)}${second[0]?.toUpperCase()}${second.slice(1)}`;
};

/** Lines as they stand in files of each kind. */
const KINDS: Readonly<Record<string, readonly Line[]>> = {
  ts: [
    (r) => `import { ${camel(r)} } from './${word(r)}/${word(r)}.ts';`,
    (r) => `export const ${camel(r)} = (${word(r)}: string): number => ${word(r)}.length + ${r.below(900)};`,
    (r) => `  if (${camel(r)} === '${word(r)}') throw new Error(\`no \${${word(r)}} in ${word(r)}\`);`,
    (r) =>
      `  const ${camel(r)} = await ${word(r)}.${camel(r)}({ ${word(r)}: ${r.below(99)}, ${word(r)}: '${word(r)}' });`,
    (r) => `/** The ${word(r)} of each ${word(r)}, in ${word(r)} order. */`,
    (r) => `  expect(${camel(r)}('${word(r)}', "${word(r)}")).toEqual(['${word(r)}', '${word(r)}']);`,
  ],
  py: [
    (r) => `def ${word(r)}_${word(r)}(self, ${word(r)}: str, ${word(r)}=None) -> dict[str, int]:`,
    (r) => `    ${word(r)} = self.${word(r)}.get("${word(r)}", {}).get('${word(r)}')`,
    (r) => `    return {"${word(r)}": ${word(r)}, "${word(r)}": len(${word(r)}) + ${r.below(50)}}`,
    () => '',
  ],
  go: [
    (r) => `\tif err := ${word(r)}.${camel(r)}(ctx, ${word(r)}); err != nil {`,
    (r) => `\t\treturn nil, fmt.Errorf("${word(r)} %s: %w", ${word(r)}, err)`,
  ],
  json: [
    (r) => `  "${camel(r)}": { "${word(r)}": "${word(r)}", "${word(r)}": [${r.below(9)}, ${r.below(999)}] },`,
  ],
  yaml: [
    (r) => `  ${word(r)}: ${word(r)}-${r.below(99)}`,
    (r) => `  - name: ${word(r)}\n    value: "${word(r)}"`,
  ],
  lock: [
    (r) => `      "integrity": "sha512-${r.text(BASE64_ALPHABET, 86)}==",`,
    (r) => `      "version": "${r.below(9)}.${r.below(30)}.${r.below(9)}",`,
  ],
  md: [
    (r) =>
      `The ${word(r)} of a ${word(r)} is what the ${word(r)} says, unless there is no ${word(r)} in the ${word(r)}.`,
  ],
  csv: [
    (r) =>
      `${r.below(9_999)},${word(r)},${r.below(99)}.${r.below(99)},20${r.below(90) + 10}-0${r.below(8) + 1}-1${r.below(9)},${r.text(HEX_DIGITS, 12)}`,
  ],
  'min.js': [
    (r) =>
      `function ${r.text(LOWERCASE_LETTERS, 2)}(a,b){return a.${word(r)}("${word(r)}",b)+${r.below(9)}}var ${r.text(LOWERCASE_LETTERS, 2)}={${word(r)}:"${word(r)}",${word(r)}:!0};`,
  ],
};

const PLANTS: readonly Line[] = [
  () => `key = '${FAKE_SECRETS.awsKey}'`,
  () => `token = "${FAKE_SECRETS.github}"`,
  () => `password: "${FAKE_SECRETS.password}"`,
  () => `api_key = "${FAKE_SECRETS.hex32}"`,
  () => `url = "postgres://shop:${FAKE_SECRETS.password}@db.shop.io/shop"`,
  () => `"${FAKE_SECRETS.stripe}"`,
  () => `'${FAKE_SECRETS.github.slice(0, 11)}' + '${FAKE_SECRETS.github.slice(11)}'`,
  () => `data: ${Buffer.from(`token=${FAKE_SECRETS.slack}`).toString('base64')}`,
];

/** Source of all kinds, made from a seed; one line in several thousand has a secret in it. */
export function generateMixedSource(bytes: number, seed = 7): MixedSource {
  const random = new SeededRandom(seed);
  const kinds = Object.keys(KINDS);
  const files: SourceFile[] = [];
  const planted: string[] = [];
  let made = 0;
  for (let index = 0; made < bytes; index++) {
    const kind = kinds[index % kinds.length] ?? 'ts';
    const path = `src/${word(random)}/${word(random)}-${index}.${kind}`;
    const target = Math.min(bytes - made, 2_000 + random.below(30_000));
    const lines: string[] = [];
    const oneLine = kind === 'min.js';
    for (let size = 0; size < target; ) {
      const plant = random.below(4_000) === 0;
      const text = random.pick(plant ? PLANTS : (KINDS[kind] ?? []))(random);
      if (plant)
        planted.push(
          `${path}:${oneLine ? 1 : lines.join('\n').split('\n').length + (lines.length > 0 ? 1 : 0)}`,
        );
      lines.push(plant && oneLine ? `;x=${text};` : text);
      size += text.length + 1;
    }
    const content = Buffer.from(`${lines.join(oneLine ? '' : '\n')}\n`);
    made += content.length;
    files.push({ path, content });
  }
  return { files, bytes: made, plantedSecrets: [...new Set(planted)] };
}
