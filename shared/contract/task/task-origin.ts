import { hashTaskContent } from '../submission/content-hash.ts';
import type { Task } from './task.ts';

/** What a task says of where it comes from that is made from this one. */
export const deriveTaskOrigin = ({
  id,
  title,
  description,
  acceptance_criteria,
  made_from,
}: Pick<Task, 'id' | 'title' | 'description' | 'acceptance_criteria' | 'made_from'>): NonNullable<
  Task['made_from']
> => ({
  task_id: id,
  root: made_from?.root ?? id,
  root_sha256: made_from?.root_sha256 ?? hashTaskContent(title, description, acceptance_criteria),
});
