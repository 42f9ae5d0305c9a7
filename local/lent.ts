/**
 * What this process's own environment lends to functions: by the variable that the template gives to those that may have it, the
 * variables that they get.
 */
export type Lent = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a function with these variables is lent. */
export const lentTo = (variables: Readonly<Record<string, string>>, lent: Lent): Record<string, string> =>
  Object.assign({}, ...Object.entries(lent).map(([mark, values]) => (mark in variables ? values : {})));
