/**
 * Why RunTask started nothing. `capacity`: there is no room just now, which is everyday. `fatal`: the same request can never
 * work. `unknown`: everything else, also what nobody has seen before; it is tried again, and somebody is told.
 */
export type LaunchErrorKind = 'capacity' | 'fatal' | 'unknown';

interface KnownLaunchError {
  readonly kind: 'capacity' | 'fatal';
  /** Name of the exception, or text of `failures[].reason`, in lower case with straight quotes; a text counts by how it begins. */
  readonly says: string;
}

/**
 * What is known of RunTask on Fargate. Sources: "Amazon ECS API failure reasons" and "Service event messages" of the developer
 * guide, "Errors" of RunTask in the API reference, and what accounts have logged. Texts of EC2's placement (RESOURCE:…) are among them,
 * because emulators and capacity providers use them.
 */
const KNOWN: readonly KnownLaunchError[] = [
  { kind: 'capacity', says: 'throttlingexception' },
  { kind: 'capacity', says: 'toomanyrequestsexception' },
  { kind: 'capacity', says: 'limitexceededexception' },
  { kind: 'capacity', says: 'rate exceeded' },
  { kind: 'capacity', says: 'capacity is unavailable at this time' },
  { kind: 'capacity', says: "you've reached the limit on the number of vcpus you can run concurrently" },
  { kind: 'capacity', says: "you've reached the limit on the number of tasks you can run concurrently" },
  { kind: 'capacity', says: "you've reached the limit on the number of tasks you can provision" },
  { kind: 'capacity', says: 'resource:' },
  { kind: 'fatal', says: 'invalidparameterexception' },
  { kind: 'fatal', says: 'clusternotfoundexception' },
  { kind: 'fatal', says: 'platformunknownexception' },
  { kind: 'fatal', says: 'platformtaskdefinitionincompatibilityexception' },
  { kind: 'fatal', says: 'unsupportedfeatureexception' },
  { kind: 'fatal', says: 'the requested cpu configuration is above your limit' },
  { kind: 'fatal', says: 'the requested memory configuration is above your limit' },
  { kind: 'fatal', says: 'missing' },
  { kind: 'fatal', says: 'inactive' },
];

/** `texts`: the name of an exception and its message, or reason and detail of a failure. */
export function classifyLaunchError(texts: readonly string[]): LaunchErrorKind {
  const said = texts.map((text) => text.replaceAll('’', "'").trim().toLowerCase());
  return KNOWN.find(({ says }) => said.some((text) => text.startsWith(says)))?.kind ?? 'unknown';
}

/** RunTask has started nothing. */
export class LaunchError extends Error {
  readonly kind: LaunchErrorKind;
  /** The next room is kept for it: it is to ask again soon. */
  readonly isNextInLine: boolean;

  constructor(kind: LaunchErrorKind, reason: string, isNext = false) {
    super(reason);
    this.name = 'LaunchError';
    this.kind = kind;
    this.isNextInLine = isNext;
  }
}
