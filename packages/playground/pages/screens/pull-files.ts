/** `Files changed`: the diff, with annotations and review comments under their lines. */
import { fileShape } from '../api/repo-shapes.ts';
import type { LineNote } from '../diff/diff-file.ts';
import { diffList } from '../diff/diff-list.ts';
import { html } from '../html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { annotation } from '../parts/annotation.ts';
import { avatar, loginText } from '../parts/avatar.ts';
import { renderMoment } from '../parts/moment.ts';
import { readAnnotations } from '../thread/annotations.ts';
import type { Params, Screen, Visit } from '../visit.ts';
import { type PullView, pullScreen } from './pull-screen.ts';

export function pullFilesScreen(visit: Visit, params: Params): Promise<Screen> {
  return pullScreen(visit, params, 'files', async (view) => {
    const [files, notes] = await Promise.all([
      visit.api.list(`${view.place.api}/pulls/${view.issue.number}/files`, fileShape),
      lineNotes(visit, view),
    ]);
    if (files.kind === 'refused') return html`<p class="flash">The changes cannot be read: ${files.message}</p>`;
    return diffList(files.data, notes, visit.request.query.get('file'));
  });
}

async function lineNotes(visit: Visit, { place, part }: PullView): Promise<readonly LineNote[]> {
  const checks = await readAnnotations(visit, place, part.checks);
  const fromChecks = checks.flatMap(({ check, annotations }) =>
    annotations.map(
      (note): LineNote => ({
        path: note.path,
        line: note.end_line,
        side: 'RIGHT',
        markup: annotation(note, check.name),
      }),
    ),
  );
  const fromPeople = part.reviewComments.flatMap((note): readonly LineNote[] => {
    const line = note.line ?? note.original_line;
    if (line === null || line === undefined) return [];
    const markup = html`<div class="annotation edge-muted"><p>${avatar(note.user?.login ?? null)} ${loginText(note.user?.login)} <span class="muted small">${renderMoment(note.created_at)}</span></p>${renderMarkdown(note.body ?? '', { repoPath: place.path })}</div>`;
    return [{ path: note.path, line, side: note.side === 'LEFT' ? 'LEFT' : 'RIGHT', markup }];
  });
  return [...fromChecks, ...fromPeople];
}
