/**
 * The gate that says whether a patch keeps to its task's files. It says where was worked, not whether it is right: it can hold a patch,
 * and verifies none.
 */
export const ALLOWED_FILES = 'allowed_files';
