/** git's `update` hook (git-scm.com/docs/githooks): `update-hook.ts REF OLD NEW` ends with 1 where the policy forbids the move. */

import { execa } from 'execa';
import { barrierFor, pushPolicySchema } from './push-policy.ts';

const [ref = '', before = '', after = ''] = process.argv.slice(2);
const policy = pushPolicySchema.parse(JSON.parse(process.env['PLAYGROUND_POLICY'] ?? '[]'));
const broken = await barrierFor(policy, { ref, before, after }, async () => {
  // 1 = it is none; anything else is git in trouble, and then nothing may pass.
  const { exitCode } = await execa('git', ['merge-base', '--is-ancestor', before, after], { reject: false });
  return exitCode === 0;
});
if (broken !== null) {
  process.stderr.write(`error: ${broken.words} for ${ref}.\n`);
  process.exitCode = 1;
}
