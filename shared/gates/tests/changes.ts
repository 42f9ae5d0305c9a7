/** What a patch did to tests that were there before. */
export interface TestChanges {
  readonly deleted: readonly string[];
  readonly weakened: readonly string[];
  readonly modified: readonly string[];
}
