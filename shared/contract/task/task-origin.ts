import { hashTaskContent } from '../submission/content-hash.ts';
import type { Task } from './task.ts';

/** What a task says of where it comes from that is made from this one. */
export const deriveTaskOrigin = ({
  id,
  title,
  description,
  acceptance_criteria,
  origin,
}: Pick<Task, 'id' | 'title' | 'description' | 'acceptance_criteria' | 'origin'>): NonNullable<
  Task['origin']
> => ({
  task_id: id,
  root_task_id: origin?.root_task_id ?? id,
  root_content_sha256:
    origin?.root_content_sha256 ?? hashTaskContent(title, description, acceptance_criteria),
});
