/** A runner's own look for `/stop run=…` and `/hold run=…` in threads that are not the run's: where those are gone, a brake is said elsewhere. */

import { namedRun } from '../commands/named-run.ts';
import type { CommentFacts } from '../domain/facts.ts';
import { LIFTED_BY } from '../domain/launch/hold.ts';
import { commandKey, type SeenCommand } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { after } from '../domain/time.ts';
import { readCited } from '../github/cited-comment.ts';
import { listNewComments, type SweptComment } from '../github/new-comments.ts';
import { mayNameRun, type Unanswered } from '../run/open-brakes.ts';
import type { OpenLab } from './open-lab.ts';
import { readingOf } from './reading.ts';

/** So long before an approval a brake in another thread may have been said and not be in the record yet: three sweeps. */
const BRAKE_REACH_MS = 90 * 60 * 1_000;
/** Pages of a hundred comments, written in the repository since an approval, in which a launcher looks for brakes: whoever floods it with more holds the launch back. */
const BRAKE_PAGES_MAX = 100;
/** Holds and ends of holds that name a run in other threads, each of which a launcher reads again: two a person. */
const NAMED_HOLDS_READ_MAX = 40;

export type SaidElsewhere = {
  readonly comments: readonly CommentFacts[];
  /** What the records of other runs have of them. */
  readonly commands: ReadonlyMap<string, SeenCommand>;
};

const NOTHING: SaidElsewhere = { comments: [], commands: new Map() };

/**
 * Comments of the repository since some time before the approval that may name the run, and older ones that the record has as its hold or the end
 * of one; reviews are told by the record alone, which GitHub does not list together.
 */
export async function saidElsewhere(
  open: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  { run, restsOn }: Pick<Unanswered, 'run' | 'restsOn'>,
  own: readonly CommentFacts[],
): Promise<Observed<SaidElsewhere>> {
  if (run === null || restsOn === null) return known(NOTHING);
  const { lab, store } = open;
  const here = new Set(own.map(({ thread }) => thread));
  const found: SweptComment[] = [];
  for (const surface of ['comment', 'review-comment'] as const) {
    const since = after(restsOn.createdAt, -BRAKE_REACH_MS);
    const page = await listNewComments(lab.client, surface, since, BRAKE_PAGES_MAX);
    if (page.kind === 'unknown') return page;
    if (!page.value.isWhole) return unknown('more was written since the approval than is read');
    found.push(...page.value.found);
  }
  const naming = found.filter((one) => !one.isBot && !here.has(one.thread) && mayNameRun(one.body, run));
  const listed = naming.map((one) => factsOf(one, lab.digestOf));
  const names = new Set(listed.map(nameOf));
  const older = await holdsElsewhere(open, run, (one) => here.has(one.thread) || names.has(nameOf(one)));
  if (older.kind === 'unknown') return older;
  const comments = [...listed, ...older.value];
  if (comments.length === 0) return known(NOTHING);
  for (const one of older.value) names.add(nameOf(one));
  const { runs } = store.current();
  const commands = runs.flatMap((state) =>
    [...state.commands].filter(([, one]) => names.has(commandKey({ ...one, index: 0 }))),
  );
  return known({ comments, commands: new Map(commands) });
}

const HOLDING: readonly string[] = ['hold', LIFTED_BY.hold];

/**
 * What the records have as a hold of this run or the end of one, whatever they answer, as GitHub shows it now: the newest of each
 * person, so that nobody crowds out another's.
 */
async function holdsElsewhere(
  { lab, config, store }: Pick<OpenLab, 'lab' | 'config' | 'store'>,
  run: string,
  isRead: (one: SeenCommand) => boolean,
): Promise<Observed<readonly CommentFacts[]>> {
  const { journal, runs } = store.current();
  const seen = [journal, ...runs]
    .flatMap(({ commands }) => [...commands.values()])
    .filter((one) => HOLDING.includes(one.name) && namedRun(one) === run && !isRead(one))
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.comment - b.comment);
  const newest = new Map(seen.map((one) => [`${one.name} ${one.actor.id}`, one]));
  const found: CommentFacts[] = [];
  for (const { surface, comment, thread } of [...newest.values()].slice(-NAMED_HOLDS_READ_MAX)) {
    const cited = await readCited(lab.client, { surface, comment, pull: thread }, readingOf(lab, config));
    if (cited.kind === 'unknown') return cited;
    if (cited.value !== null) found.push(cited.value);
  }
  return known(found);
}

function nameOf(
  one: Pick<CommentFacts, 'surface' | 'id'> | Pick<SeenCommand, 'surface' | 'comment'>,
): string {
  return commandKey({ surface: one.surface, comment: 'id' in one ? one.id : one.comment, index: 0 });
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
