/** How one pass of Schemathesis is bounded, who calls, and which tasks are named. */
export interface PassConfig {
  readonly token: string;
  /** Ids of tasks that are there. */
  readonly ids: readonly string[];
  /** How often one of them stands in the path, instead of one that is made up; 0 to 1. */
  readonly existingIdShare: number;
  /** Cases of each operation and phase, at the most. */
  readonly examples: number;
  readonly seed: number;
  /** Operations by their id; all others are left out. */
  readonly operations: readonly string[];
  /** Python file that alters what is sent, or null. */
  readonly hooks: string | null;
}

/**
 * Everything that an answer can break. What is refused and what is accepted (`negative_data_rejection`, `positive_data_acceptance`) is
 * the matter of our own tests, because a field's check can be more than its schema says.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
] as const;

/** A case of a pass with hooks is right but for one place, so there are as many to try as places and values. */
const HOSTILE_FACTOR = 10;

/** Seconds that one request may take. */
const REQUEST_SECONDS = 60;

/** The configuration as TOML; a JSON string is one of TOML, too. The token stands here and not on a command line, where all could read it. */
export const renderPassConfig = ({
  token,
  ids,
  existingIdShare,
  examples,
  seed,
  hooks,
}: PassConfig): string => `
seed = ${seed}
color = false
continue-on-failure = true
request-timeout = ${REQUEST_SECONDS}
warnings = false
${hooks === null ? '' : `hooks = ${JSON.stringify(hooks)}`}
headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }
parameters = { id = { dictionary = "tasks", probability = ${existingIdShare} } }

[dictionaries]
tasks = { values = ${JSON.stringify(ids)} }

[generation]
max-examples = ${hooks === null ? examples : examples * HOSTILE_FACTOR}
mode = ${hooks === null ? '"all"' : '"positive"'}
database = "none"

[checks]
enabled = false
${CHECKS.map((check) => `${check}.enabled = true`).join('\n')}
`;

/** Which phases: hooks alter only what is made up, so a pass with hooks has no use for the others. */
export const selectPhases = ({ hooks }: PassConfig): string =>
  hooks === null ? 'examples,coverage,fuzzing' : 'fuzzing';
