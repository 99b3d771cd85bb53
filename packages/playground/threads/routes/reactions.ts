/** Routes of reactions (docs.github.com/rest/reactions) to issues, issue comments and review comments. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  contentRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { emitChange } from '../../world/emit.ts';
import { findIssue } from '../../world/lookup.ts';
import { issueKey, type Table } from '../../world/state.ts';
import { nextId } from '../../world/world.ts';
import { shapeReaction } from '../shape-issue.ts';
import type { Authored, Reaction, ReactionContent } from '../state-threads.ts';
import { refuseComment, refuseThreadAccess } from '../thread-access.ts';
import { type Act, canEdit } from '../threads.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const react = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const wanted = z.object({ content: z.enum(['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']) });

/** A row that accepts reactions, and how to write it back. */
export type Reactable = {
  readonly row: Authored;
  /** The thread that contains it. */
  readonly issueNumber: number;
  readonly put: (reactions: readonly Reaction[]) => void;
};

export const reactionRoutes: readonly Route[] = [
  ...routesFor('/issues/comments/:id', (call) => {
    return findInTable(call.world.state.comments, call.params['id'] ?? '', call.repo.id);
  }),
  ...routesFor('/pulls/comments/:id', (call) => {
    return findInTable(call.world.state.reviewComments, call.params['id'] ?? '', call.repo.id);
  }),
  ...routesFor('/issues/:number', (call) => {
    return findInTable(call.world.state.issues, issueKey(call.repo.id, Number(call.params['number'])), call.repo.id);
  }),
];

/** An issue has its own number; every other row has its issue's. */
type Place = { readonly repoId: number } & ({ readonly issueNumber: number } | { readonly number: number });

/** Finds a row that accepts reactions in its table. */
export function findInTable<Row extends Authored & Place>(
  table: Table<Row>,
  key: string,
  repoId: number,
): Reactable | null {
  const row = table[key];
  if (row === undefined || row.repoId !== repoId) return null;
  return {
    row,
    issueNumber: 'issueNumber' in row ? row.issueNumber : row.number,
    put: (reactions) => {
      table[key] = { ...row, reactions };
    },
  };
}

/** Adds a reaction; a second identical one by the same account is ignored. */
export async function addReaction(
  act: Act,
  target: Reactable,
  wantedContent: ReactionContent,
): Promise<{ readonly reaction: Reaction; readonly isNew: boolean }> {
  const known = target.row.reactions.find((one) => one.userId === act.actor.id && one.content === wantedContent);
  if (known !== undefined) return { reaction: known, isNew: false };
  const reaction: Reaction = {
    id: nextId(act.world, 'reactions'),
    userId: act.actor.id,
    content: wantedContent,
    createdAtMs: act.world.clock.now(),
  };
  target.put([...target.row.reactions, reaction]);
  await emitReaction(act, 'created', reaction);
  return { reaction, isNew: true };
}

function routesFor(path: string, find: (call: RepoCall) => Reactable | null): readonly Route[] {
  return [
    readRoute(`${path}/reactions`, read, (call) => {
      const target = find(call);
      if (target === null) return notFoundAnswer();
      const refusal = refuseReactionAccess(call, target, 'read');
      if (refusal !== null) return refusal;
      const only = call.query.get('content');
      const rows = target.row.reactions.filter((one) => only === null || one.content === only);
      return answerPage(call, rows, (one) => shapeReaction(call.world, one));
    }),
    contentRoute(
      writeRoute('POST', `${path}/reactions`, react, wanted, async (call, body): Promise<Answer> => {
        const target = find(call);
        if (target === null) return notFoundAnswer();
        const refusal = refuseReaction(call, target);
        if (refusal !== null) return refusal;
        const { reaction, isNew } = await addReaction(call, target, body.content);
        const shape = shapeReaction(call.world, reaction);
        return isNew ? createdAnswer(shape) : okAnswer(shape);
      }),
    ),
    contentRoute(actRoute('DELETE', `${path}/reactions/:reaction`, react, (call) => removeReaction(call, find(call)))),
  ];
}

/** Why the caller cannot react here, or null: the thread is locked, or outside the token's permissions. */
export function refuseReaction(act: Act, { issueNumber }: Reactable): Answer | null {
  const issue = findIssue(act.world, act.repo, issueNumber);
  return issue === null
    ? notFoundAnswer()
    : refuseComment(act, issue, 'Unable to create reaction because issue is locked.');
}

function refuseReactionAccess(call: RepoCall, { issueNumber }: Reactable, level: 'read' | 'write'): Answer | null {
  const issue = findIssue(call.world, call.repo, issueNumber);
  return issue === null ? notFoundAnswer() : refuseThreadAccess(call, issue, level);
}

async function removeReaction(call: ActorCall, target: Reactable | null): Promise<Answer> {
  const reaction = target?.row.reactions.find((one) => `${one.id}` === call.params['reaction']);
  if (target === null || reaction === undefined) return notFoundAnswer();
  const refusal = refuseReactionAccess(call, target, 'write');
  if (refusal !== null) return refusal;
  if (reaction.userId !== call.actor.id && !canEdit(call, { ...target.row, authorId: reaction.userId })) {
    return failedAnswer(403, 'Must have admin rights to Repository.');
  }
  target.put(target.row.reactions.filter((one) => one.id !== reaction.id));
  await emitReaction(call, 'deleted', reaction);
  return noContentAnswer();
}

/** GitHub sends no webhook for reactions, but open pages of the playground need the event. */
async function emitReaction(act: Act, action: string, reaction: Reaction): Promise<void> {
  await emitChange(act.world, {
    type: 'reaction',
    action,
    repo: act.repo,
    sender: act.actor,
    byTokenKind: act.caller.kind,
    payload: { reaction: shapeReaction(act.world, reaction) },
  });
}
