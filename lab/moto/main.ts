import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { getToolBinFolder, installPythonTool } from '../aws/python-tools.ts';
import { synthesiseAssembly } from '../images/assembly.ts';
import { adaptTemplate, MOTO_GAPS, type Template } from './moto-gaps.ts';

const HELP = `Usage: npm run test:moto -- [--assembly <folder>]

Deploys the template on moto, a second emulator of AWS, without what moto's CloudFormation cannot make. Shows for each of
these gaps, with a template that has nothing of Assay, that it is moto's, and that all other resources are created.

Exit codes: 0 all is well, 1 something is not, 2 wrong usage, ${SKIPPED_EXIT_CODE}: moto cannot be installed here.
`;

interface StackResult {
  readonly created: readonly (readonly [logicalId: string, type: string])[];
  readonly error: string | null;
}

/** Creates stacks, each on an empty moto. @throws Error if the program fails */
function createStacks(templates: Readonly<Record<string, Template>>): Readonly<Record<string, StackResult>> {
  const python = join(getToolBinFolder('moto'), 'python');
  const ran = spawnSync(python, [join(import.meta.dirname, 'deploy.py')], {
    input: JSON.stringify(templates),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (ran.status !== 0) throw new Error(`moto ended with ${ran.status}: ${ran.stderr.slice(-2_000)}`);
  return JSON.parse(ran.stdout) as Readonly<Record<string, StackResult>>;
}

/** Returns one sentence for each gap that moto no longer has, or whose replacement it does not make either. */
function examineGaps(): string[] {
  const examples = MOTO_GAPS.flatMap(({ name, example, replace }) => {
    const { It } = example;
    const replaced =
      replace && It ? [[`replaced: ${name}`, { Resources: { ...example, It: replace(It) } }]] : [];
    return [[name, { Resources: example }], ...replaced] as [string, Template][];
  });
  const results = createStacks(Object.fromEntries(examples));
  return examples.flatMap(([name]) => {
    const made = results[name]?.created.some(([id]) => id === 'It') ?? false;
    const wanted = name.startsWith('replaced: ');
    if (made === wanted) return [];
    return wanted
      ? [`${name}: moto does not make it either: ${results[name]?.error}`]
      : [`${name}: moto makes it now, so the gap can go from lab/moto/moto-gaps.ts`];
  });
}

function main(): number {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, assembly: { type: 'string' } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!installPythonTool('moto')) {
    process.stdout.write('SKIPPED the template on moto: the registry did not give it\n');
    return SKIPPED_EXIT_CODE;
  }
  const temporary = mkdtempSync(join(tmpdir(), 'assay-moto-'));
  try {
    const assembly = values.assembly === undefined ? temporary : resolve(values.assembly);
    if (values.assembly === undefined) synthesiseAssembly(assembly);
    const template = JSON.parse(readFileSync(join(assembly, 'Assay.template.json'), 'utf8')) as Template;
    const adapted = adaptTemplate(template);
    const { created, error } = createStacks({ stack: adapted.template })['stack'] as StackResult;
    const ids = new Set(created.map(([id]) => id));
    const missing = Object.entries(adapted.template.Resources).filter(([id]) => !ids.has(id));
    const problems = [
      ...(error === null ? [] : [`moto does not make the stack: ${error}`]),
      ...(error === null ? missing.map(([id, { Type }]) => `moto did not make ${id} (${Type})`) : []),
      ...[...adapted.byGap].flatMap(([name, count]) =>
        count === 0 ? [`${name}: the template has none`] : [],
      ),
      ...examineGaps(),
    ];
    const total = Object.keys(template.Resources).length;
    process.stdout.write(`moto makes ${created.length} of ${total} resources; it lacks:\n`);
    for (const [name, count] of adapted.byGap) process.stdout.write(`${`${count}`.padStart(4)}  ${name}\n`);
    for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

process.exitCode = main();
