/** Things that were found which a record names, characters of each, and facts beside them: an attempt is part of an item. */
export const MOST_FOUND = 12;
export const FOUND_CHARACTERS = 200;
export const MOST_FACTS = 24;
