import { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import {
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
  DEFAULT_AGENT_CLI,
} from '../../contract/agents/adapter-manifests.ts';
import { type JudgeModel, type JudgeModels, judgeModelFamily } from '../../contract/models/judge-models.ts';
import { modelFamily } from '../../contract/models/model-family.ts';

/**
 * Returns the agent CLI that a challenger runs in, with a time limit in seconds: the one of its configuration, else the first whose
 * own models are of the model's maker, else one that takes the models of any provider.
 * @throws ZodError for an `adapter` that is none
 */
export function challengerAdapter(model: JudgeModel, timeout_s: number): AgentAdapterSettings {
  if (model.adapter) return { ...AgentAdapterSettings.parse(model.adapter), timeout_s };
  const family = judgeModelFamily(model);
  const kind = AGENT_CLI_KINDS.find((each) =>
    Object.values(AGENT_CLI_MANIFESTS[each].tiers?.models ?? {}).some((name) => modelFamily(name) === family),
  );
  const any = AGENT_CLI_KINDS.find((each) => AGENT_CLI_MANIFESTS[each].modelPattern === null);
  return { kind: kind ?? any ?? DEFAULT_AGENT_CLI, timeout_s };
}

/**
 * Returns a problem for each wrong field of the agent CLI of a challenger. `JudgeModels` does not check it, because functions that only
 * read models would load the schemas of all agent CLIs.
 */
export const findChallengerAdapterProblems = ({
  challenger,
}: JudgeModels): { readonly path: PropertyKey[]; readonly message: string }[] =>
  challenger?.adapter === undefined
    ? []
    : (AgentAdapterSettings.safeParse(challenger.adapter).error?.issues ?? []).map(({ path, message }) => ({
        path: ['challenger', 'adapter', ...path],
        message,
      }));
