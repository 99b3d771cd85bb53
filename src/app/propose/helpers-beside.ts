/** Helpers that hold up nobody: what takes long goes on beside the queue, and the command is looked at again when it is done. */

import type { HelperCall, Helpers, Running, TreeCall } from '../../run/proposing.ts';

export type BesideOptions = {
  /** The quick ones are waited for: they need no second look. */
  readonly patienceMs: number;
  /** Answers that are kept for commands that have still to be looked at again; the oldest go first. */
  readonly answersMax: number;
  /** Called when one is done that somebody was not told of in time. */
  readonly onDone: (thread: number) => void;
};

export type HelpersBeside = {
  readonly helpers: Helpers;
  /** Resolves when nothing runs beside. */
  readonly idle: () => Promise<void>;
};

type Work = { readonly answer: Promise<unknown>; isOver: boolean };

/**
 * The same helpers, for a process that serves others meanwhile. One runs at a time. What was asked for a command is asked
 * once: its answer is kept for the looks that follow. What was begun and forgotten, in a crash, is begun anew.
 */
export function createHelpersBeside(helpers: Helpers, options: BesideOptions): HelpersBeside {
  const works = new Map<string, Work>();
  // A program that could not be run gave no answer: whoever asks again begins it anew.
  const answerOf = async <Answer>(key: string, work: Work, answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      if (works.get(key) === work) works.delete(key);
      throw error;
    }
  };
  const done = (key: string): Promise<void> => settled(works.get(key)?.answer ?? Promise.resolve());

  const beside = async <Answer>(
    asked: HelperCall['asked'],
    what: unknown,
    begin: () => Promise<Answer>,
  ): Promise<Answer | Running> => {
    if (asked === null) return begin();
    const key = JSON.stringify([asked.by, what]);
    const known = works.get(key);
    if (known === undefined && [...works.values()].some((work) => !work.isOver)) return RUNNING;
    const work = known ?? start(works, key, begin());
    forgetOldest(works, options.answersMax);
    const first = await Promise.race([done(key), after(options.patienceMs)]);
    // The answer is of this very call: the key says which program was asked what.
    if (first !== 'late' || work.isOver) return answerOf(key, work, work.answer as Promise<Answer>);
    if (known === undefined) done(key).then(() => options.onDone(asked.thread));
    return RUNNING;
  };

  return {
    helpers: {
      ask: (call) => beside(call.asked, ['ask', call.command, call.about], () => helpers.ask(call)),
      check: (call) => beside(call.asked, ['check', whatOf(call)], () => helpers.check(call)),
    },
    idle: async () => {
      for (const key of [...works.keys()]) await done(key);
    },
  };
}

const RUNNING: Running = { kind: 'running' };

function start(works: Map<string, Work>, key: string, answer: Promise<unknown>): Work {
  const work: Work = { answer, isOver: false };
  works.set(key, work);
  settled(answer).then(() => {
    work.isOver = true;
  });
  return work;
}

/** What breaks is thrown to whoever asks for the answer, and not into the void. */
async function settled(answer: Promise<unknown>): Promise<void> {
  await answer.then(
    () => undefined,
    () => undefined,
  );
}

async function after(durationMs: number): Promise<'late'> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('late'), durationMs).unref();
  });
}

function forgetOldest(works: Map<string, Work>, max: number): void {
  for (const [key, work] of works) {
    if (works.size <= max) return;
    if (work.isOver) works.delete(key);
  }
}

function whatOf({ commit, files, commands }: TreeCall): unknown {
  return [commit, files, commands];
}
