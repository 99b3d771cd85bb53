/** Routes of releases (docs.github.com/rest/releases): list, create, publish, update, delete, and their assets. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { moveRef } from '../../git/move-refs.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { isAllowed } from '../../identity/permissions.ts';
import { emitChange } from '../../world/emit.ts';
import type { Json } from '../../world/json.ts';
import { nextId } from '../../world/world.ts';
import { generateNotes } from '../release-notes.ts';
import { shapeRelease } from '../shape-release.ts';
import type { Release } from '../state-releases.ts';

const read = repoAccess('contents:read', 'public');
const write = repoAccess('contents:write', 'write');

const changes = z.object({
  tag_name: z.string().min(1).optional(),
  target_commitish: z.string().optional(),
  name: z.string().nullish(),
  body: z.string().nullish(),
  draft: z.boolean().optional(),
  prerelease: z.boolean().optional(),
  // GitHub accepts a third value, an order by version, which has the effect of `true` here.
  make_latest: z.string().optional(),
});
const creation = changes.extend({ tag_name: z.string().min(1), generate_release_notes: z.boolean().default(false) });
const notes = z.object({
  tag_name: z.string().min(1),
  target_commitish: z.string().optional(),
  previous_tag_name: z.string().optional(),
});

export const releaseRoutes: readonly Route[] = [
  readRoute('/releases', read, (call) =>
    answerPage(call, visibleReleases(call).toReversed(), (row) => shapeRelease(call.world, row)),
  ),
  writeRoute('POST', '/releases', write, creation, createRelease),
  readRoute('/releases/latest', read, (call) => answerRelease(call, latestRelease(visibleReleases(call)))),
  readRoute('/releases/tags/:tag*', read, (call) =>
    answerRelease(call, visibleReleases(call).find((row) => !row.draft && row.tag === call.params['tag']) ?? null),
  ),
  writeRoute('POST', '/releases/generate-notes', write, notes, async (call, body) => {
    const { target_commitish: target, previous_tag_name: previous } = body;
    return okAnswer(await generateNotes(call, body.tag_name, target ?? call.repo.defaultBranch, previous));
  }),
  readRoute('/releases/:id', read, (call) => answerRelease(call, findRelease(call))),
  writeRoute('PATCH', '/releases/:id', write, changes, updateRelease),
  actRoute('DELETE', '/releases/:id', write, async (call) => {
    const row = findRelease(call);
    if (row === null) return notFoundAnswer();
    delete call.world.state.releases[row.id];
    await emitRelease(call, row, 'deleted');
    return noContentAnswer();
  }),
];

/** Drafts are visible to callers with write access. */
export function visibleReleases(call: RepoCall): readonly Release[] {
  const seesDrafts = isAllowed(call.world, call.caller, call.repo, 'contents:write', 'write');
  return Object.values(call.world.state.releases).filter(
    (row) => row.repoId === call.repo.id && (seesDrafts || !row.draft),
  );
}

/** The release with the id in `:id`, if the caller may see it. */
export function findRelease(call: RepoCall): Release | null {
  return visibleReleases(call).find(({ id }) => `${id}` === call.params['id']) ?? null;
}

/**
 * The newest release that is published, not a prerelease, and not excluded from being the latest; `rows` oldest first.
 */
export function latestRelease(rows: readonly Release[]): Release | null {
  const full = rows.filter((row) => !row.draft && !row.prerelease && row.mayBeLatest);
  return full.toSorted((a, b) => (a.publishedAtMs ?? 0) - (b.publishedAtMs ?? 0)).at(-1) ?? null;
}

function answerRelease(call: RepoCall, row: Release | null): Answer {
  return row === null ? notFoundAnswer() : okAnswer(shapeRelease(call.world, row));
}

async function createRelease(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const now = call.world.clock.now();
  const target = body.target_commitish ?? call.repo.defaultBranch;
  const generated = body.generate_release_notes ? await generateNotes(call, body.tag_name, target) : null;
  const row: Release = {
    id: nextId(call.world, 'releases'),
    repoId: call.repo.id,
    tag: body.tag_name,
    target,
    name: body.name ?? generated?.name ?? null,
    body: [body.body ?? '', generated?.body ?? ''].filter((text) => text !== '').join('\n\n') || null,
    draft: body.draft ?? false,
    prerelease: body.prerelease ?? false,
    mayBeLatest: body.make_latest !== 'false',
    authorId: call.actor.id,
    assets: [],
    createdAtMs: now,
    publishedAtMs: body.draft === true ? null : now,
    updatedAtMs: now,
  };
  const problem = await findTagProblem(call, row);
  if (problem !== null) return problem;
  call.world.state.releases[row.id] = row;
  await emitRelease(call, row, 'created');
  if (!row.draft) await emitPublished(call, row);
  return createdAnswer(shapeRelease(call.world, row));
}

async function updateRelease(call: ActorCall, body: z.infer<typeof changes>): Promise<Answer> {
  const before = findRelease(call);
  if (before === null) return notFoundAnswer();
  const now = call.world.clock.now();
  const draft = body.draft ?? before.draft;
  const row: Release = {
    ...before,
    tag: body.tag_name ?? before.tag,
    target: body.target_commitish ?? before.target,
    name: body.name === undefined ? before.name : body.name,
    body: body.body === undefined ? before.body : body.body,
    prerelease: body.prerelease ?? before.prerelease,
    mayBeLatest: body.make_latest === undefined ? before.mayBeLatest : body.make_latest !== 'false',
    draft,
    publishedAtMs: draft ? null : (before.publishedAtMs ?? now),
    updatedAtMs: now,
  };
  const problem = await findTagProblem(call, row);
  if (problem !== null) return problem;
  call.world.state.releases[row.id] = row;
  await emitRelease(call, row, 'edited', listChanges(before, row));
  if (before.draft && !row.draft) await emitPublished(call, row);
  if (!before.draft && row.draft) await emitRelease(call, row, 'unpublished');
  return okAnswer(shapeRelease(call.world, row));
}

/** A published release needs a tag that no other release has. A missing tag is created at the target. */
async function findTagProblem(call: ActorCall, row: Release): Promise<Answer | null> {
  if (row.draft) return null;
  const twin = Object.values(call.world.state.releases).find(
    (one) => one.repoId === row.repoId && one.id !== row.id && !one.draft && one.tag === row.tag,
  );
  if (twin !== undefined) return invalidAnswer([{ resource: 'Release', code: 'already_exists', field: 'tag_name' }]);
  const store = call.world.gitOf(call.repo);
  const ref = `refs/tags/${row.tag}`;
  if ((await store.refs(ref)).has(ref)) return null;
  const sha = await resolveCommit(store, call.repo, row.target);
  if (sha === null) return invalidAnswer([{ resource: 'Release', code: 'invalid', field: 'target_commitish' }]);
  const moved = await moveRef(call, { ref, sha, expected: null });
  return moved === 'updated'
    ? null
    : invalidAnswer([
        { resource: 'Release', code: 'custom', field: 'tag_name', message: 'tag_name is not a valid tag' },
      ]);
}

function listChanges(before: Release, row: Release): Readonly<Record<string, Json>> {
  const changed: Record<string, Json> = {};
  if (before.name !== row.name) changed['name'] = { from: before.name ?? '' };
  if (before.body !== row.body) changed['body'] = { from: before.body ?? '' };
  return { changes: changed };
}

async function emitPublished(call: ActorCall, row: Release): Promise<void> {
  await emitRelease(call, row, 'published');
  await emitRelease(call, row, row.prerelease ? 'prereleased' : 'released');
}

async function emitRelease(
  call: ActorCall,
  row: Release,
  action: string,
  extra: Readonly<Record<string, Json>> = {},
): Promise<void> {
  await emitChange(call.world, {
    type: 'release',
    action,
    repo: call.repo,
    sender: call.actor,
    byTokenKind: call.caller.kind,
    payload: { release: shapeRelease(call.world, row), ...extra },
  });
}
