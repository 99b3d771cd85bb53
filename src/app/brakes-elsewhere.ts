/** A runner's own look for `/stop run=…` and `/hold run=…` in threads that are not the run's: where those are gone, a brake is said elsewhere. */

import type { CommentFacts } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { listNewComments, type SweptComment } from '../github/new-comments.ts';
import { mayNameRun, type Unanswered } from '../run/open-brakes.ts';
import type { OpenLab } from './open-lab.ts';

export type SaidElsewhere = {
  readonly comments: readonly CommentFacts[];
  /** What the records of other runs have of them. */
  readonly commands: ReadonlyMap<string, SeenCommand>;
};

const NOTHING: SaidElsewhere = { comments: [], commands: new Map() };

/** Comments of the repository since the approval that may name the run; reviews are told by the record alone, which GitHub does not list together. */
export async function saidElsewhere(
  { lab, store }: Pick<OpenLab, 'lab' | 'store'>,
  { run, restsOn }: Pick<Unanswered, 'run' | 'restsOn'>,
  own: readonly CommentFacts[],
): Promise<Observed<SaidElsewhere>> {
  if (run === null || restsOn === null) return known(NOTHING);
  const here = new Set(own.map(({ thread }) => thread));
  const found: SweptComment[] = [];
  for (const surface of ['comment', 'review-comment'] as const) {
    const listed = await listNewComments(lab.client, surface, restsOn.createdAt, limits.sweepPagesMax);
    if (listed.kind === 'unknown') return listed;
    if (!listed.value.isWhole) return unknown('more was written since the approval than is read');
    found.push(...listed.value.found);
  }
  const naming = found.filter((one) => !one.isBot && !here.has(one.thread) && mayNameRun(one.body, run));
  if (naming.length === 0) return known(NOTHING);
  const names = new Set(naming.map(({ surface, id }) => commandKey({ surface, comment: id, index: 0 })));
  const { runs } = store.current();
  const commands = runs.flatMap((state) =>
    [...state.commands].filter(([, one]) => names.has(commandKey({ ...one, index: 0 }))),
  );
  return known({ comments: naming.map((one) => factsOf(one, lab.digestOf)), commands: new Map(commands) });
}

function factsOf(
  { surface, id, thread, body, isEdited, author, createdAt, at }: SweptComment,
  digestOf: OpenLab['lab']['digestOf'],
): CommentFacts {
  return {
    surface,
    id,
    nodeId: '',
    thread,
    author: { id: author.id, login: author.login },
    authorIsBot: false,
    byUs: false,
    byOwnApp: false,
    marker: null,
    body,
    bodyDigest: digestOf(body),
    createdAt,
    updatedAt: at,
    editedAt: isEdited ? at : null,
    minimized: false,
    commit: null,
  };
}
