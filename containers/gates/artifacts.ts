import type { BoxClient } from '../../shared/api/box-client.ts';
import { sarifOf } from '../../shared/evidence/sarif.ts';
import type { Evidence } from '../../shared/evidence/schema.ts';

/** Stores all findings beside the evidence, which may have been cut. What cannot be stored is told, and nothing else waits for it. */
export async function storeFindings(client: Pick<BoxClient, 'upload'>, evidence: Evidence): Promise<void> {
  if (evidence.gates.every(({ findings }) => findings.length === 0)) return;
  await client
    .upload('findings', Buffer.from(JSON.stringify(sarifOf(evidence))))
    .catch((error: unknown) => console.error(`findings: ${String(error)}`));
}
