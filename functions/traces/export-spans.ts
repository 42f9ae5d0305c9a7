import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  type IdGenerator,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { DerivedTrace } from '../../shared/control/telemetry/planned-trace.ts';
import { ASSAY_VERSION } from '../../shared/lib/version.ts';

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/** Gives out the ids that were planned. */
class PlannedIds implements IdGenerator {
  traceId = '';
  spanId = '';
  generateTraceId = (): string => this.traceId;
  generateSpanId = (): string => this.spanId;
}

/** Keeps what has ended. */
class EndedSpans implements SpanProcessor {
  readonly spans: ReadableSpan[] = [];
  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    this.spans.push(span);
  }
  forceFlush = async (): Promise<void> => {};
  shutdown = async (): Promise<void> => {};
}

/** The spans of a trace as the SDK makes them. */
export function toReadableSpans({ traceId, spans }: DerivedTrace, service: string): ReadableSpan[] {
  const ids = new PlannedIds();
  const ended = new EndedSpans();
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    // Whatever OTEL_TRACES_SAMPLER of the surroundings says: half a trace explains nothing.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [ended],
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: service, [ATTR_SERVICE_VERSION]: ASSAY_VERSION }),
  });
  const tracer = provider.getTracer('assay', ASSAY_VERSION);
  for (const { spanId, parentId, name, kind, start, end, attributes, error } of spans) {
    ids.traceId = traceId;
    ids.spanId = spanId;
    const parent =
      parentId === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED });
    const options = { kind: KINDS[kind], startTime: new Date(start), attributes: { ...attributes } };
    const span = tracer.startSpan(name, options, parent);
    if (error !== null) {
      span.setAttribute(ATTR_ERROR_TYPE, error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    }
    span.end(new Date(end));
  }
  return ended.spans;
}

/** Milliseconds for a collector to take a trace. */
const TIMEOUT_MS = 10_000;

/** Sends spans by OTLP over HTTP. @throws Error when the collector has not taken them */
export async function exportSpans(
  spans: readonly ReadableSpan[],
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: TIMEOUT_MS });
  try {
    await new Promise<void>((resolve, reject) => {
      exporter.export([...spans], ({ code, error }) =>
        // 0 is success (ExportResultCode of @opentelemetry/core).
        code === 0 ? resolve() : reject(error ?? new Error('the collector has not taken the spans')),
      );
    });
  } finally {
    await exporter.shutdown();
  }
}
