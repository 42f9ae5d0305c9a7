/** An object of a class with some of its members. Their names and types are checked, so none outlives a rename. */
export const stub = <T extends object>(members: Partial<T>): T => members as T;
