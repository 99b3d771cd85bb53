/** What ferrybot repeats from a script's output: never a secret, in whatever form the script printed it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../src/engines/ray/scripts/run-script.ts';
import { createScrubber, describeFailure, findSubmittedIds } from '../../src/engines/ray/scripts/submit.ts';
import { secretForms } from '../support/secret-forms.ts';

/** Secrets as people choose them and as machines make them; shorter ones occur by chance in any text. */
const secret = fc
  .oneof(
    fc.string({ minLength: 6, maxLength: 40 }),
    fc.string({ unit: 'binary', minLength: 6, maxLength: 20 }),
    fc.constantFrom(
      `it's "hush"`,
      '-----BEGIN KEY-----\nabc/def+ghi==\n-----END KEY-----',
      '$(id) `x` \\n {braces}',
      'p@ss/w%rd?&= ü',
      '\\u0041\\"\'',
    ),
  )
  .filter((text) => text.trim().length >= 6);

const asciiJson = (text: string): string =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const shell = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** The forms in which Marin's script, Ray and Python print a variable. */
const echoes: readonly ((value: string) => string)[] = [
  (value) => `RuntimeError: failed with ${value} refused`,
  (value) => `RuntimeError: failed with ${asciiJson({ value }.value)} refused`,
  (value) => `I1 env_vars: {\n    "KEY": ${asciiJson(value)}\n} failed`,
  (value) =>
    `Terminal command: \nray job submit --runtime-env-json ${shell(`{"env_vars": {"KEY": ${asciiJson(value)}}}`)} failed`,
  (value) => `Error: curl 'https://h/?k=${encodeURIComponent(value.toWellFormed())}' failed`,
  (value) => `Error: ${JSON.stringify(JSON.stringify({ KEY: value }))} refused`,
  (value) => `Error: Basic ${Buffer.from(value, 'utf8').toString('base64')} denied`,
];

describe('the reason of a failure', () => {
  it('contains no secret, in any form in which scripts print it', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...echoes), (value, echo) => {
        const said = { kind: 'exited', exitCode: 1, stdout: '', stderr: `${echo(value)}\n` } as const;
        const reason = describeFailure(said, createScrubber([value]));
        const leaks = secretForms(value).filter((form) => form.trim().length >= 6 && reason.includes(form));
        expect(leaks).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('consists of the last lines that report a failure, without echoes and colours', () => {
    const stderr = [
      'I20261121 1 __main__ Submitting job with entrypoint: python failed.py',
      'I20261121 1 __main__ env_vars: {"A": "Error"}',
      '    "B": "Error",',
      '\u001b[31mE20261121 1 __main__ Error submitting or tracking job: no answer\u001b[39m',
      'Traceback (most recent call last):',
      '  File "x.py", line 1, in <module>',
      'RuntimeError: Request failed with status code 500',
    ].join('\n');
    expect(describeFailure({ kind: 'exited', exitCode: 1, stdout: '', stderr }, createScrubber([]))).toBe(
      'E20261121 1 __main__ Error submitting or tracking job: no answer\nRuntimeError: Request failed with status code 500',
    );
  });
});

it('returns each job id once, and only ids at the end of a line', () => {
  const said = (stdout: string, stderr: string) => ({ kind: 'exited', exitCode: 0, stdout, stderr }) as const;
  const once = 'I1 Job submitted with ID: a-1\r\nI1 Job URL: http://h/#/jobs/a-1\n';
  expect(findSubmittedIds(said('', once))).toEqual(['a-1']);
  expect(findSubmittedIds(said(once, once))).toEqual(['a-1']);
  expect(findSubmittedIds(said('Job submitted with ID: a-1', 'Job submitted with ID: b-2  \n'))).toEqual([
    'a-1',
    'b-2',
  ]);
  expect(findSubmittedIds(said('Job submitted with ID: a 1', 'Job submitted with ID:'))).toEqual([]);
});

describe('a template', () => {
  it('is filled once: placeholders inside inserted values are not filled', () => {
    const fill = { texts: { id: '{command}', cluster: 'c' }, lists: { command: ['{id}', ''], none: [] } };
    expect(fillTemplate(['--id={id}', '{command}', '{none}', '{cluster}'], fill)).toEqual([
      '--id={command}',
      '{id}',
      '',
      'c',
    ]);
    expect(() => fillTemplate(['{other}'], fill)).toThrow('{other}');
  });
});
