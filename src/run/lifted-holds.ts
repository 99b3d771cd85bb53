/**
 * Holds, freezes and skipped days that the record says were lifted. Control's word is not enough for it: a runner looks the comment
 * up that lifted one, since who has stolen the control key can write that somebody had.
 */

import { readComment } from '../commands/grammar/read-comment.ts';
import { type AnswerCode, COMMAND_DEFINITIONS } from '../commands/registry.ts';
import type { CommentFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { type Hold, type HoldKind, holdsOn, type LaneDay, LIFTED_BY } from '../domain/launch/hold.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import type { RunState, SeenCommand } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

/**
 * A hold that is said to be lifted: of the `run`, or of its `lane` where that is null. `said`: the comment that put it on, null where the record does not tell which.
 * `at`: when it was recorded, which may be long after it was said.
 */
export type LiftedHold = {
  readonly name: HoldKind;
  readonly run: string | null;
  readonly lane: string | null;
  readonly login: string;
  readonly said: Pick<SeenCommand, 'surface' | 'comment' | 'thread'> | null;
  readonly at: Instant;
};

/** So many comments are read to find one that lifted a hold: the newest is nearly always the one. */
export const LIFTS_READ_MAX = 4;

/** Those that would keep this run, or one of this day, back if they stood. `run` null: nothing of a run is done. */
export function liftedFor(
  journal: JournalState,
  { run, ...day }: LaneDay & { readonly run: string | null },
  runs: readonly RunState[],
): readonly LiftedHold[] {
  const own = runs.find((one) => one.run === run)?.lifted ?? [];
  const ofLane = holdsOn(journal.lifted, day).filter(({ kind }) => kind !== 'hold');
  return [...own, ...ofLane].flatMap((hold): readonly LiftedHold[] => {
    const at = fromRfc3339(hold.at);
    if (at === null) return [];
    return [
      {
        name: hold.kind,
        run: hold.scope === 'run' ? run : null,
        lane: hold.lane,
        login: hold.actor.login,
        said: saidBy([journal, ...runs], hold),
        at,
      },
    ];
  });
}

/** What is recorded together has one time, and of several the newest counts: it is lifted by nothing older. */
function saidBy(
  records: readonly Pick<JournalState, 'commands'>[],
  { kind, actor, at }: Hold,
): LiftedHold['said'] {
  return (
    records
      .flatMap(({ commands }) => [...commands.values()])
      .filter((one) => one.name === kind && one.at === at && one.actor.id === actor.id)
      .toSorted((a, b) => b.comment - a.comment)[0] ?? null
  );
}

/** What is answered to somebody who may lift it, whether the record still had it or not. */
const LIFTING: readonly AnswerCode[] = ['thawed', 'thaw-nothing', 'unheld', 'unhold-nothing'];

/** Where words are said, and of what: the lane that they mean where they name none. */
export type Spoken = { readonly runs: readonly RunState[]; readonly lanes: readonly string[] };

/**
 * Commands of the record that may have lifted it, the newest first. What anybody else said as well, or of another lane, is
 * none of them: no stranger crowds out whoever lifted it.
 */
export function liftsRecorded(
  hold: LiftedHold,
  journal: JournalState,
  spoken: Spoken,
): readonly SeenCommand[] {
  const all = [journal, ...spoken.runs].flatMap(({ commands }) => [...commands.values()]);
  return all
    .filter((seen) => liftsByName(seen, hold, seen.thread, spoken))
    .filter(({ answer }) => answer !== null && LIFTING.some((code) => code === answer.code))
    .toSorted((a, b) => b.at.localeCompare(a.at) || b.comment - a.comment)
    .slice(0, LIFTS_READ_MAX);
}

/**
 * A command that says no lane lifts what stands where one lane at most is held; what names a run lifts nothing of a lane,
 * and the hold of a run is lifted in its own threads or by its name.
 */
function liftsByName(
  { name, args }: Pick<SeenCommand, 'name' | 'args'>,
  hold: LiftedHold,
  thread: number,
  { runs, lanes }: Spoken,
): boolean {
  const inThread = runs.filter(({ proposal: { pull, issue } }) => [pull, issue].includes(thread));
  if (hold.run !== null) {
    const isMeant = args['run'] === undefined && inThread.some(({ run }) => run === hold.run);
    return name === LIFTED_BY[hold.name] && (isMeant || args['run'] === hold.run);
  }
  const [here] = inThread;
  const only = lanes.length === 1 ? lanes[0] : undefined;
  const lane = args['lane'] ?? here?.proposal.lane ?? only;
  return (
    name === LIFTED_BY[hold.name] &&
    args['run'] === undefined &&
    (hold.lane === null || lane === undefined || lane === hold.lane)
  );
}

/** Whether this comment, as GitHub shows it, is by a person, unedited, younger than the hold, and lifts one of its lane. */
export function lifts(
  comment: CommentFacts,
  hold: LiftedHold,
  { otherBots, ...spoken }: Spoken & { readonly otherBots: readonly string[] },
): boolean {
  if (comment.authorIsBot || comment.editedAt !== null || comment.minimized) return false;
  const isYounger =
    hold.said !== null && hold.said.surface === comment.surface
      ? comment.id > hold.said.comment
      : comment.createdAt >= hold.at;
  if (!isYounger) return false;
  return readComment(comment.body, COMMAND_DEFINITIONS, { otherBots }).commands.some((said) =>
    liftsByName(said, hold, comment.thread, spoken),
  );
}
