/** Issues and their comments in the graph. */
import { Entity } from '../graph/entity/entity.ts';
import { connectionType } from '../graph/fields/connection-type.ts';
import { listField } from '../graph/fields/list-field.ts';
import { List } from '../graph/loading/list.ts';
import { lookupField } from '../graph/fields/reference-field.ts';
import { builder } from '../graph/schema/builder.ts';
import { restType } from '../graph/schema/rest-type.ts';
import { routes } from '../v0/routes.ts';
import { Comment, Issue } from '../v0/schemas/issue.ts';

const IssueRef = builder.objectRef<Issue>('Issue');

const issueEntity = new Entity({ ref: IssueRef, key: ['issueId'], route: routes.getIssue });

restType(issueEntity, Issue, { description: 'An issue.' });

const CommentRef = restType('Comment', Comment, { description: 'A comment on an issue.' });

lookupField(issueEntity);

listField('Query', 'issues', {
  type: connectionType(IssueRef),
  description: 'Paginated list of issues.',
  route: routes.listIssues,
  items: issueEntity,
  list: (_query, _args, context) => List.of(context, routes.listIssues, {}),
});

listField(IssueRef, 'comments', {
  type: connectionType(CommentRef),
  description: 'Paginated list of the comments on the issue.',
  route: routes.listComments,
  list: ({ issueId }, _args, context) =>
    List.of(context, routes.listComments, { path: { issue_id: issueId } }),
});
