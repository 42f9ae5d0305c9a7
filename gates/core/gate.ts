import type * as z from 'zod';
import type { CheckOutcome, EvidenceKind } from '../../shared/contract/check-outcome.ts';
import type { CheckFinding, GateEvidence } from '../../shared/contract/evidence/schema.ts';
import type { Screenshot } from '../../shared/contract/screenshot.ts';
import type { CheckErrorAction } from '../../shared/contract/submission/on-error.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';
import type { TestExperimentSettings } from './experiment-settings.ts';
import type { FlakyTestSettings } from './flaky-settings.ts';
import type { GateCondition } from './gate-conditions.ts';
import type { HiddenTestFiles, HiddenTestsResult } from './hidden-tests-result.ts';
import type { Judge, PatchTask } from './judge.ts';
import type { PatchToCheck } from './patch-to-check.ts';
import type { PersistentCache } from './persistent-cache.ts';
import type { ProjectFiles } from './project-files.ts';
import type { RuleSettings } from './rule-settings.ts';
import type { TestResult } from './test-result.ts';

/** What a gate gets for one run. Everything steering comes from the base commit. */
export interface GateContext {
  readonly subject: PatchToCheck;
  /** The command that the pipeline step gives this gate instead of its own. */
  readonly command: string | null;
  /** Somebody switched it on; false when it is on only because that is the default. */
  readonly explicitlyEnabled: boolean;
  readonly timeoutMs: number;
  /** Names of the gates that this run requires. */
  readonly requiredGates?: readonly string[];
  /** The task that the patch is for, when it is known. */
  readonly task?: PatchTask | null;
  /** The model to ask; null: no provider is configured. */
  readonly judge?: Judge | null;
  /** Where is kept what the base commit complains about; null: nowhere. */
  readonly baselineCache?: PersistentCache | null;
  /** What commands depend on besides the work and the configuration; null: nobody could tell, so no baseline is kept. */
  readonly executionEnvironment?: ExecutionEnvironment | null;
  /** Where is kept how tests have fared; null: nowhere. */
  readonly testHistory?: PersistentCache | null;
  /** What tells this repository from others in the history, such as its address; null: its first commits, where they are here. */
  readonly repository?: string | null;
  /** Tests that only this box has; absent or null: none. */
  readonly hiddenTests?: HiddenTestFiles | null;
  /** How much is run besides the patch's own tests; absent or null: nothing beyond what is compared with the base. */
  readonly experimentSettings?: TestExperimentSettings | null;
  /** What the base says of rules that read; absent: nothing. */
  readonly ruleSettings?: RuleSettings;
  /** Null: nobody looks for tests that fail now and then. */
  readonly flakySettings?: FlakyTestSettings | null;
  /** False: new failures of tests decide without a second run. */
  readonly confirmsFailures?: boolean;
}

/** A picture and the bytes of its PNG. */
export interface CapturedScreenshot {
  readonly screenshot: Screenshot;
  readonly png: Buffer;
}

export interface GateResult {
  readonly outcome: CheckOutcome;
  readonly kind: EvidenceKind;
  readonly findings: readonly CheckFinding[];
  readonly detail: string;
  readonly facts?: GateEvidence['facts'];
  /** What failed keeps the patch from being accepted, even where the gate is optional. */
  readonly blocks?: boolean;
  /** What counts when it could not judge; absent: a person is asked where the gate is required. */
  readonly onError?: CheckErrorAction;
  /** Every test case of the first run; not for the evidence, which has to stay small. */
  readonly tests?: readonly TestResult[];
  /** Pictures that it has taken, with their PNGs: those go beside the evidence, which names them. Such a result is not remembered. */
  readonly screenshots?: readonly CapturedScreenshot[];
  /** What hidden tests said, which has an entry of its own in the evidence. */
  readonly hiddenTestsResults?: readonly HiddenTestsResult[];
}

/** A command line that a gate would run. */
export interface PlannedCommand {
  readonly command: string;
  /** Folder of the checkout; absent: the top. */
  readonly folder?: string;
  /** How to get its program. */
  readonly installHint?: string;
  /** Lines that take its place where its program is not here; the first whose program is counts. */
  readonly alternatives?: readonly string[];
  /** Where none of them is here, code of our own does the work. */
  readonly hasBuiltInFallback?: boolean;
}

/** What a gate would run in a project: command lines, of which there are none where no tool is configured, or code of our own. */
export type GatePlan = readonly PlannedCommand[] | 'ours';

/** A check with a name. One gate is one file; `registry.ts` lists them in pipeline order. */
export interface Gate {
  readonly name: string;
  /** Its switch under `quality_gates` in `assay.yaml`; a dot leads into a mapping, as in `benchmark.enabled`. */
  readonly configKey: string;
  /** Whether it is on when the switch is not set. */
  readonly enabledByDefault: boolean;
  /** Switches that switch it on too, where its own is not set. */
  readonly alsoEnabledBy?: readonly string[];
  readonly required: boolean;
  readonly condition: GateCondition;
  /** The keys that it reads under `quality_gates`, its switch included. */
  readonly settings: z.ZodRawShape;
  /** Its time limit in seconds where nothing else is set for it. Absent: `timeout_s`, as for all. */
  readonly timeoutS?: number;
  /** Key of a time limit of its own, in seconds, among its `settings`; a dot as in `flag`. */
  readonly timeoutKey?: string;
  /** How many of its time limits it may take, where some of its runs have one of their own. Absent: one. */
  readonly timeLimitCount?: number;
  /** Formatters run before all other gates, one after the other. */
  readonly isFormatter?: boolean;
  /** Asks a model about patch and task: what it said about another task says nothing about this one. */
  readonly asksModel?: boolean;
  /** What its result depends on besides settings, base and patch, such as the definition of a gate of the project's own. */
  readonly cacheFacts?: unknown;
  /** What its result depends on that moves while base and patch stay as they are, such as the branch that the work is to go to. */
  readonly readVolatileFacts?: (subject: PatchToCheck) => Promise<unknown>;
  /** Says what `run` would run; `asked` as in the context. Absent: the command that is set under one of its keys that end in `_command`, else code of ours. */
  readonly plan?: (
    project: ProjectFiles,
    settings: Readonly<Record<string, unknown>>,
    asked: boolean,
  ) => Promise<GatePlan>;
  readonly run: (context: GateContext, settings: Readonly<Record<string, unknown>>) => Promise<GateResult>;
}
