/** Asks a person at a terminal. Without one, every question is a refusal. */

import { createInterface } from 'node:readline/promises';
import type { VerbIo } from '../verb-io.ts';

export type Dialog = {
  readonly isTerminal: boolean;
  readonly ask: (question: string) => Promise<string>;
  /** Shows what would happen. True after a yes; `all` also accepts every later question. */
  readonly confirm: (what: string) => Promise<boolean>;
  readonly close: () => void;
};

/** `acceptsAll`: as if a person had accepted every change. */
export function openDialog(io: VerbIo, acceptsAll: boolean): Dialog {
  const isTerminal = !io.json && 'isTTY' in io.stdin && io.stdin.isTTY === true;
  const lines = isTerminal ? createInterface({ input: io.stdin, crlfDelay: Infinity }) : null;
  const typed = lines?.[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    io.stderr.write(question);
    const line = await typed?.next();
    return line === undefined || line.done === true ? '' : line.value.trim();
  };
  let all = acceptsAll;
  return {
    isTerminal,
    ask,
    confirm: async (what) => {
      if (!all && isTerminal) {
        const answer = await ask(`${what}? [y/n/all] `);
        all = answer === 'all';
        return all || /^y(?:es)?$/i.test(answer);
      }
      if (!io.json) io.stderr.write(`${what}${all ? '' : ': not done without --yes'}\n`);
      return all;
    },
    close: () => lines?.close(),
  };
}
