/** The person whom a verdict or a way to green asks for, in words. */

import { assertNever } from '../domain/assert.ts';
import type { RemedyActor } from '../domain/launch/verdict.ts';
import type { PlaceWord } from './place-word.ts';

/** Who can supply what is missing. */
export function whoCan(actor: RemedyActor, place: PlaceWord = 'pull request'): string {
  switch (actor) {
    case 'author':
      return place === 'issue'
        ? 'whoever can edit this issue or push to its branch'
        : 'whoever can edit this pull request';
    case 'maintainer':
      return 'a maintainer';
    case 'approver':
      return 'whoever may approve';
    case 'anyone':
      // What it says to do has the person's name.
      return 'whom it names';
    case 'lab':
      return 'whoever keeps `.github/ferrybot.yml`';
    case 'time':
      return 'nobody: it clears by itself';
    default:
      return assertNever(actor);
  }
}
