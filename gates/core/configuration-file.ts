/** Name of the configuration in the base commit. */
export const CONFIG_FILE = 'assay.yaml';
/** Largest configuration file in bytes. */
export const MAX_CONFIG_BYTES = 256 * 1024;
