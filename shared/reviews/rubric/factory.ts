import type * as z from 'zod';
import type { JudgeModel } from '../../contract/models/models.ts';
import { DECOMPOSERS, GRADERS } from '../../contract/rubric/kinds.ts';
import type { VerificationConfig } from '../../contract/workflow/schema.ts';
import type { AskModel } from '../judging/port.ts';
import { type CriteriaDecomposer, IDENTITY, llmDecomposer } from './decomposer.ts';
import type { RubricGrader } from './grader.ts';
import { HEURISTIC } from './heuristic-grader.ts';
import { llmGrader } from './llm-grader.ts';

/** A variant that needs a model has none. */
export class ModelMissing extends Error {
  override readonly name = 'ModelMissing';
}

export interface VerifierParts {
  readonly ask: AskModel;
  readonly decomposer?: JudgeModel | undefined;
  readonly grader?: JudgeModel | undefined;
}

const needed = (model: JudgeModel | undefined, purpose: string): JudgeModel => {
  if (!model)
    throw new ModelMissing(
      `no model is configured: name one as \`${purpose}\` in \`assay:judges\` of the deployment, or with \`assay up --models FILE\``,
    );
  return model;
};

type Config = Pick<
  z.infer<typeof VerificationConfig>,
  'decomposer' | 'grader' | 'max_probes_per_criterion' | 'min_confidence_override'
>;

/** Decomposer and grader as the configuration names them, made anew for each call. @throws ModelMissing */
export function verifierOf(
  config: Config,
  { ask, decomposer, grader }: VerifierParts,
): { readonly decomposer: CriteriaDecomposer; readonly grader: RubricGrader } {
  return { decomposer: decomposerOf(), grader: graderOf() };

  function decomposerOf(): CriteriaDecomposer {
    switch (config.decomposer) {
      case 'identity':
        return IDENTITY;
      case 'llm': {
        const model = needed(decomposer, 'decomposer');
        return llmDecomposer((question) => ask(model, question), config.max_probes_per_criterion);
      }
      default:
        throw new TypeError(
          `${String(config.decomposer)} is no decomposer; known: ${DECOMPOSERS.join(', ')}`,
        );
    }
  }

  function graderOf(): RubricGrader {
    switch (config.grader) {
      case 'heuristic':
        return HEURISTIC;
      case 'llm': {
        const model = needed(grader, 'rubric');
        return llmGrader((question) => ask(model, question), config.min_confidence_override);
      }
      case 'evidence':
        throw new TypeError('nobody grades where evidence alone decides');
      default:
        throw new TypeError(`${String(config.grader)} is no grader; known: ${GRADERS.join(', ')}`);
    }
  }
}
