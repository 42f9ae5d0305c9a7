import type * as z from 'zod';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { DECOMPOSER_NAMES, GRADER_NAMES } from '../../contract/rubric/rubric-kinds.ts';
import type { VerificationNodeConfig } from '../../contract/workflow/schema.ts';
import { missingModelInstruction } from '../engine/absence.ts';
import type { AskModel } from '../engine/ask-model-port.ts';
import { type CriteriaDecomposer, createLlmDecomposer, IDENTITY_DECOMPOSER } from './criteria-decomposer.ts';
import { HEURISTIC_GRADER } from './heuristic-grader.ts';
import { createLlmGrader } from './llm-grader.ts';
import type { RubricGrader } from './rubric-grader.ts';

/** A variant that needs a model has none. */
export class MissingModelError extends Error {
  override readonly name = 'ModelMissing';
}

export interface VerifierDependencies {
  readonly ask: AskModel;
  readonly decomposer?: JudgeModel | undefined;
  readonly grader?: JudgeModel | undefined;
}

const needed = (model: JudgeModel | undefined, purpose: 'decomposer' | 'rubric'): JudgeModel => {
  if (!model) throw new MissingModelError(missingModelInstruction(purpose));
  return model;
};

type Config = Pick<
  z.infer<typeof VerificationNodeConfig>,
  'decomposer' | 'grader' | 'max_probes_per_criterion' | 'min_confidence_override'
>;

/** Decomposer and grader as the configuration names them, made anew for each call. @throws ModelMissing */
export function createVerifier(
  config: Config,
  { ask, decomposer, grader }: VerifierDependencies,
): { readonly decomposer: CriteriaDecomposer; readonly grader: RubricGrader } {
  return { decomposer: decomposerOf(), grader: graderOf() };

  function decomposerOf(): CriteriaDecomposer {
    switch (config.decomposer) {
      case 'identity':
        return IDENTITY_DECOMPOSER;
      case 'llm': {
        const model = needed(decomposer, 'decomposer');
        return createLlmDecomposer((question) => ask(model, question), config.max_probes_per_criterion);
      }
      default:
        throw new TypeError(
          `${String(config.decomposer)} is no decomposer; known: ${DECOMPOSER_NAMES.join(', ')}`,
        );
    }
  }

  function graderOf(): RubricGrader {
    switch (config.grader) {
      case 'heuristic':
        return HEURISTIC_GRADER;
      case 'llm': {
        const model = needed(grader, 'rubric');
        return createLlmGrader((question) => ask(model, question), config.min_confidence_override);
      }
      case 'evidence':
        throw new TypeError('nobody grades where evidence alone decides');
      default:
        throw new TypeError(`${String(config.grader)} is no grader; known: ${GRADER_NAMES.join(', ')}`);
    }
  }
}
