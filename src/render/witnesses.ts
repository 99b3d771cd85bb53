/** Which witness of a job says what, and when it did: the state of the run follows from these and from nothing else. */

import type { StoreSeen, TrackerSeen } from '../domain/logbook/events/job-events.ts';
import { type Witnesses, witnessesOf } from '../domain/logbook/job-state.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';
import { progressText } from './progress.ts';
import { code, table, text, utc } from './words.ts';

/** Null before the first look. */
export function witnessTable(state: RunState): string | null {
  const { observation: seen } = state;
  if (seen === null) return null;
  const { engine, log, progress, tracker, checkpoint, watch } = witnessesOf(state);
  const rows = [
    ['Engine', engineSays(engine), whenOf(engine?.at)],
    ['Log', logSays(log, seen), whenOf(log?.at)],
    ['Progress', progressSays(progress, seen), whenOf(progress?.at)],
    ...(tracker === null ? [] : [['Tracker', trackerSays(seen.tracker), whenOf(tracker.at)]]),
    [
      'Checkpoint',
      checkpoint === null ? 'none yet' : `saved at step ${checkpoint.step}, by the log`,
      whenOf(checkpoint?.at),
    ],
    ...(seen.store === undefined ? [] : [['Store', storeSays(seen.store), utc(seen.store.askedAt)]]),
    ['Watch', watchSays(state, seen), whenOf(watch?.at)],
  ];
  return table(['Witness', 'Says', 'When'], rows);
}

function whenOf(at: number | null | undefined): string {
  return at == null ? '' : utc(new Date(at).toISOString());
}

function watchSays({ end }: RunState, { cadenceMs }: Observation): string {
  return end === null ? `looks again within ${Math.round(cadenceMs / 1_000)} s` : 'has seen the end';
}

function engineSays(engine: Witnesses['engine']): string {
  if (engine === null || engine.says === 'UNKNOWN') return 'no usable answer';
  return engine.says === 'lost' ? 'knows no such job any more' : engine.says;
}

function logSays(log: Witnesses['log'], { unread }: Observation): string {
  if (unread !== undefined) return 'cannot be read since then';
  return log?.hasLines === true ? 'read as far as it goes' : 'empty';
}

function progressSays(progress: Witnesses['progress'], { step, totalSteps, loss }: Observation): string {
  if (progress === null) return 'no step yet';
  return `${progressText(step, totalSteps)}${loss === null ? '' : `, loss ${text(loss)}`}`;
}

/** Its own word for the run is told and no more: trackers call runs crashed that go on, and running that are dead. */
function trackerSays(seen: TrackerSeen | undefined): string {
  const last = seen?.last;
  const silence =
    seen === undefined || seen.says === 'found' ? null : `${SILENCES[seen.says]} ${code(seen.run)}`;
  if (last === undefined) return silence ?? '';
  const parts = [
    `calls ${code(last.identity)} ${text(last.state)}`,
    ...(last.step === null ? [] : [`step ${last.step}`]),
    ...(last.loss === null ? [] : [`loss ${text(last.loss)}`]),
    ...(last.heartbeatAt === null ? [] : [`heard of it ${utc(last.heartbeatAt)}`]),
    ...(last.rowAt === null ? [] : [`newest metrics ${utc(last.rowAt)}`]),
  ];
  return `${parts.join(', ')}${silence === null ? '' : `; since then ${silence}`}`;
}

/** What the log calls saved is its word alone; this is what lies there. */
function storeSays({ unread, last }: StoreSeen): string {
  if (unread !== undefined) {
    const before = last === undefined ? '' : `; ${utc(last.readAt)} it had ${wholeSays(last)}`;
    return `cannot be read (${text(unread)})${before}`;
  }
  return last === undefined ? '' : wholeSays(last);
}

function wholeSays({ newest, partial, missing }: NonNullable<StoreSeen['last']>): string {
  const whole =
    newest === null
      ? 'no whole checkpoint of this run'
      : `step ${newest.step} whole, written ${utc(newest.writtenAt)}`;
  const half = partial === undefined ? '' : `; step ${partial.step} not whole since ${utc(partial.since)}`;
  const lacking =
    missing === undefined ? '' : `; none of step ${missing.step}, which the log calls saved, or later`;
  return `${whole}${half}${lacking}`;
}

const SILENCES = {
  absent: 'it has, or shows this key, no run',
  denied: 'it refuses the key for',
  limited: 'it was asked too often, now for',
  unknown: 'it gives no usable answer about',
} as const;
