import * as z from 'zod';

const NonBlank = z.string().refine((text) => text.trim() !== '', { message: 'must not be blank' });

/** One question about the work that has the answer yes or no. */
export const AtomicProbe = z.strictObject({
  id: NonBlank,
  probe_text: NonBlank,
  /** The criterion that it is about, word for word. */
  source_criterion: NonBlank,
});
export type AtomicProbe = Readonly<z.infer<typeof AtomicProbe>>;

/** The probe of a task at a place among its probes; no model names it. */
export const probeId = (taskId: string, index: number): string => `${taskId}-probe-${index}`;
