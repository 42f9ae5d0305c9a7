import type { CapturedScreenshot } from '../../gates/core/gate.ts';
import type { GateTestResults } from '../../gates/pipeline/output/write-junit.ts';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { UploadKind } from '../../shared/api/report-schemas.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';

type Client = Pick<ContainerApiClient, 'upload'>;

/** Stores all findings beside the evidence, which may have been cut. */
export async function uploadFindings(client: Client, evidence: Evidence): Promise<void> {
  if (evidence.gates.every(({ findings }) => findings.length === 0)) return;
  const { formatSarif } = await import('../../gates/pipeline/output/write-sarif.ts');
  await store(client, 'findings', JSON.stringify(formatSarif(evidence)));
}

/** Stores the results of all tests that gates have run. */
export async function uploadTestResults(client: Client, suites: readonly GateTestResults[]): Promise<void> {
  if (suites.length === 0) return;
  const { formatJunit } = await import('../../gates/pipeline/output/write-junit.ts');
  await store(client, 'tests', formatJunit(suites));
}

/**
 * Stores pictures before anybody is told of them: who reads the evidence finds all that it names. A gate whose pictures could not all be
 * stored has shown nothing.
 */
export async function uploadScreenshots(
  client: Client,
  evidence: Evidence,
  shots: readonly CapturedScreenshot[],
): Promise<Evidence> {
  if (shots.length === 0) return evidence;
  const digests = new Map(shots.map(({ screenshot, png }) => [screenshot.sha256, png]));
  const lost = new Map<string, string>();
  // One after the other: together they may be as large as the box has memory to spare for.
  for (const [digest, png] of digests)
    await client.upload('screenshot', png).catch((error: unknown) => {
      lost.set(digest, error instanceof Error ? error.message : String(error));
    });
  if (lost.size === 0) return evidence;
  return {
    ...evidence,
    gates: evidence.gates.map((gate) => {
      const missing = gate.screenshots?.find((shot) => lost.has(shot.sha256));
      if (!missing) return gate;
      const { screenshots: _, ...rest } = gate;
      const detail = `screenshot ${missing.name} could not be stored: ${lost.get(missing.sha256)}`;
      return { ...rest, outcome: 'infra_failed', blocked: false, detail };
    }),
  };
}

/** What cannot be stored is told, and nothing else waits for it. */
const store = (client: Client, kind: UploadKind, text: string): Promise<void> =>
  client
    .upload(kind, Buffer.from(text))
    .then(() => undefined)
    .catch((error: unknown) =>
      console.error(`${kind}: ${error instanceof Error ? error.message : String(error)}`),
    );
