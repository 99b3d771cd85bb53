/** Runs programs of the lab beside the queue: a command whose program takes long is decided again when it has ended. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { HelperCall, Helpers, Running } from '../../run/proposing.ts';

type BesideOptions = {
  /** How long a call waits for its answer before it goes on beside the queue. */
  readonly patienceMs: number;
  /** Answers that are kept for commands that are decided again; the oldest go first. */
  readonly answersMax: number;
  /** Called when a program has ended that a call did not wait for. */
  readonly onDone: (thread: number) => void;
};

type HelpersBeside = {
  readonly helpers: Helpers;
  /** Resolves when no program runs. */
  readonly idle: () => Promise<void>;
};

type Work = { readonly answer: Promise<unknown>; isOver: boolean };

/**
 * The same helpers for a process that serves others meanwhile. One runs at a time, and a command asks each question once.
 * Answers are lost with the process: a call begins again.
 */
export function createHelpersBeside(helpers: Helpers, options: BesideOptions): HelpersBeside {
  const works = new Map<string, Work>();
  const start = (key: string, answer: Promise<unknown>): Work => {
    const work: Work = { answer, isOver: false };
    works.set(key, work);
    answer.then(
      () => {
        work.isOver = true;
      },
      // It gave no answer: the next call begins it again.
      () => works.delete(key),
    );
    for (const [old, { isOver }] of works) if (works.size > options.answersMax && isOver) works.delete(old);
    return work;
  };
  const beside = async <Answer>(
    asked: HelperCall['asked'],
    question: unknown,
    begin: () => Promise<Answer>,
  ): Promise<Answer | Running> => {
    if (asked === null) return begin();
    const key = JSON.stringify([asked.by, question]);
    const known = works.get(key);
    if (known === undefined && [...works.values()].some(({ isOver }) => !isOver)) return RUNNING;
    const { answer } = known ?? start(key, begin());
    const late = sleep(options.patienceMs, RUNNING, { ref: false });
    // The key names the question, so the answer is of its type.
    const first = (await Promise.race([answer, late])) as Answer | Running;
    if (first === RUNNING && known === undefined)
      void Promise.allSettled([answer]).then(() => options.onDone(asked.thread));
    return first;
  };
  return {
    helpers: {
      ask: (call) => beside(call.asked, ['ask', call.command, call.about], () => helpers.ask(call)),
      check: (call) => {
        const { commit, files, commands } = call;
        return beside(call.asked, ['check', commit, files, commands], () => helpers.check(call));
      },
    },
    idle: async () => {
      await Promise.allSettled([...works.values()].map(({ answer }) => answer));
    },
  };
}

const RUNNING: Running = { kind: 'running' };
