export { isTestPath } from '../../shared/contract/evidence/test-path.ts';
