import type { Store } from '../../workspace/git/store.ts';
import { MAX_ENTRY_BYTES } from '../core/limits.ts';
import { type Memory, memoryKey } from '../core/memory.ts';
import type { ImportReference } from './imports/reference.ts';
import type { SyntaxProblem } from './parsing/parse.ts';

/** What is known of one file's content, wherever it lies. */
export type Facts =
  | { readonly imports: readonly ImportReference[]; readonly problem: SyntaxProblem | null }
  | { readonly unreadable: string };

/** Where facts of code outlive a run, and which code of ours has read them. */
interface Place {
  readonly memory: Memory;
  /** Another build may read the same content otherwise. */
  readonly build: string;
}

const places = new WeakMap<Store, Place>();

/** From now on what is learnt of code in this store is kept. */
export const keepFacts = (store: Store, place: Place): void => void places.set(store, place);

/** Most characters of facts that are kept, so that an entry stays below its limit whatever is in them. */
const MAX_CHARACTERS = MAX_ENTRY_BYTES / 4;

const keyFor = ({ build }: Place) => memoryKey('facts', { schema: 1, build });

/** What is kept; nothing where there is no place for it, or what lies there is none. */
export async function keptFacts(store: Store): Promise<ReadonlyMap<string, Facts>> {
  const place = places.get(store);
  const value = place ? await place.memory.get(keyFor(place)) : null;
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, Facts] => isFacts(entry[1])));
}

/** Keeps facts by grammar and content, those that were needed last, as far as there is room. */
export async function saveFacts(store: Store, facts: ReadonlyMap<string, Facts>): Promise<void> {
  const place = places.get(store);
  if (place === undefined) return;
  const kept: Record<string, Facts> = {};
  let characters = 0;
  for (const [key, each] of facts) {
    characters += key.length + JSON.stringify(each).length;
    if (characters > MAX_CHARACTERS) break;
    kept[key] = each;
  }
  await place.memory.put(keyFor(place), kept);
}

/** The memory is ours alone; what an earlier schema has left there is not read. */
const isFacts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('unreadable' in value || ('imports' in value && Array.isArray(value.imports) && 'problem' in value));
