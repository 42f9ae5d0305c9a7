import type { Image } from './image.ts';

export type WriteOperation = 'PutItem' | 'UpdateItem' | 'DeleteItem';

/** What is about to be written, noted before it is: after a kill, it says what to compare the item with. */
export interface Intent {
  readonly table: string;
  readonly operation: WriteOperation;
  /** The request, as it goes to the engine. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly key: Image;
  readonly old: Image | null;
  /** True for a removal by time to live. */
  readonly byService: boolean;
}

/** One change of one item. */
export interface ChangeRecord {
  /** Rises by one from record to record. */
  readonly sequence: number;
  readonly table: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly key: Image;
  readonly old: Image | null;
  readonly new: Image | null;
  readonly byService: boolean;
}

/** What stands in a line of the journal. */
export type Line =
  | {
      readonly kind: 'header';
      readonly next: number;
      readonly positions: Record<string, number>;
      readonly intents: [number, Intent][];
    }
  | { readonly kind: 'intent'; readonly id: number; readonly intent: Intent }
  | { readonly kind: 'end'; readonly id: number; readonly change: ChangeRecord | null }
  | { readonly kind: 'position'; readonly reader: string; readonly sequence: number };
