/** Things that were found which a record names, characters of each, and facts beside them: an attempt is part of an item. */
export const MAX_MIDDLEWARE_FINDINGS = 12;
export const MAX_MIDDLEWARE_FINDING_LENGTH = 200;
export const MAX_MIDDLEWARE_FACTS = 24;
