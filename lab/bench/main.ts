import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderPipelineSections, renderScanSections } from './gate-sections.ts';
import {
  type MeasurementContext,
  type ResultSection,
  renderMarkdown,
  renderText,
  replaceMarkedPart,
} from './result-page.ts';

type Say = (line: string) => void;

/** What can be measured; each brings its figures, and how they are shown. */
const PARTS = {
  stack: {
    what: 'tasks that do nothing on the embedded stack, the bill of the control plane, bundles',
    measure: async (say: Say) => {
      const [{ benchStack }, { renderStackSections }] = await Promise.all([
        import('./stack.ts'),
        import('./stack-sections.ts'),
      ]);
      const figures = await benchStack(say);
      return { figures, sections: renderStackSections(figures) };
    },
  },
  routing: {
    what: 'decisions per second which model tries, by policy',
    measure: async (say: Say) => {
      const { benchRouting, renderRoutingSections } = await import('./model-routing.ts');
      const figures = benchRouting(say);
      return { figures, sections: renderRoutingSections(figures) };
    },
  },
  middleware: {
    what: "what the chain around an agent's run costs, by chain, and a call that is held",
    measure: async (say: Say) => {
      const { benchMiddleware, renderMiddlewareSections } = await import('./middleware.ts');
      const figures = await benchMiddleware(say);
      return { figures, sections: renderMiddlewareSections(figures) };
    },
  },
  waiting: {
    what: 'requests and CPU time of a minute in which 100, 1,000 and 10,000 tasks wait',
    measure: async (say: Say) => {
      const { benchWaitingTasks, renderWaitingTasksSections } = await import('./waiting-tasks.ts');
      const figures = await benchWaitingTasks(say);
      return { figures, sections: renderWaitingTasksSections(figures) };
    },
  },
  embedded: {
    what: 'CPU of one submission, one claim and one task on the embedded stack, and its memory; needs Linux',
    measure: async (say: Say) => {
      const { benchEmbeddedStack, renderEmbeddedStackSections } = await import('./embedded-stack.ts');
      const figures = await benchEmbeddedStack(say);
      return { figures, sections: renderEmbeddedStackSections(figures) };
    },
  },
  simulation: {
    what: '10,000 simulated runs of the control plane: what held, and what went wrong on purpose',
    measure: async (say: Say) => {
      const { benchSimulation, renderSimulationSections } = await import('./simulation.ts');
      const figures = await benchSimulation(say);
      return { figures, sections: renderSimulationSections(figures) };
    },
  },
  pipeline: {
    what: 'gates on 100,000 lines and a patch of 50 files, cold and cached; the baseline',
    measure: async (say: Say) => {
      const figures = await (await import('./gate-pipeline.ts')).benchPipeline(say);
      return { figures, sections: renderPipelineSections(figures) };
    },
  },
  checks: {
    what: '`assay check` on public repositories beside their suites; ASSAY_BENCH_MIRROR: a folder with owner+name/repo',
    measure: async (say: Say) => {
      const { benchRepositoryChecks, renderRepositoryChecksSections } = await import(
        './repository-checks.ts'
      );
      const figures = await benchRepositoryChecks(say);
      return { figures, sections: renderRepositoryChecksSections(figures) };
    },
  },
  start: {
    what: 'what `assay --help` and `assay check` cost; beside the command line in ASSAY_BENCH_AGAINST, where it is set',
    measure: async (say: Say) => {
      const { benchCliStart, renderCliStartSections } = await import('./cli-start.ts');
      const figures = await benchCliStart(say);
      return { figures, sections: renderCliStartSections(figures) };
    },
  },
  peer: {
    what: 'the same gates beside the nearest peer, by CPU time and memory; needs its Python in ASSAY_BENCH_PEER',
    measure: async (say: Say) => {
      const { benchPeer, renderPeerSections } = await import('./peer/peer-comparison.ts');
      const figures = await benchPeer(say);
      return { figures, sections: renderPeerSections(figures) };
    },
  },
  models: {
    what: "the model gateway's added latency and throughput, and its price",
    measure: async (say: Say) => {
      const { benchModelGateway, renderModelGatewaySections } = await import('./model-gateway.ts');
      const figures = await benchModelGateway(say);
      return { figures, sections: renderModelGatewaySections(figures) };
    },
  },
  judging: {
    what: 'the janitor without models, 10,000 signals on 20,000 files, the judging function, what an answer costs',
    measure: async (say: Say) => {
      const { benchJudging, renderJudgingSections } = await import('./judging.ts');
      const figures = await benchJudging(say);
      return { figures, sections: renderJudgingSections(figures) };
    },
  },
  agents: {
    what: 'size, CPU and memory of the agent CLIs that are installed, on the first task of the demo',
    measure: async (say: Say) => {
      const { renderAgentCliSections, benchAgentClis } = await import('./agent-clis.ts');
      const figures = await benchAgentClis(say);
      return { figures, sections: renderAgentCliSections(figures) };
    },
  },
  scans: {
    what: 'pii_scan and dlp_scan on 50 MB, their recall and false positives, hostile input',
    measure: async (say: Say) => {
      say('scans of 50 MB');
      const figures = await (await import('./content-scan.ts')).benchScan();
      return { figures, sections: renderScanSections(figures) };
    },
  },
} as const satisfies Record<
  string,
  { what: string; measure: (say: Say) => Promise<{ figures: unknown; sections: ResultSection[] }> }
>;
type Part = keyof typeof PARTS;

const HELP = `Usage: npm run bench -- [options]

Measures, on this machine, what docs/measurements/performance.md shows. Nothing else should run beside it.

Options:
  --only <part>  measure this part only (repeatable)
  --json         print nothing but one JSON document
  --write        put the figures into docs/measurements/performance.md
  --help         this text

Parts:
${Object.entries(PARTS)
  .map(([name, { what }]) => `  ${name.padEnd(13)}${what}`)
  .join('\n')}

Examples:
  npm run bench
  npm run bench -- --only scans --json
  npm run bench -- --only stack --only pipeline --write`;

function fail(message: string): never {
  process.stderr.write(`error: ${message}\n(add --help for usage and examples)\n`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        write: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const isPart = (name: string): name is Part => name in PARTS;

const options = readOptions();
if (options.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const parts = (options.only ?? Object.keys(PARTS)).map((name) =>
  isPart(name) ? name : fail(`there is no part "${name}"; known: ${Object.keys(PARTS).join(', ')}`),
);
const say: Say = (line) => process.stderr.write(`${line}\n`);

const results: Partial<Record<Part, unknown>> = {};
for (const part of parts) {
  const occasion: MeasurementContext = {
    at: new Date().toISOString(),
    // What else the machine is doing: figures from a busy one say less.
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`,
  };
  const { figures, sections } = await PARTS[part].measure(say);
  results[part] = { ...occasion, ...figures };
  if (!options.json) process.stdout.write(`${renderText(occasion, sections)}\n\n`);
  // What could not be measured here leaves what was measured elsewhere.
  if (options.write && sections.length > 0)
    replaceMarkedPart(
      join(import.meta.dirname, '../../docs/measurements/performance.md'),
      part,
      renderMarkdown(occasion, part, sections),
    );
}
if (options.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
