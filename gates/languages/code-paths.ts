/** Code of the common languages, by name; data, fixtures and snapshots are none. */
export const isCodePath = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|rb|java|kt|cs|php|exs?|swift|dart|scala|cc|cpp)$/.test(path);
