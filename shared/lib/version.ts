/** The version of Assay; a test keeps it equal to package.json's. */
export const ASSAY_VERSION = '0.1.0';
