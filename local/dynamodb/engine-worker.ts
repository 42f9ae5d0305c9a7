import { parentPort } from 'node:worker_threads';
import { type EngineMessage, STOP_ENGINE } from '../engine-thread.ts';
import { createDynalite } from './dynalite-engine.ts';
import {
  type EngineAnswer,
  type EngineCall,
  LOAD_ITEMS_OPERATION,
  type LoadItemsRequest,
  type LoadItemsResponse,
} from './engine-client.ts';
import { computeItemExpiry } from './expiry-index.ts';
import type { ItemImage } from './item-image.ts';

/** The thread of dynalite. */
const post = (message: EngineMessage): void => parentPort?.postMessage(message);
const engine = createDynalite();

parentPort?.on('message', (message: EngineCall | typeof STOP_ENGINE) => {
  if (message === STOP_ENGINE) return engine.close(() => parentPort?.close());
  const { id, operation, text, items = [] } = message;
  const answer = (status: number, body: unknown): void => {
    const message: EngineAnswer = { id, status, text: JSON.stringify(body) };
    post({ message });
  };
  // As over a wire: nothing passes that JSON does not know.
  const request: unknown = JSON.parse(text);
  if (operation === LOAD_ITEMS_OPERATION) {
    const { table, ttlAttribute } = request as LoadItemsRequest;
    const parsed = items.map((item) => JSON.parse(item) as ItemImage);
    const loaded: LoadItemsResponse = {
      expiries: parsed.map((item) => computeItemExpiry(ttlAttribute, item)),
    };
    engine.load(table, items, parsed, (error) =>
      error ? answer(500, { message: String(error) }) : answer(200, loaded),
    );
  } else engine.call(operation, request, ({ status, body }) => answer(status, body));
});
post({ port: null });
