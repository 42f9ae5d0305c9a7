import { readFileSync } from 'node:fs';
import { isRecord, type UnknownRecord } from './resource-properties.ts';
import type { ResolvedResource } from './shared-types.ts';
import type { AssemblyStack } from './template/assets.ts';
import {
  describeResourceIdentity,
  getResourceNameProperty,
  isIgnoredResourceType,
  isSupportedResourceType,
  LOCAL_ACCOUNT_ID,
  LOCAL_REGION,
  type ResourceIdentity,
  type ServiceEndpoints,
} from './template/identity.ts';
import { evaluateCondition, type ReferenceResolver, resolveIntrinsics } from './template/intrinsics.ts';

const record = (value: unknown): UnknownRecord => (isRecord(value) ? value : {});

/**
 * Resolves the resources of the stack that have an effect on this machine: all intrinsic functions, and the
 * physical name in the property that names resources of that type. @throws Error that names the resource
 * type, intrinsic function or attribute that is not supported: it must not be missing silently.
 */
export function resolveTemplate(stack: AssemblyStack, places: ServiceEndpoints): readonly ResolvedResource[] {
  const references = referencesOf(stack, places);
  return Object.entries(record(stack.template['Resources'])).flatMap(([logicalId, value]) => {
    const resource = record(value);
    const type = String(resource['Type']);
    const condition = resource['Condition'];
    if (isIgnoredResourceType(type) || (typeof condition === 'string' && !references.condition(condition)))
      return [];
    if (!isSupportedResourceType(type))
      throw new Error(`the embedded stack does not support ${type} (${logicalId})`);
    try {
      const properties = record(resolveIntrinsics(resource['Properties'] ?? {}, references));
      const { name } = references.identity(logicalId);
      const key = getResourceNameProperty(type);
      if (key !== undefined) properties[key] = name;
      const metadata = record(resource['Metadata']);
      return [{ logicalId, type, properties: inlineDefinition(type, properties, stack), metadata }];
    } catch (error) {
      throw new Error(`${type} ${logicalId}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

/** Names and addresses that can be known before anything listens: what the engines are started with. */
export const resolveResourceNames = (stack: AssemblyStack): readonly ResolvedResource[] =>
  resolveTemplate(stack, {
    sqsEndpoint: 'http://127.0.0.1',
    apiEndpoint: 'http://127.0.0.1',
    functionUrl: 'http://127.0.0.1',
  });

function referencesOf(
  stack: AssemblyStack,
  places: ServiceEndpoints,
): ReferenceResolver & { identity(logicalId: string): ResourceIdentity & { readonly name: string } } {
  const resources = record(stack.template['Resources']);
  const parameters = record(stack.template['Parameters']);
  const conditions = record(stack.template['Conditions']);
  const mappings = record(stack.template['Mappings']);
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': LOCAL_ACCOUNT_ID,
    'AWS::Region': LOCAL_REGION,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stack.name,
    'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:stack/${stack.name}/embedded`,
    'AWS::NotificationARNs': [],
  };
  const identities = new Map<string, ResourceIdentity & { readonly name: string }>();
  const typeOf = (logicalId: string): string => {
    const resource = resources[logicalId];
    if (!isRecord(resource)) throw new Error(`the template refers to ${logicalId}, which is not in it`);
    return String(resource['Type']);
  };
  const references = {
    identity(logicalId: string) {
      const known = identities.get(logicalId);
      if (known !== undefined) return known;
      const type = typeOf(logicalId);
      const key = getResourceNameProperty(type);
      const own = key === undefined ? undefined : record(record(resources[logicalId])['Properties'])[key];
      const name = own === undefined ? undefined : String(resolveIntrinsics(own, references));
      const identity = describeResourceIdentity(type, logicalId, name, places);
      identities.set(logicalId, identity);
      return identity;
    },
    ref(name: string): unknown {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      const parameter = parameters[name];
      if (isRecord(parameter)) {
        if (parameter['Default'] === undefined) throw new Error(`parameter ${name} has no default`);
        return parameter['Default'];
      }
      return isSupportedResourceType(typeOf(name)) ? references.identity(name).ref : name;
    },
    getAtt(logicalId: string, attribute: string): unknown {
      const type = typeOf(logicalId);
      if (!isSupportedResourceType(type)) {
        const service = type.split('::')[1]?.toLowerCase();
        const isArn = attribute.endsWith('Arn');
        return isArn
          ? `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${logicalId}`
          : `${logicalId}.${attribute}`;
      }
      const value = references.identity(logicalId).attributes[attribute];
      if (value === undefined) throw new Error(`${type} has no attribute ${attribute} in the embedded stack`);
      return value;
    },
    condition(name: string): boolean {
      if (!Object.hasOwn(conditions, name)) throw new Error(`there is no condition ${name}`);
      return evaluateCondition(conditions[name], references);
    },
    findInMap(map: string, first: string, second: string): unknown {
      const value = record(record(mappings[map])[first])[second];
      if (value === undefined) throw new Error(`there is nothing at ${map}.${first}.${second}`);
      return value;
    },
  };
  return references;
}

/** A definition that is an asset becomes an inline one, so that the interpreter meets one form only. */
function inlineDefinition(type: string, properties: UnknownRecord, stack: AssemblyStack): UnknownRecord {
  if (type !== 'AWS::StepFunctions::StateMachine') return properties;
  const { DefinitionS3Location: location, DefinitionSubstitutions: substitutions, ...others } = properties;
  let definition = others['DefinitionString'];
  if (isRecord(location)) {
    const path = stack.assets.file(String(location['Key']));
    if (path === null) throw new Error(`its definition ${location['Key']} is not in the assembly`);
    definition = readFileSync(path, 'utf8');
  }
  if (typeof definition === 'string') {
    for (const [name, value] of Object.entries(record(substitutions))) {
      definition = String(definition).replaceAll(`\${${name}}`, String(value));
    }
  }
  return { ...others, DefinitionString: definition };
}
