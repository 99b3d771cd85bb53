/** What mends the gates over the change and its text: pushes, and edits of the pull request's body. */

import type { Verdict } from '../../domain/launch/verdict.ts';
import { changed, known } from '../../domain/observed.ts';
import { readFacts } from '../../domain/payload.ts';
import type { GateFacts, Remedy } from '../gate.ts';
import { edit, push, pushed, reworded } from './remedy.ts';

/** The remedies for one verdict, each of which alone takes away what it names first; none for a gate of the lane. */
export function changeRemedies(verdict: Verdict): readonly Remedy[] {
  switch (verdict.gate) {
    case 'head-repository':
      return [
        push('push-here', (now) => ({
          ...now,
          pull: changed(now.pull, (value) => ({ ...value, headRepository: now.repository })),
        })),
      ];
    case 'authors-known':
      return [verdict.code === 'opened-unnamed' ? OPEN_AS_PERSON : authorRemedy(verdict)];
    case 'freshness':
      return [
        push('rebase', (now) =>
          pushed(now, (value) => ({
            ...value,
            mergeBase: value.baseSha,
            isPastTip: known(true),
            laterCommits: [],
          })),
        ),
      ];
    case 'preconditions':
      return [boxRemedy(verdict)];
    case 'manifest-complete':
      return [
        push('put-back-shipped', (now) =>
          pushed(now, (value) => ({
            ...value,
            trees: Object.fromEntries(
              now.lane.ships.map((path) => [
                path,
                value.trees[path] ?? Object.values(value.trees)[0] ?? null,
              ]),
            ),
          })),
        ),
      ];
    default:
      return [];
  }
}

/** Who opened it stays who opened it: another pull request is approved for itself. */
const OPEN_AS_PERSON = push('open-as-person', (now) =>
  pushed(
    {
      ...now,
      authors: changed(now.authors, (value) => ({
        ...value,
        unnamed: value.unnamed.filter((one) => one.code !== 'opened-unnamed'),
      })),
    },
    (value) => value,
  ),
);

/** What nobody can be named for is taken back, and whoever does that is an author then. */
function authorRemedy({ code }: Verdict): Remedy {
  const named = (now: GateFacts): GateFacts => ({
    ...now,
    authors: changed(now.authors, (value) => ({
      ...value,
      unnamed: value.unnamed.filter(
        (one) => one.code === 'opened-unnamed' || (one.code === 'edit-unnamed') !== (code === 'edit-unnamed'),
      ),
    })),
  });
  return code === 'edit-unnamed'
    ? { kind: 'put-text-back', about: '', by: 'author', phase: 'text', apply: (now) => reworded(named(now)) }
    : push('put-branch-back', (now) => pushed(named(now), (value) => value));
}

function boxRemedy({ code, found }: Verdict): Remedy {
  const text = readFacts({ box: 'text' }, found)?.box ?? '';
  return edit(code === 'box-missing' ? 'add-box' : 'tick-box', text, (body) => ({
    ...body,
    boxes: [...body.boxes.filter((box) => box.text !== text), { text, checked: true, line: 0 }],
  }));
}
