export { isTestPath } from '../../shared/evidence/test-path.ts';
