import type { TestRunOfGate } from '../../gates/reports/out/junit.ts';
import type { BoxClient } from '../../shared/api/box-client.ts';
import type { UploadKind } from '../../shared/api/report-schemas.ts';
import type { Evidence } from '../../shared/evidence/schema.ts';

type Client = Pick<BoxClient, 'upload'>;

/** Stores all findings beside the evidence, which may have been cut. */
export async function storeFindings(client: Client, evidence: Evidence): Promise<void> {
  if (evidence.gates.every(({ findings }) => findings.length === 0)) return;
  const { sarifOf } = await import('../../gates/reports/out/sarif.ts');
  await store(client, 'findings', JSON.stringify(sarifOf(evidence)));
}

/** Stores the results of all tests that gates have run. */
export async function storeTests(client: Client, suites: readonly TestRunOfGate[]): Promise<void> {
  if (suites.length === 0) return;
  const { junitOf } = await import('../../gates/reports/out/junit.ts');
  await store(client, 'tests', junitOf(suites));
}

/** What cannot be stored is told, and nothing else waits for it. */
const store = (client: Client, kind: UploadKind, text: string): Promise<void> =>
  client
    .upload(kind, Buffer.from(text))
    .then(() => undefined)
    .catch((error: unknown) =>
      console.error(`${kind}: ${error instanceof Error ? error.message : String(error)}`),
    );
