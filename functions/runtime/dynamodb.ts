import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ENV } from '../../shared/contract/names.ts';
import { BeatStore } from '../../shared/store/beats.ts';
import { BeliefStore } from '../../shared/store/beliefs.ts';
import { BreakerStore } from '../../shared/store/breakers.ts';
import { ClaimStore } from '../../shared/store/claims.ts';
import { documentClient } from '../../shared/store/clients.ts';
import { CompletionStore } from '../../shared/store/completions.ts';
import { CountStore } from '../../shared/store/counts.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { EvolutionStore } from '../../shared/store/evolution.ts';
import { FigureStore } from '../../shared/store/figures.ts';
import { FileStore } from '../../shared/store/files.ts';
import { LandedStore } from '../../shared/store/landed.ts';
import { LockStore } from '../../shared/store/locks.ts';
import { ProviderStore } from '../../shared/store/providers.ts';
import { RequestStore } from '../../shared/store/requests.ts';
import { SpendStore } from '../../shared/store/spend.ts';
import { TaskStore } from '../../shared/store/tasks.ts';
import { UploadStore } from '../../shared/store/uploads.ts';

export interface Stores {
  readonly db: DynamoDBDocumentClient;
  readonly table: string;
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly locks: LockStore;
  readonly counts: CountStore;
  readonly completions: CompletionStore;
  readonly figures: FigureStore;
  readonly files: FileStore;
  readonly breakers: BreakerStore;
  readonly uploads: UploadStore;
  readonly claims: ClaimStore;
  readonly beats: BeatStore;
  readonly beliefs: BeliefStore;
  readonly evolution: EvolutionStore;
  readonly spend: SpendStore;
  readonly letters: DeadLetterStore;
  readonly requests: RequestStore;
  readonly providers: ProviderStore;
  readonly landed: LandedStore;
}

/** The stores on the one table; made once per execution environment. */
export function stores(): Stores {
  const db = documentClient();
  const table = requireEnv(ENV.table);
  const tasks = new TaskStore(db, table);
  return {
    db,
    table,
    tasks,
    deadlines: new DeadlineStore(db, table),
    locks: new LockStore(db, table, tasks),
    counts: new CountStore(db, table),
    completions: new CompletionStore(db, table),
    figures: new FigureStore(db, table),
    files: new FileStore(db, table),
    breakers: new BreakerStore(db, table),
    uploads: new UploadStore(db, table),
    claims: new ClaimStore(db, table),
    beats: new BeatStore(db, table),
    beliefs: new BeliefStore(db, table),
    evolution: new EvolutionStore(db, table),
    spend: new SpendStore(db, table),
    letters: new DeadLetterStore(db, table),
    requests: new RequestStore(db, table),
    providers: new ProviderStore(db, table),
    landed: new LandedStore(db, table),
  };
}
