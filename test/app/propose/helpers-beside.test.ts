/** A server's helpers: quick ones are waited for, slow ones go on beside, and no command's program runs twice. */

import { describe, expect, it } from 'vitest';
import type { Programs } from '../../../src/app/propose/helpers.ts';
import { createHelpersBeside } from '../../../src/app/propose/helpers-beside.ts';
import type { ProgramResult } from '../../../src/host/process.ts';
import type { HelperCall } from '../../../src/run/proposing.ts';

const result = (stdout: string): ProgramResult => ({
  kind: 'exited',
  ok: true,
  exitCode: 0,
  signal: null,
  code: null,
  timedOut: false,
  stdout,
  stderr: '',
});
const call = (by: string, about = 'x'): HelperCall => ({
  asked: { by, thread: 7 },
  about: [about],
  command: ['propose'],
  input: '',
  timeoutMs: 1_000,
  outputBytesMax: 1_000,
});

/** Programs that end when the test says so. */
function programs(): Programs & { readonly begun: string[]; readonly end: (text: string | Error) => void } {
  const begun: string[] = [];
  let end: (text: string | Error) => void = () => undefined;
  return {
    begun,
    end: (text) => end(text),
    ask: ({ asked }) => {
      begun.push(asked?.by ?? 'the schedule');
      return new Promise((resolve, reject) => {
        end = (text) => (text instanceof Error ? reject(text) : resolve(result(text)));
      });
    },
    check: async () => null,
  };
}

function beside(own: Programs, patienceMs = 5, answersMax = 20) {
  const done: number[] = [];
  const made = createHelpersBeside(own, { patienceMs, answersMax, onDone: (thread) => done.push(thread) });
  return { ...made, done };
}

describe('helpers beside', () => {
  it('answer at once where the program is quick, and nobody is woken', async () => {
    const { helpers, done } = beside({ ask: async () => result('quick'), check: async () => null }, 5_000);
    expect(await helpers.ask(call('a'))).toMatchObject({ stdout: 'quick' });
    expect(
      await helpers.check({ ...call('a'), git: NO_GIT, commit: '' as never, files: {}, commands: [] }),
    ).toBeNull();
    expect(done).toEqual([]);
  });

  it('go on where it is slow, trigger the thread once, and give the answer to every later look', async () => {
    const own = programs();
    const { helpers, idle, done } = beside(own);
    expect(await helpers.ask(call('a'))).toEqual({ kind: 'running' });
    expect(await helpers.ask(call('a'))).toEqual({ kind: 'running' });
    own.end('at last');
    await idle();
    expect(done).toEqual([7]);
    expect(await helpers.ask(call('a'))).toMatchObject({ stdout: 'at last' });
    expect(await helpers.ask(call('a'))).toMatchObject({ stdout: 'at last' });
    expect(own.begun).toEqual(['a']);
  });

  it('run one at a time: the next command is begun when the first is over', async () => {
    const own = programs();
    const { helpers, idle } = beside(own);
    await helpers.ask(call('a'));
    expect(await helpers.ask(call('b'))).toEqual({ kind: 'running' });
    expect(own.begun).toEqual(['a']);
    own.end('first');
    await idle();
    const second = helpers.ask(call('b'));
    own.end('second');
    expect(await second).toMatchObject({ stdout: 'second' });
  });

  it('ask anew for another command, for another text, and once an answer was forgotten', async () => {
    const begun: string[] = [];
    const own: Programs = {
      ask: async ({ asked, about }) => {
        begun.push(`${asked?.by} ${about}`);
        return result('');
      },
      check: async () => null,
    };
    const { helpers } = beside(own, 5_000, 3);
    for (const [by, about] of [
      ['a', 'x'],
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'x'],
    ] as const)
      await helpers.ask(call(by, about));
    expect(begun).toEqual(['a x', 'a y', 'b x']);
    await helpers.ask(call('c'));
    await helpers.ask(call('a'));
    expect(begun).toEqual(['a x', 'a y', 'b x', 'c x', 'a x']);
  });

  it('throw what broke to whoever asks for it, and take part in the next', async () => {
    const own = programs();
    const { helpers, idle } = beside(own);
    await helpers.ask(call('a'));
    own.end(new Error('the disk is full'));
    await idle();
    await expect(helpers.ask(call('a'))).rejects.toThrow('the disk is full');
    expect(await helpers.ask(call('b'))).toEqual({ kind: 'running' });
    own.end('fine');
    await idle();
  });

  it('begin anew what could not be run: a remote that was away for a moment is not away for ever', async () => {
    let isAway = true;
    const { helpers } = beside({
      ask: async () => result(''),
      check: async () => {
        if (isAway) throw new Error('the remote is away');
        return null;
      },
    });
    const tree = { ...call('a'), git: NO_GIT, commit: '' as never, files: {}, commands: [] };
    await expect(helpers.check(tree)).rejects.toThrow('the remote is away');
    isAway = false;
    expect(await helpers.check(tree)).toBeNull();
  });

  it('are waited for where nobody else is served: the schedule', async () => {
    const own = programs();
    const { helpers } = beside(own);
    const answer = helpers.ask({ ...call('a'), asked: null });
    setTimeout(() => own.end('slow'), 30);
    expect(await answer).toMatchObject({ stdout: 'slow' });
  });
});

const NO_GIT = { exportTree: async () => ({ files: [], submodules: [], ids: {} }) };
