/** Small parts of the runner: command files, workflow commands, masks, checkout plans. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkoutPlan } from '../../actions/runner/checkout.ts';
import { isFixedName, isRefusedName, parseCommandFile } from '../../actions/runner/command-files.ts';
import { createJobOutput } from '../../actions/runner/job-output.ts';
import { createMasks } from '../../actions/runner/masks.ts';
import { parseLogCommand } from '../../actions/runner/workflow-commands.ts';

describe('GITHUB_OUTPUT', () => {
  it('accepts lines and blocks, and the last value of a name wins', () => {
    expect(parseCommandFile('a=1\nb<<END\nx=1\n\ny<<z\nEND\na=2\n')).toEqual({ a: '2', b: 'x=1\n\ny<<z' });
  });

  it('keeps a carriage return, which is part of the value on Linux', () => {
    expect(parseCommandFile('a=1\r\nb<<E\nx\r\nE\n')).toEqual({ a: '1\r', b: 'x\r' });
  });

  it.each(['a<<END\nnever closed', 'no separator', '=x', 'a<<\nx\n'])('refuses %j', (text) => {
    expect(() => parseCommandFile(text)).toThrow();
  });

  it('returns any value that was written with a delimiter that it does not contain', () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((line) => !/[\r\n]/.test(line) && line !== 'ghadelimiter')), (lines) => {
        const value = lines.join('\n');
        expect(parseCommandFile(`name<<ghadelimiter\n${value}${lines.length === 0 ? '' : '\n'}ghadelimiter\n`)).toEqual(
          { name: value },
        );
      }),
    );
  });

  it('protects the runner’s own variables from steps', () => {
    expect(['GITHUB_SHA', 'RUNNER_TEMP'].every(isFixedName)).toBe(true);
    expect(['NODE_OPTIONS', 'Node_Options'].every(isRefusedName)).toBe(true);
    expect(isFixedName('FERRY_DATE') || isRefusedName('FERRY_DATE')).toBe(false);
  });
});

describe('workflow commands', () => {
  it('are parsed with their properties', () => {
    expect(parseLogCommand('::error file=a.py,line=3,title=Bad%2C really::two%0Alines')).toEqual({
      command: 'error',
      properties: { file: 'a.py', line: '3', title: 'Bad, really' },
      message: 'two\nlines',
    });
    expect(parseLogCommand('x ::error::no')).toBeNull();
    expect(parseLogCommand('::not a command')).toBeNull();
    expect(parseLogCommand('::nobody-knows-this::x')).toBeNull();
  });

  it('have an older form that counts in the middle of a line too (actions/runner, ActionCommand)', () => {
    expect(parseLogCommand('step 7: ##[error file=a.py;line=3]lost %5Dhere')).toEqual({
      command: 'error',
      properties: { file: 'a.py', line: '3' },
      message: 'lost ]here',
    });
    expect(parseLogCommand('##[section]Starting')).toBeNull();
  });

  const output = () => {
    const lines: string[] = [];
    const job = createJobOutput(createMasks(['s3cret']), (line) => lines.push(line));
    return { lines, job, step: job.step() };
  };

  it('mask a value from ::add-mask:: on', () => {
    const { lines, step } = output();
    for (const line of ['token tok-1', '::add-mask::tok-1', 'token tok-1', 'and s3cret', 'czNjcmV0']) step.onLine(line);
    expect(lines).toEqual(['token tok-1', '::add-mask::***', 'token ***', 'and ***', '***']);
  });

  it('mask a secret’s lines and its JSON and base64 forms', () => {
    const masks = createMasks(['first line\nsecond "line"']);
    expect(masks.apply('second "line" / second \\"line\\"')).toBe('*** / ***');
    expect(masks.apply(Buffer.from('first line').toString('base64'))).toBe('***');
  });

  it('mask a secret after a prefix in base64, in a URL and in XML, but not in other forms such as upper case', () => {
    const secret = `a&b <c> 'd' "e"`;
    const masks = createMasks([secret]);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    // At one of the three offsets in a group of bytes the whole value is masked; at the others all but its first
    // letters.
    expect([1, 2, 3].map((length) => masks.apply(base64('x'.repeat(length) + secret)).slice(-3))).toEqual([
      '***',
      '***',
      '***',
    ]);
    expect(masks.apply('a%26b%20%3Cc%3E%20%27d%27%20%22e%22 a&amp;b &lt;c&gt; &apos;d&apos; &quot;e&quot;')).toBe(
      '*** ***',
    );
    expect(masks.apply(`a&b <c> ''d'' "e" / a&b <c> 'd' \\"e\\"`)).toBe('*** / ***');
    expect(masks.apply(secret.toUpperCase())).toBe(secret.toUpperCase());
  });

  it('replace overlapping or adjacent secrets with one mask (actions/runner, SecretMasker)', () => {
    const masks = createMasks(['abcd', 'cdef']);
    expect([masks.apply('xabcdefx'), masks.apply('abcdabcd'), masks.apply('abcd cdef')]).toEqual([
      'x***x',
      '***',
      '*** ***',
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1 })),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c') }),
        (secrets, text) => {
          const all = createMasks(secrets);
          expect(secrets.some((secret) => all.apply(text).includes(secret))).toBe(false);
        },
      ),
    );
  });

  it('become annotations with masked messages', () => {
    const { lines, job, step } = output();
    step.onLine('::warning file=a.ts,line=4::careful with s3cret');
    expect(lines).toEqual(['##[warning]careful with ***']);
    expect(job.annotations).toEqual([
      {
        level: 'warning',
        message: 'careful with ***',
        title: null,
        path: 'a.ts',
        line: 4,
        endLine: null,
        column: null,
        endColumn: null,
      },
    ]);
  });

  it('have no effect between stop-commands and its token', () => {
    const { lines, job, step } = output();
    for (const line of [
      '::stop-commands::t0k',
      '::error::from an untrusted log',
      '::set-output name=a::b',
      '::t0k::',
      '::error::ours',
    ]) {
      step.onLine(line);
    }
    expect(job.annotations.map(({ message }) => message)).toEqual(['ours']);
    expect(lines).toContain('::error::from an untrusted log');
    expect(step.problem()).toBeNull();
  });

  it.each(['', 'pause-logging', 'add-mask', 'Error'])('are not stopped by the token %j', (token) => {
    const { job, step } = output();
    step.onLine(`::stop-commands::${token}`);
    expect(step.problem()).toContain('You cannot use a endToken');
    step.onLine('::error::still read');
    expect(job.annotations.map(({ message }) => message)).toEqual([
      expect.stringContaining('You cannot use a endToken'),
      'still read',
    ]);
  });

  it('stay stopped at a token inside a line, and resume at a token with text after it', () => {
    const { job, step } = output();
    const lines = ['::stop-commands::t0k', 'loss 3 ::t0k::', '::error::theirs', '::T0K::done', '::error::ours'];
    for (const line of lines) step.onLine(line);
    expect(job.annotations.map(({ message }) => message)).toEqual(['ours']);
  });

  it('refuse an empty mask, and mask every line of a secret with several lines', () => {
    const { lines, step } = output();
    const commands = ['::add-mask::', '::add-mask::  ', '::add-mask::first%0Asecond', 'a first, then a second'];
    for (const line of commands) step.onLine(line);
    expect(lines.slice(0, 2).every((line) => line.includes("Can't add secret mask for empty string"))).toBe(true);
    expect(lines.at(-1)).toBe('a ***, then a ***');
  });

  it('still set outputs and state from any line in their deprecated form (actions/runner)', () => {
    const { lines, job, step } = output();
    step.onLine('::set-output name=digest::from a log');
    step.onLine('loss 3 ##[save-state name=pid]7');
    expect(step.outputs()).toEqual({ digest: 'from a log' });
    expect(step.state()).toEqual({ pid: '7' });
    expect(lines[0]).toContain('##[warning]The `set-output` command is deprecated');
    expect(job.annotations.map(({ level }) => level)).toEqual(['warning', 'warning']);
    step.onLine('::set-output::nameless');
    expect(step.problem()).toContain("Required field 'name' is missing");
  });

  it('become at most ten annotations per level and step, with their columns', () => {
    const { lines, job, step } = output();
    for (const level of ['error', 'warning', 'notice'])
      for (let at = 1; at <= 12; at += 1) step.onLine(`::${level} file=a.py,line=${at},col=2,endColumn=5::m${at}`);
    step.note('of the runner itself');
    expect(lines).toHaveLength(37);
    expect(job.annotations).toHaveLength(30);
    expect(job.annotations.at(-1)).toMatchObject({ level: 'notice', line: 10, column: 2, endColumn: 5 });
    job.step().note('the next step counts anew');
    expect(job.annotations).toHaveLength(31);
  });

  it.each(['::set-env name=PATH::/evil', '::add-path::/evil'])(
    'are refused when they would change the runner: %s',
    (line) => {
      const { step } = output();
      step.onLine(line);
      expect(step.problem()).toMatch(/disabled/);
    },
  );
});

describe('checkoutPlan', () => {
  const sha = 'a'.repeat(40);

  it('fetches the run’s own commit of a branch', () => {
    expect(checkoutPlan('refs/heads/main', sha)).toMatchObject({
      refspecs: [`+${sha}:refs/remotes/origin/main`],
      checkout: [{ args: ['-B', 'main', 'refs/remotes/origin/main'] }],
    });
  });

  it('fetches a commit by its id', () => {
    expect(checkoutPlan(sha, '')).toMatchObject({ refspecs: [sha], checkout: [{ args: [sha] }] });
  });

  it('fetches refs outside branches and tags', () => {
    expect(checkoutPlan('refs/ferrybot/launch/x', '').refspecs).toEqual([
      '+refs/ferrybot/launch/x:refs/remotes/ferrybot/launch/x',
    ]);
  });

  it('resolves a bare name as a branch, then as a tag', () => {
    expect(checkoutPlan('dev', '').checkout.map(({ requires }) => requires)).toEqual([
      'refs/remotes/origin/dev',
      'refs/tags/dev',
    ]);
  });
});
