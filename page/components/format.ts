const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A moment as whoever looks at it writes it, in their time zone. */
export const formatTime = (iso: string): string => FORMAT.format(new Date(iso));

/** Commits are told apart by their beginning; other names of a base stay as they are. */
export const shortCommit = (name: string): string =>
  /^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 12) : name;
