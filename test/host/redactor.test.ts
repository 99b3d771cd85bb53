/**
 * Secrets in every encoding that programs use, tokens by their shape, and texts that only look like secrets.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskTokens } from '../../src/domain/written-secrets.ts';
import { redact } from '../../src/host/redactor.ts';

/** A reproducible secret in this alphabet. */
const signs = (alphabet: string, length: number): string =>
  Array.from({ length }, (_, at) => alphabet[(at * 7 + length) % alphabet.length]).join('');
const ALNUM = 'aZ3kQ9xB1mW7cR5tY2nH8vD4fL6gJ0pS';
const HEX = '0f9e1d8c2b7a3456';

type Writing = readonly [name: string, write: (secret: string) => string];

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const every = (text: string, write: (point: number) => string): string =>
  [...text].map((sign) => write(sign.codePointAt(0) ?? 0)).join('');
const percentAll = (text: string): string =>
  Buffer.from(text).reduce((all, byte) => `${all}%${byte.toString(16).padStart(2, '0').toUpperCase()}`, '');
const broken = (text: string, width: number, by: string): string =>
  text.match(new RegExp(`[\\s\\S]{1,${width}}`, 'g'))?.join(by) ?? '';
const escapedUnits = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const WRITINGS: readonly Writing[] = [
  ['in plain form', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify(secret)],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify(secret))],
  ['with every character as a JSON escape', escapedUnits],
  [
    'as byte escapes',
    (secret) => Buffer.from(secret).reduce((all, b) => `${all}\\x${b.toString(16).padStart(2, '0')}`, ''),
  ],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded, in lower case', (secret) => percentAll(secret).toLowerCase()],
  ['percent-encoded, every byte', percentAll],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['percent-encoded twice, every byte', (secret) => encodeURIComponent(percentAll(secret))],
  ['as decimal references', (secret) => every(secret, (point) => `&#${point};`)],
  ['as hexadecimal references', (secret) => every(secret, (point) => `&#x${point.toString(16)};`)],
  [
    'as HTML',
    (secret) =>
      secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['quoted for a shell', (secret) => `'${secret.replaceAll("'", `'"'"'`)}'`],
  ['in hex', hexOf],
  ['in upper-case hex', (secret) => hexOf(secret).toUpperCase()],
  ['in hex with colons', (secret) => broken(hexOf(secret), 2, ':')],
  ['over several lines', (secret) => broken(secret, 5, '\n')],
  ['over indented lines with backslashes', (secret) => broken(secret, 5, '\\\r\n    ')],
  ['over several lines within JSON', (secret) => JSON.stringify(broken(secret, 5, '\n'))],
  ['in base64 over several lines', (secret) => broken(base64(secret), 8, '\n')],
  ['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
  ['in percent-encoded base64', (secret) => encodeURIComponent(base64(secret))],
];

/** Letters, digits and signs, as password generators make them; no blank or quote at an end. */
const secrets = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9!#$%&*+,./:;<=>?@^_{|}~"'\\-]{8,40}[A-Za-z0-9]$/)
  .filter((secret) => secret.replace(/[\\'"]/g, '').length >= 8);

/** Secrets with parts that look like escapes, references or percent-encoding. */
const lookalikes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\\r', '\\n', '\\x41', '\\u0041', '\\101', '%41', '%25', '&lt;', '&amp;', '&#65;'),
      fc.constantFrom('<', '&', '>', '\\', '%', 'q', '7'),
    ),
    { minLength: 6, maxLength: 12 },
  )
  .map((pieces) => `k3${pieces.join('')}Z9pw`);

describe('a known secret', () => {
  // threat T213
  it.each(WRITINGS)('is removed %s', (_, write) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const clean = redact(`it says ${write(secret)} at the end`, [secret]);
        expect(clean).toMatch(/^it says .{0,6}\*\*\*.{0,6} at the end$/s);
      }),
      { numRuns: 60 },
    );
  });

  it.each(WRITINGS)('is removed %s, also if it contains what resembles another encoding', (_, write) => {
    fc.assert(
      fc.property(lookalikes, (secret) => {
        const clean = redact(`it says ${write(secret)} at the end`, [secret]);
        expect(clean).toMatch(/^it says .{0,6}\*\*\*.{0,6} at the end$/s);
      }),
      { numRuns: 60 },
    );
  });

  it('is removed from base64 at every alignment, as in user:secret', () => {
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 7 }), fc.string({ maxLength: 7 }), (secret, user, more) => {
        const written = base64(`${user}:${secret}${more}`);
        const clean = redact(`Basic ${written}.`, [secret]);
        const left = Buffer.from(clean.slice('Basic '.length).replace('***', ''), 'base64').toString('latin1');
        expect(clean).toContain('***');
        expect(clean.length).toBeLessThanOrEqual(
          base64(`${user}:`).length + base64(more).length + 'Basic ***.'.length + 2,
        );
        expect(left).not.toContain(secret.slice(1, -1));
      }),
      { numRuns: 300 },
    );
  });

  it('removes nothing else', () => {
    fc.assert(
      fc.property(secrets, fc.stringMatching(/^[a-z ,.]{0,80}$/), (secret, text) => {
        expect(redact(text, [secret])).toBe(text);
        expect(redact(`${text} ${secret} ${text}`, [secret])).toBe(`${text} *** ${text}`);
      }),
    );
  });

  it('takes linear time for a hostile text', () => {
    const mixed = ['%2525252526', '&amp;amp;amp;amp;', '\\\\\\\\\\\\\\\\u0041', '%255c&#92;&amp;#37;41\\\\x2541 '];
    const plain = ['%25', '&#', '\\u', '\\', 'eyJ-', '\n ', 'A_', '-----BEGIN ', 'a:/', 'password='];
    for (const piece of [...plain, ...mixed]) {
      const text = piece.repeat(65_536 / piece.length);
      const before = process.threadCpuUsage();
      redact(text, ['correct horse battery staple', 'another-secret-of-ours']);
      const { user, system } = process.threadCpuUsage(before);
      // Microseconds of this thread, so that other load of the machine does not count.
      expect(user + system).toBeLessThan(250_000);
    }
  });
});

const TOKENS: readonly (readonly [string, string])[] = [
  ['GitHub, classic', `ghp_${signs(ALNUM, 36)}`],
  ['GitHub, of an installation, with dots', `ghs_${signs(ALNUM, 30)}.${signs(ALNUM, 40)}-${signs(ALNUM, 20)}`],
  ['GitHub, refresh', `ghr_${signs(ALNUM, 76)}`],
  ['GitHub, fine-grained', `github_pat_${signs(ALNUM, 22)}_${signs(ALNUM, 59)}`],
  ['GitLab', `glpat-${signs(ALNUM, 20)}`],
  ['GitLab, routable', `glpat-${signs(ALNUM, 27)}.01.${signs(ALNUM, 9)}`],
  ['GitLab, a runner', `glrt-${signs(ALNUM, 20)}`],
  ['Bitbucket', `ATBB${signs(ALNUM, 32)}`],
  ['Atlassian', `ATATT3xFfGF0${signs(ALNUM, 180)}`],
  ['npm', `npm_${signs(ALNUM, 36)}`],
  ['PyPI', `pypi-AgEIcHlwaS5vcmc${signs(ALNUM, 120)}`],
  ['crates.io', `cio${signs(ALNUM, 32)}`],
  ['Docker Hub', `dckr_pat_${signs(ALNUM, 27)}`],
  ['AWS, a key id', 'AKIAIOSFODNN7EXAMPLE'],
  ['Google, an API key', `AIza${signs(ALNUM, 35)}`],
  ['Google, OAuth', `ya29.${signs(ALNUM, 60)}-${signs(ALNUM, 40)}`],
  ['Hugging Face', `hf_${signs(ALNUM, 34)}`],
  ['W&B', `wandb_v1_${signs(ALNUM, 77)}`],
  ['OpenAI', `sk-proj-${signs(ALNUM, 60)}T3BlbkFJ${signs(ALNUM, 60)}`],
  ['Anthropic', `sk-ant-api03-${signs(ALNUM, 93)}AA`],
  ['Slack', `xoxb-123456789012-123456789012-${signs(ALNUM, 24)}`],
  ['Slack, an App', `xapp-1-A0123456789-1234567890123-${signs(HEX, 64)}`],
  ['Discord, a bot', `MTA${signs(ALNUM, 21)}.GaBcDe.${signs(ALNUM, 38)}`],
  ['Stripe', `sk_live_${signs(ALNUM, 24)}`],
  ['Twilio', `SK${signs(HEX, 32)}`],
  ['SendGrid', `SG.${signs(ALNUM, 22)}.${signs(ALNUM, 43)}`],
  ['a JSON Web Token', `eyJ${signs(ALNUM, 33)}.eyJ${signs(ALNUM, 70)}.${signs(ALNUM, 43)}`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${signs(ALNUM, 64)}\n-----END RSA PRIVATE KEY-----`],
];

/** The text before the token is no secret and stays. */
const IN_PLACE: readonly (readonly [string, string, string])[] = [
  ['a webhook of Discord', 'https://', `discord.com/api/webhooks/123456789012345678/${signs(ALNUM, 68)}`],
  ['a password in a URL', 'https://someone:', `${signs(ALNUM, 12)}`],
  ['a signed URL of Azure', 'https://a.blob.core.windows.net/c?sv=2024&sig=', `${signs(ALNUM, 43)}%3D`],
  ['an account key of Azure', 'AccountName=a;AccountKey=', `${signs(ALNUM, 86)}==`],
  ['a secret key of AWS', 'aws_secret_access_key = ', signs(ALNUM, 40)],
  ['an authorization header', 'Authorization: Bearer ', signs(ALNUM, 40)],
  ['an old W&B key', 'wandb login ', signs(HEX, 40)],
  ['a Vast.ai key', 'vastai set api-key ', signs(HEX, 64)],
];

describe('a token', () => {
  // threat T244
  it.each(TOKENS)('of %s is removed from what people and programs write', (_, token) => {
    expect(maskTokens(`see ${token} there`)).toBe('see *** there');
    expect(maskTokens(`{"a":"${token}"}`)).toBe('{"a":"***"}');
  });

  it.each(IN_PLACE)('is removed from %s', (_, before, token) => {
    const after = before.startsWith('https://someone:') ? '@host/path' : ' there';
    const clean = maskTokens(`${before}${token}${after}`);
    expect(clean).not.toContain(token);
    expect(clean.startsWith(before)).toBe(true);
    expect(clean.endsWith(after)).toBe(true);
  });

  it.each([
    'WANDB_API_KEY=1234567890',
    'export VAST_KEY="abcdefgh"',
    '"HF_TOKEN": "abcdefgh"',
    'db_password: hunter2x',
    'SECRET_SEED=abcdefgh',
    'MY_PASSPHRASE = abcdefgh',
  ])('is any value after a secret-like name: %s', (line) => {
    expect(redact(line, [])).not.toMatch(/1234567890|abcdefgh|hunter2x/);
    expect(redact(line, [])).toContain('***');
  });
});

describe('text without a token is unchanged:', () => {
  const hex = (length: number): fc.Arbitrary<string> =>
    fc
      .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
      .map((all) => all.join(''));
  const digits = fc.integer({ min: 32, max: 64 }).chain(hex);
  const runId = fc.stringMatching(/^[a-z0-9]{8}$/);

  it('commits, digests, approval lines, names of runs, ids of W&B', () => {
    fc.assert(
      fc.property(hex(40), hex(64), digits, runId, (sha, digest, approved, id) => {
        for (const text of [
          sha,
          `sha256:${digest}`,
          `/approve-launch ${approved}`,
          `/approve-launch sha256:${approved}`,
          `/approve ${approved} because the disk is full`,
          `ferry-daily-20261122-0${id}`,
          `https://wandb.ai/lab/ferries/runs/${id}`,
          `https://github.com/lab/ferries/commit/${sha}`,
          `wandb run ${id}: synced`,
          `entry 12:${digest}`,
          `uv run launch.py --run_id ${id} --commit ${sha}`,
          `https://packages.lab.example/simple and git@github.com:lab/ferries.git`,
        ]) {
          expect(maskTokens(text)).toBe(text);
          expect(redact(text, ['a-secret-of-ours'])).toBe(text);
        }
      }),
    );
  });

  it('settings that people change', () => {
    for (const line of ['/propose pad_token=7 model.lr=3e-4', 'num_tokens=4096', 'the token: see above'])
      expect(maskTokens(line)).toBe(line);
  });
});
