import { compile } from 'json-schema-to-typescript';
import * as z from 'zod';
import { configurationSchema } from '../docs/generator/configuration.ts';
import { DeploymentSettingFields } from '../infra/settings.ts';

const HEAD = '/* Generated from the schemas of Assay. */';
type Schema = Parameters<typeof compile>[0];

/** What a field takes: of one that may also be JSON text, the object itself. */
const inputOf = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // Here it is no text.
      if (jsonSchema.description)
        jsonSchema.description = jsonSchema.description.replace(/^JSON (list )?of /, '');
      if (def.type === 'pipe' && def.in._zod.def.type === 'transform')
        Object.assign(jsonSchema, inputOf(def.out as z.ZodType));
    },
  });

const declarationOf = (schema: unknown, name: string): Promise<string> =>
  compile({ ...(schema as Schema), title: name }, name, {
    bannerComment: HEAD,
    format: false,
    // Tuples of each length up to a maximum make pages of types that nobody reads.
    ignoreMinAndMaxItems: true,
  });

/** Types of `assay.yaml`. */
export const configTypes = (): Promise<string> => declarationOf(configurationSchema(), 'AssayConfig');

/** Types of the construct: its settings from their schema, its members as in infra/assay-construct.ts. */
export async function constructTypes(): Promise<string> {
  const { stackName: _, stage: __, tags: ___, ...shape } = DeploymentSettingFields.shape;
  const props = await declarationOf(inputOf(z.strictObject(shape)), 'AssayProps');
  return `${props}
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** Assay in a stack of one's own: everything that \`cdk deploy\` of the repository makes, named after that stack. */
export declare class Assay extends Construct {
  /** Base URL of the API. */
  readonly apiUrl: string;
  /** Tasks; \`assay token create --table\` makes operator tokens in it. */
  readonly tableName: string;
  /** Artifacts, evidence and records. */
  readonly bucket: IBucket;
  /** Evidence and records, where \`objectLock\` is set. */
  readonly lockedBucket: IBucket | undefined;
  /** What happens to tasks. */
  readonly eventBus: IEventBus;
  /** Hears of tasks that people should look at. */
  readonly peopleTopic: ITopic;
  /** Hears of every alarm. */
  readonly alarmTopic: ITopic;
  /** Throws an error that names each wrong setting, or when the stack has an Assay already. */
  constructor(scope: Construct, id: string, props?: AssayProps);
}
`;
}
