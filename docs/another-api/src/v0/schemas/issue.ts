/** Issues and their comments. */
import { z } from 'zod';
import { timestamp } from './primitive.ts';

export const Issue = z.object({
  issueId: z.string().describe('ID of this issue.'),
  title: z.string().describe('Title.'),
  createdAt: timestamp.describe('Time of creation.'),
});
export type Issue = z.infer<typeof Issue>;

export const Comment = z.object({
  commentId: z.string().describe('ID of this comment.'),
  text: z.string().describe('What was written.'),
});
